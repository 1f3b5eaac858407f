/** What a session sends with each request and never stores: the owner's extra text, a personality, prefill messages. */
import type { EphemeralLayers } from '../agent/turn-request.ts';
import { type Prefill, readPrefill } from '../prompt/prefill.ts';
import type { SessionParts } from './session-parts.ts';

export class SessionEphemeral {
  /** Appended to the system prompt from the next request on; empty = nothing. The environment's beats the configured one. */
  text: string;
  readonly #parts: Pick<SessionParts, 'config' | 'home'>;
  readonly #warn: (line: string) => void;
  #prefill: Prefill | undefined;

  constructor(parts: Pick<SessionParts, 'config' | 'home'>, warn: (line: string) => void) {
    const { config, process } = parts.config;
    this.#parts = parts;
    this.#warn = warn;
    this.text = process.prompt.ephemeral || config.agent.system_prompt;
  }

  layers(): EphemeralLayers {
    this.#prefill ??= this.#readPrefill();
    return { system: this.text.trim(), prefill: this.#prefill.messages };
  }

  /** Once, with the first request. */
  #readPrefill(): Prefill {
    const { config, home } = this.#parts;
    const read = readPrefill(config.config.prefill_messages_file, home.path);
    for (const line of read.warnings) this.#warn(line);
    return read;
  }
}
