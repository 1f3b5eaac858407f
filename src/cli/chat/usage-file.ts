/** `--usage-file`: what a one-shot answer took, as JSON for the program that asked; written however it ended. */
import { dirname, resolve } from 'node:path';
import type { TokenTotals, TurnResult } from '../../agent/events.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { Session } from '../../runtime/session.ts';
import type { SessionRow } from '../../sessions/sessions.ts';

const nothing: Pick<TokenTotals, CountedTokens> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 0,
};
type CountedTokens =
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_tokens'
  | 'cache_write_tokens'
  | 'reasoning_tokens'
  | 'total_tokens';

/** Collects what is known as the run goes on. */
export class UsageFile {
  readonly #path: string;
  #session: Session | undefined;
  #usdBefore = 0;
  #result: TurnResult | undefined;
  #row: SessionRow | undefined;

  constructor(path: string) {
    this.#path = resolve(path);
  }

  /** The conversation that the question is asked in; what it cost before is not counted. */
  async begin(session: Session): Promise<void> {
    this.#session = session;
    this.#usdBefore = (await session.row())?.estimated_cost_usd ?? 0;
  }

  end(result: TurnResult): void {
    this.#result = result;
  }

  /** To be called before the session closes: what it cost is asked of its store. */
  async settle(): Promise<void> {
    this.#row = await this.#session?.row();
  }

  /** `failure`: why there is no answer. Throws `UserError` when the file cannot be written. */
  write(failure?: unknown): void {
    const report = this.#report(failure);
    try {
      makeDirectories(dirname(this.#path));
      writeFileAtomic(this.#path, `${JSON.stringify(report, null, 2)}\n`);
    } catch (error) {
      throw new UserError(`cannot write the usage to ${this.#path}: ${errorMessage(error)}`, { cause: error });
    }
  }

  #report(failure: unknown) {
    const result = this.#result;
    const row = this.#row;
    const tokens = result?.tokens ?? nothing;
    const why = failure === undefined ? errorOf(result) : errorMessage(failure);
    return {
      estimated_cost_usd: (row?.estimated_cost_usd ?? 0) - this.#usdBefore,
      cost_status: row?.cost_status ?? 'unknown',
      cost_source: row?.cost_source ?? 'none',
      input_tokens: tokens.input_tokens,
      output_tokens: tokens.output_tokens,
      cache_read_tokens: tokens.cache_read_tokens,
      cache_write_tokens: tokens.cache_write_tokens,
      reasoning_tokens: tokens.reasoning_tokens,
      total_tokens: tokens.total_tokens,
      api_calls: result?.apiCalls ?? 0,
      model: result?.model ?? this.#session?.agent.route.model ?? null,
      provider: result?.provider ?? this.#session?.agent.route.provider ?? null,
      session_id: this.#session?.id ?? null,
      completed: result?.ended === 'completed',
      failed: failure !== undefined || result === undefined || result.ended === 'failed',
      service_tier: this.#session?.agent.settings.priority === true ? 'priority' : null,
      ...(why === undefined ? {} : { failure: why }),
    };
  }
}

function errorOf(result: TurnResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  if (result.ended === 'interrupted') return 'interrupted';
  return 'error' in result ? result.error : undefined;
}
