/** A conversation whose agent works elsewhere: its route is that agent, which has a prompt, tools and a memory of its own. */
import { type ContextEngine, wholeHistory } from '../agent/context/engine.ts';
import type { LoadedConfig } from '../config/load.ts';
import { UserError } from '../lib/errors.ts';

/**
 * What is said goes there as it is: nothing is added to it, nothing is asked beside it, and nobody else answers in its
 * place.
 */
export function settingsElsewhere(loaded: LoadedConfig): LoadedConfig {
  const { config, process } = loaded;
  return {
    ...loaded,
    process: { ...process, prompt: { ...process.prompt, ephemeral: '' } },
    config: {
      ...config,
      agent: { ...config.agent, system_prompt: '', image_input_mode: 'native' },
      compression: { ...config.compression, enabled: false },
      fallback_providers: [],
      prefill_messages_file: '',
    },
  };
}

/** What is said there is shortened there. */
export const keptElsewhere: ContextEngine = {
  ...wholeHistory,
  compress: ({ history }) =>
    Promise.resolve({
      history,
      fits: true,
      notices: ['The agent of this conversation works elsewhere, and shortens it there.'],
    }),
};

/** Where another model would have to answer in the place of the agent. */
export function hasItsModelThere(): UserError {
  return new UserError('The agent of this conversation works elsewhere, and has its model there.', {
    hint: 'Choose it on that machine, or take gateway.proxy_url out of config.yaml (GATEWAY_PROXY_URL out of .env).',
  });
}
