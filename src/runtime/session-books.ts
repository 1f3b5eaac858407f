/** What one session costs: every request is booked, priced and held against the caps. */
import type { LoadedConfig } from '../config/load.ts';
import { isJsonObject } from '../lib/json.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { SideTask } from '../llm/side-task.ts';
import { type Cost, usageDelta } from '../sessions/store-transcript.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { SessionParts } from './session-parts.ts';
import { createPriceCheck, createPricing } from './pricing.ts';
import { allTokens, CappedSpending } from './spending.ts';

/** Requests beside a conversation may take this share of all its tokens, after a first allowance. */
const sideShare = 0.045;
const sideAllowance = 40_000;

export class SessionBooks {
  /** The caps, for the conversation; `spending.beside()` for a run beside it. */
  readonly spending: CappedSpending;
  /** The price of one request; the transcript books those of the conversation. */
  readonly cost: (usage: Usage, on: CalledModel) => Promise<Cost>;
  readonly #parts: Pick<SessionParts, 'store'>;
  readonly #sessionId: () => string;
  readonly #row: (() => NewSession) | undefined;
  #begun: string | undefined;
  #sideTokens = 0;

  /**
   * `parent` are those of the session that this one works for. `row`: what the session is stored as when something asks
   * beside it before its first message.
   */
  constructor(
    parts: Pick<SessionParts, 'store' | 'models' | 'config' | 'jobId'>,
    sessionId: () => string,
    { parent, row }: { readonly parent?: SessionBooks | undefined; readonly row?: () => NewSession } = {},
  ) {
    this.#parts = parts;
    this.#sessionId = sessionId;
    this.#row = row;
    this.cost = createPricing(parts.models);
    this.spending = new CappedSpending({
      limits: parts.config.config.limits,
      broken: brokenLimit(parts.config),
      priced: createPriceCheck(parts.models),
      store: parts.store,
      sessionId,
      ...(parts.jobId === undefined ? {} : { jobId: parts.jobId }),
      price: this.cost,
      now: () => new Date(),
      parent: parent?.spending,
    });
  }

  /** Books one request beside the conversation. The caps are told by whoever made it. */
  async recordSide(task: SideTask, usage: Usage, on: CalledModel): Promise<void> {
    this.#sideTokens += allTokens(usage);
    const cost = await this.cost(usage, on);
    await this.#begin();
    await this.#parts.store?.usage.add(this.#sessionId(), { ...usageDelta(usage, on), ...cost, task });
  }

  async #begin(): Promise<void> {
    const row = this.#row?.();
    if (row === undefined || row.id === this.#begun) return;
    await this.#parts.store?.sessions.create(row);
    this.#begun = row.id;
  }

  /** Whether so many more tokens beside a conversation of `mainTokens` keep to their share of it. */
  hasRoomBeside(tokens: number, mainTokens: number): boolean {
    return this.#sideTokens + tokens <= sideAllowance + sideShare * mainTokens;
  }
}

/** Why a limit that the user wrote would not be kept; nobody may spend on the strength of a misreading. */
function brokenLimit(config: LoadedConfig): string | undefined {
  const { bad, raw } = config;
  const { limits } = raw;
  if (limits === undefined || limits === null) return undefined;
  const unreadable = bad.find(({ path }) => path === 'limits' || path.startsWith('limits.'));
  const [key, what] =
    unreadable === undefined
      ? [
          isJsonObject(limits) ? config.unknownKeys().find((name) => name.startsWith('limits.')) : undefined,
          'is not a limit',
        ]
      : [unreadable.path, unreadable.reason];
  if (key === undefined) return undefined;
  return `Nothing was sent: ${key}: ${what}. Correct it with: hermes config set limits.<turn|session|job|day>_<tokens|usd> <number>, or take it out with: hermes config unset ${key}`;
}
