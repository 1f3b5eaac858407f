/** What a session sends with each request and never stores: the owner's extra text, a personality, prefill messages. */
import type { EphemeralLayers } from '../agent/turn-request.ts';
import { type Prefill, readPrefill } from '../prompt/prefill.ts';
import type { ProgramOptions } from './program.ts';

export interface SessionEphemeral {
  /** Appended to the system prompt from the next request on; empty = nothing. */
  text: string;
  layers(): EphemeralLayers;
}

/** The environment's text beats the configured one. The prefill file is read once, with the first request. */
export function sessionEphemeral(
  { config, home }: Pick<ProgramOptions, 'config' | 'home'>,
  onWarning: ((line: string) => void) | undefined,
): SessionEphemeral {
  let prefill: Prefill | undefined;

  function readOnce(): Prefill {
    const read = readPrefill(config.config.prefill_messages_file, home.path);
    for (const line of read.warnings) onWarning?.(line);
    return read;
  }

  return {
    text: config.process.prompt.ephemeral || config.config.agent.system_prompt,
    layers() {
      prefill ??= readOnce();
      return { system: this.text.trim(), prefill: prefill.messages };
    },
  };
}
