/** What an endpoint turned out not to take, learned from its refusals. */
import { remember } from '../../../lib/bounded.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { KeptRefusals } from '../../endpoint.ts';
import type { ReasoningEffort } from '../../protocol.ts';
import { detailsOf } from '../error-body.ts';
import { listOf, stringOf } from '../read-json.ts';

const optionalParts = [
  'summary',
  'encrypted',
  'reasoning',
  'max_output_tokens',
  'temperature',
  'prompt_cache_key',
  'service_tier',
  'parallel_tool_calls',
  'message_ids',
] as const;

export type Part = (typeof optionalParts)[number];

/** How the next body is made. */
export interface Dialect {
  /** Parts that the model at this endpoint refused. */
  readonly without: ReadonlySet<Part>;
  /** The efforts that the model named when it refused another. */
  readonly efforts?: readonly ReasoningEffort[];
  /** The endpoint answers in streams only (the subscription's). */
  readonly streamOnly: boolean;
  /** False for stored reasoning that was refused. */
  replays(reasoning: JsonObject): boolean;
}

/** Bounds of what is remembered: models of one endpoint, and reasoning items of all conversations. */
const maxModels = 200;
const maxStale = 20_000;

type Learned = Pick<Dialect, 'without' | 'efforts'>;

/** Remembers the refusals of one endpoint. */
export class Dialects {
  readonly #learned = new Map<string, Learned>();
  readonly #stale = new Set<string>();
  readonly #kept: KeptRefusals | undefined;
  #streamOnly = false;

  constructor(kept?: KeptRefusals) {
    this.#kept = kept;
  }

  for(model: string): Dialect {
    return this.#with(this.#learned.get(model) ?? this.#keptOf(model));
  }

  /** What was learned of a model, for later processes. */
  keep(model: string): void {
    const { without, efforts = [] } = this.#learned.get(model) ?? { without: new Set<Part>() };
    const learned = [...without, ...efforts.map((effort) => effortMark + effort)];
    if (learned.length > 0) this.#kept?.keep(model, learned);
  }

  /**
   * The dialect to try after `body` was refused; undefined when the refusal was about something else, or the other
   * way was refused as well. Comes to an end: every answer asks for less than the one before.
   */
  adapt(model: string, body: JsonObject, used: Dialect, status: number, refusal: string): Dialect | undefined {
    if (status !== 400 && status !== 422) return undefined;
    const text = detailsOf(refusal).searchable;
    if (body['stream'] !== true && /stream.{0,20}must be (?:set to )?true|only supports? stream/.test(text)) {
      this.#streamOnly = true;
      return this.#with(used);
    }
    const thoughts = listOf(body['input']).filter(isReasoning);
    if (thoughts.length > 0 && staleReasoning.test(text)) {
      // Encrypted for another key or service: none of this conversation will be read here.
      for (const thought of thoughts) remember(this.#stale, stringOf(thought['encrypted_content']), maxStale);
      return this.#with(used);
    }
    const efforts = used.efforts === undefined ? namedEfforts(text) : undefined;
    if (efforts !== undefined) return this.#learn(model, { without: used.without, efforts });
    const part = parts.find(({ phrase, within }) => within(body) && phrase.test(text))?.part;
    if (part === undefined || used.without.has(part) || !refuses.test(text)) return undefined;
    return this.#learn(model, { ...used, without: new Set([...used.without, part]) });
  }

  #learn(model: string, { without, efforts }: Learned): Dialect {
    if (this.#learned.size >= maxModels) this.#learned.clear();
    const learned: Learned = { without, ...(efforts === undefined ? {} : { efforts }) };
    this.#learned.set(model, learned);
    return this.#with(learned);
  }

  #keptOf(model: string): Learned {
    const kept = this.#kept?.of(model) ?? [];
    const efforts = steps.filter((step) => kept.includes(effortMark + step));
    return {
      without: new Set(optionalParts.filter((part) => kept.includes(part))),
      ...(efforts.length === 0 ? {} : { efforts }),
    };
  }

  #with({ without, efforts }: Learned): Dialect {
    return {
      without,
      ...(efforts === undefined ? {} : { efforts }),
      streamOnly: this.#streamOnly,
      replays: (reasoning) => !this.#stale.has(stringOf(reasoning['encrypted_content'])),
    };
  }
}

/** Stands before the efforts that are left, where names of parts are kept. */
const effortMark = 'effort:';
const refuses =
  /unsupported|n['o]t support|unrecognized|unknown|unexpected|not permitted|extra|not allowed|not available|must be verified|not found|without its required/;
const staleReasoning =
  /invalid_encrypted_content|encrypted.?content.{0,200}(?:verif|decrypt|parse)|'rs_[\w-]+' (?:of type|not found)/;

const has = (field: string) => (body: JsonObject) => body[field] !== undefined;

/** Where a part stands, and how a refusal names it; the first that fits counts. */
const parts: readonly {
  readonly part: Part;
  readonly within: (body: JsonObject) => boolean;
  readonly phrase: RegExp;
}[] = [
  { part: 'message_ids', within: has('input'), phrase: /'msg_[\w-]+'/ },
  { part: 'summary', within: has('reasoning'), phrase: /reasoning\.summary|reasoning summar/ },
  {
    part: 'encrypted',
    within: (body) => listOf(body['include']).length > 0,
    phrase: /encrypted.?content|(?<!\w)include(?!\w)/,
  },
  { part: 'reasoning', within: has('reasoning'), phrase: /(?<!\w)reasoning(?:[._]effort)?(?!\w)/ },
  ...(['max_output_tokens', 'temperature', 'prompt_cache_key', 'service_tier', 'parallel_tool_calls'] as const).map(
    (part) => ({ part, within: has(part), phrase: new RegExp(`(?<!\\w)${part}(?!\\w)`) }),
  ),
];

/** `Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are: 'low', 'medium'.` */
function namedEfforts(text: string): ReasoningEffort[] | undefined {
  const list = /(?:unsupported|invalid) value.*supported values are:?([^.]*)/s.exec(text)?.[1] ?? '';
  const words: readonly string[] = list.match(/[a-z]+/g) ?? [];
  const known = steps.filter((step) => words.includes(step));
  return known.length === 0 ? undefined : known;
}

/** All but `none`, which is asked for by leaving the parameter out. */
const steps: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh'];

function isReasoning(item: unknown): item is JsonObject {
  return isJsonObject(item) && item['type'] === 'reasoning';
}
