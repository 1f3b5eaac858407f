/** How much each model takes: what is configured, what refusals taught, and from where on a history is shortened. */
import type { ContextModel, ContextRequest } from './engine.ts';

export interface WindowOptions {
  /** `compression.threshold`: share of the window from which a history is shortened. */
  readonly threshold: number;
  /** Tell of a raised threshold (`compression.codex_gpt55_autoraise_notice`). */
  readonly codexAutoraiseNotice?: boolean;
  /** Raise the threshold where Codex gives a model less than its window (`compression.codex_gpt55_autoraise`). */
  readonly codexAutoraise: boolean;
  /** Whether the person has yet to hear that a threshold was raised (`gpt-5.4:50:85`), and from now on not; default: yes. */
  isUntold?(raise: string): Promise<boolean>;
  /** A window smaller than thought, in tokens, read from a provider's refusal; undefined when it names none. */
  learn?(refusal: string, request: ContextRequest): Promise<number | undefined>;
  /** A window that `learn` named, in tokens, with which a request then got through. Must not reject. */
  keepWindow?(model: ContextModel, tokens: number): Promise<void>;
}

const unknownWindow = 128_000;
/** Windows that are tried when a refusal names no number. */
const tiers = [128_000, 64_000, 32_000, 16_000, 8000] as const;
/** The threshold for `isRaised` models when `codexAutoraise` is on. */
const raisedThreshold = 0.85;
/** Families that Codex gives 272,000 tokens; others have more there. */
const capped = /^(?:.*\/)?gpt-5\.[456](?![^.-])/i;

export class Windows {
  readonly #options: WindowOptions;
  /** Windows that turned out smaller than thought, by model and address. */
  readonly #smaller = new Map<string, number>();
  /** Those of them that a refusal named and no request has shown to be right yet. */
  readonly #unproven = new Map<string, number>();
  /** Models whose raised threshold was told of. */
  readonly #told = new Set<string>();

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  of(model: ContextModel): number {
    return this.#smaller.get(keyOf(model)) ?? model.contextLength ?? unknownWindow;
  }

  threshold(model: ContextModel, window: number): number {
    return Math.floor(window * (this.isRaised(model) ? raisedThreshold : this.#options.threshold));
  }

  isRaised({ provider, model }: ContextModel): boolean {
    const { threshold, codexAutoraise } = this.#options;
    return codexAutoraise && threshold < raisedThreshold && provider === 'openai-codex' && capped.test(model);
  }

  /** The line that tells of a raised threshold, where the person is to hear of it. */
  async raisedLine(request: ContextModel, threshold: number, window: number): Promise<string | undefined> {
    const { codexAutoraiseNotice, threshold: share } = this.#options;
    if (codexAutoraiseNotice === false || !this.isRaised(request)) return undefined;
    const model = request.model.toLowerCase().split('/').at(-1) ?? '';
    const percents = [share, raisedThreshold].map((part) => Math.round(part * 100));
    if (this.#told.has(model)) return undefined;
    if ((await this.#options.isUntold?.([model, ...percents].join(':'))) === false) return undefined;
    this.#told.add(model);
    const count = (tokens: number) => tokens.toLocaleString('en-US');
    return `With ${request.model} on Codex the conversation is compressed at ${count(threshold)} of ${count(window)} tokens (${raisedThreshold * 100}%), whatever compression.threshold says. To have it earlier: hermes config set compression.codex_gpt55_autoraise false`;
  }

  /** The window after a refusal of so many tokens: what the provider named, else one step down. */
  async afterOverflow(request: ContextRequest, tokens: number): Promise<number> {
    const known = this.of(request);
    const named = await this.#options.learn?.(request.refusal ?? '', request);
    const smaller = named ?? (tokens < known * 0.9 ? tiers.find((tier) => tier < known) : known) ?? known;
    if (smaller >= known) return known;
    this.#smaller.set(keyOf(request), smaller);
    if (named !== undefined) this.#unproven.set(keyOf(request), named);
    return smaller;
  }

  /** A request got through: what was learned of the window is kept. */
  async proven(model: ContextModel): Promise<void> {
    const key = keyOf(model);
    const tokens = this.#unproven.get(key);
    if (tokens === undefined) return;
    this.#unproven.delete(key);
    await this.#options.keepWindow?.(model, tokens);
  }
}

function keyOf({ model, baseUrl }: ContextModel): string {
  return `${model}@${baseUrl}`;
}
