/** One key without a pool: when it was refused for long, another model is asked at once, in later processes too. */
import { createHash } from 'node:crypto';
import { ModelError } from '../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../llm/protocol.ts';
import { restAfter, verdictOn } from './cool-down.ts';
import { outcomeOf } from './outcome-of.ts';

/** Small facts that processes share. */
export interface KeptFacts {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

export interface LoneKeyOptions {
  readonly provider: string;
  readonly key: string;
  readonly kept: KeptFacts;
  readonly now?: () => number;
}

/** Shorter rests are over before the next process begins. */
const minRestMs = 90_000;

/**
 * A key that nothing can take the place of is asked whatever is known of it: the account may have been filled up. Where
 * another model stands by (`othersStandBy`), a rest is kept, and told as the refusal that it was.
 */
export class LoneKey implements Protocol {
  readonly #inner: Protocol;
  readonly #options: LoneKeyOptions;
  readonly #name: string;

  constructor(inner: Protocol, options: LoneKeyOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#name = restName(options.provider, options.key);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { kept, provider, now = Date.now } = this.#options;
    const until = Number((await kept.get(this.#name)) ?? 0);
    const rests = until > now();
    if (rests && request.othersStandBy === true) throw resting(provider, until);
    try {
      for await (const event of this.#inner.stream(request, signal)) {
        if (event.type === 'done' && rests) await this.#note(0);
        yield event;
      }
    } catch (error) {
      const outcome = error instanceof ModelError ? outcomeOf(error) : undefined;
      const verdict = outcome === undefined ? 'fine' : verdictOn(outcome);
      // "Slow down" without a word about how long is over in a moment.
      const lasts = verdict === 'exhausted' || (verdict === 'slow_down' && outcome?.retryAfterMs !== undefined);
      const rest = outcome === undefined || !lasts ? 0 : restAfter(outcome);
      if (rest >= minRestMs) await this.#note(now() + rest);
      throw error;
    }
  }

  async #note(until: number): Promise<void> {
    try {
      await this.#options.kept.set(this.#name, String(until));
    } catch {
      // What cannot be kept is found out again; the answer or the refusal is what matters now.
    }
  }
}

/** The name of a rest: of a key that is not in it. */
function restName(provider: string, key: string): string {
  return `${restsOf(provider)}${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** What the names of all rests of a provider begin with. */
export function restsOf(provider: string): string {
  return `rests:${provider}:`;
}

function resting(provider: string, until: number): ModelError {
  const time = new Date(until).toLocaleString('sv').slice(0, 16);
  return new ModelError(
    'rate_limit',
    `the key of ${provider} was refused for its limit or credit and rests until ${time} (\`hermes auth reset ${provider}\` ends that)`,
    { provider },
  );
}
