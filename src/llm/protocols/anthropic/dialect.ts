/** What an endpoint turned out not to take, learned from its refusals. */
import { remember } from '../../../lib/bounded.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { KeptRefusals } from '../../endpoint.ts';
import { detailsOf } from '../error-body.ts';
import { listOf } from '../read-json.ts';
import { isSigned, signatureOf } from './signed-thinking.ts';

const optionalParts = ['thinking', 'effort', 'temperature', 'speed', 'cache_control'] as const;

type Part = (typeof optionalParts)[number];

/** How the next body is made. */
export interface Dialect {
  /** Parts that the model at this endpoint refused. */
  readonly without: ReadonlySet<Part>;
  /** What is left of the context window, in tokens, when the endpoint said so. */
  readonly maxTokens?: number;
  /** False for a signed thought that was refused. */
  replays(thought: JsonObject): boolean;
}

/** Bounds of what is remembered: models of one endpoint, and thoughts of all conversations. */
const maxModels = 200;
const maxStale = 20_000;
/** An answer shorter than this is not worth a second request. */
const minAnswerTokens = 2048;

/** Remembers the refusals of one endpoint. */
export class Dialects {
  readonly #without = new Map<string, ReadonlySet<Part>>();
  readonly #stale = new Set<string>();
  readonly #kept: KeptRefusals | undefined;

  constructor(kept?: KeptRefusals) {
    this.#kept = kept;
  }

  for(model: string): Dialect {
    return {
      without: this.#without.get(model) ?? this.#keptOf(model),
      replays: (thought) => !this.#stale.has(signatureOf(thought)),
    };
  }

  /** What was learned of a model, for later processes. */
  keep(model: string): void {
    const without = this.#without.get(model);
    if (without !== undefined) this.#kept?.keep(model, [...without]);
  }

  /**
   * The dialect to try after `body` was refused; undefined when the refusal was about something else, or the other
   * way was refused as well. Comes to an end: every answer sends less than the one before.
   *
   * A thought is bound to the key, the model and the words before it, so one refusal makes all thoughts of the body
   * stale, for good: later ones were thought without them.
   */
  adapt(model: string, body: JsonObject, used: Dialect, status: number, refusal: string): Dialect | undefined {
    if (status !== 400 && status !== 422) return undefined;
    const text = detailsOf(refusal).searchable;
    const room = roomLeft(text);
    if (room !== undefined && used.maxTokens === undefined) {
      return room < minAnswerTokens ? undefined : { ...used, maxTokens: room };
    }
    const thoughts = thoughtsOf(body);
    if (thoughts.length > 0 && staleThought.test(text)) {
      for (const thought of thoughts) remember(this.#stale, signatureOf(thought), maxStale);
      return { ...used };
    }
    const left = parts.filter(({ part, field }) => !used.without.has(part) && (field === undefined || field in body));
    const named = left.find(({ phrase }) => phrase.test(text));
    if (named === undefined || !refuses.test(text)) return undefined;
    const without = new Set([...used.without, named.part]);
    if (this.#without.size >= maxModels) this.#without.clear();
    // What a thought was missing for is no trait of the model.
    if (!missingThought.test(text)) this.#without.set(model, without);
    return { ...used, without };
  }

  #keptOf(model: string): ReadonlySet<Part> {
    const kept = this.#kept?.of(model) ?? [];
    return new Set(optionalParts.filter((part) => kept.includes(part)));
  }
}

const missingThought = /must start with a thinking block|expected .{0,5}thinking/;
const staleThought =
  /signature.{0,40}thinking|thinking.{0,80}(?:cannot be modified|bound to|signature|decrypt)|cannot contain .{0,5}thinking/;
const refuses =
  /unsupported|n['o]t support|unrecognized|unknown|unexpected|not permitted|extra|not allowed|deprecated|not available|may only|must start with|expected/;

/** The body field that a part stands in (none: anywhere), and how a refusal names it; the first that fits counts. */
const parts: readonly { readonly part: Part; readonly field?: string; readonly phrase: RegExp }[] = [
  { part: 'cache_control', phrase: /cache_control/ },
  { part: 'speed', field: 'speed', phrase: /(?<!\w)speed(?!\w)|fast.?mode/ },
  { part: 'temperature', field: 'temperature', phrase: /(?<!\w)temperature(?!\w)/ },
  // What refuses a kind of thinking recommends the effort in the same sentence.
  { part: 'thinking', field: 'thinking', phrase: /thinking\.type/ },
  { part: 'effort', field: 'output_config', phrase: /output_config|(?<!\w)effort(?!\w)/ },
  { part: 'thinking', field: 'thinking', phrase: /(?<!\w)thinking(?!\w)|reasoning[._]effort/ },
];

/** `input length and max_tokens exceed context limit: 188240 + 21333 > 200000` */
function roomLeft(text: string): number | undefined {
  const match = /exceed context limit: (\d+) \+ (\d+) > (\d+)/.exec(text);
  return match === null ? undefined : Number(match[3]) - Number(match[1]) - 1;
}

function thoughtsOf(body: JsonObject): JsonObject[] {
  const rows = listOf(body['messages']).filter(isJsonObject);
  return rows.flatMap((row) => listOf(row['content']).filter(isJsonObject).filter(isSigned));
}
