/** Makes the agent of a run: a conversation, and whatever goes on beside one. The only place where agents are made. */
import { Conversation, type AgentOptions } from '../agent/conversation.ts';
import type { RunSettings } from './run-settings.ts';
import type { ToolServices } from '../tools/services.ts';

/** What one run has of its own. The rest is the same for every run of the configuration. */
export type RunParts = Omit<AgentOptions<ToolServices>, 'models' | 'limits'> & {
  readonly models: Pick<AgentOptions<ToolServices>['models'], 'route' | 'fallbacks' | 'cacheKey'>;
  readonly maxSteps?: number | undefined;
};

export function buildAgent(
  settings: RunSettings,
  { models, maxSteps, ...parts }: RunParts,
): Conversation<ToolServices> {
  return new Conversation<ToolServices>({
    ...parts,
    models: {
      ...models,
      cacheTtl: settings.cacheTtl,
      reasoningEffort: settings.reasoningEffort,
      ...(settings.effortFor === undefined ? {} : { effortFor: settings.effortFor }),
      priority: settings.priority,
      ...(settings.showsBlind === undefined ? {} : { showsBlind: settings.showsBlind }),
      retries: settings.retries,
    },
    limits: { ...settings.limits, ...(maxSteps === undefined ? {} : { maxSteps }) },
  });
}
