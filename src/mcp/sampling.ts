/** Requests of servers to the model of the conversation that calls them: bounded, counted, and in its books. */
import type { Log } from '../lib/log.ts';
import type { SideAnswer } from '../llm/side-task.ts';
import type { Callers } from './callers.ts';
import { askedRequest, sampledAnswer, type SampleRequest } from './sampling-messages.ts';
import type { SamplingSettings, ServerSettings } from './settings.ts';

const windowMs = 60_000;

/** What a server has used so far. */
export interface SamplingTotals {
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly toolUses: number;
}

export class Sampling {
  readonly #name: string;
  readonly #settings: SamplingSettings;
  readonly #callers: Callers;
  readonly #log: Log;
  readonly #now: () => number;
  /** When the requests of the last minute came. */
  #times: number[] = [];
  /** Answers in a row that only call tools. */
  #toolRounds = 0;
  #totals: SamplingTotals = { requests: 0, errors: 0, tokens: 0, toolUses: 0 };

  constructor(
    { name, sampling }: Pick<ServerSettings, 'name' | 'sampling'>,
    callers: Callers,
    log: Log,
    now: () => number = () => performance.now(),
  ) {
    this.#name = name;
    this.#settings = sampling;
    this.#callers = callers;
    this.#log = log.named('sampling');
    this.#now = now;
  }

  get totals(): SamplingTotals {
    return this.#totals;
  }

  /** Rejects with the line that the server is told. */
  async answer(params: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    this.#count({ requests: 1 });
    try {
      return await this.#answer(params, signal);
    } catch (error) {
      this.#count({ errors: 1 });
      this.#audit(`refused: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }

  async #answer(params: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { max_rpm: perMinute, max_tokens_cap: cap, timeout, max_tool_rounds: maxRounds } = this.#settings;
    const now = this.#now();
    this.#times = this.#times.filter((time) => now - time < windowMs);
    if (this.#times.length >= perMinute) {
      throw new Error(`Sampling rate limit exceeded for server '${this.#name}' (${perMinute} requests/minute)`);
    }
    this.#times.push(now);
    const request = askedRequest(params);
    const caller = this.#callers.only;
    // Whose model and whose budget it would be is known while a call runs alone.
    if (caller?.session.side === undefined)
      throw new Error('Sampling is possible only while a tool of this server runs');
    const model = this.#modelOf(request);
    const within = AbortSignal.any([signal, caller.context.signal, AbortSignal.timeout(timeout * 1000)]);
    const maxTokens = Math.min(request.maxTokens ?? cap, cap);
    const answered = await caller.session.side.ask(
      'mcp',
      { ...request.side, maxTokens, ...(model === undefined ? {} : { model }) },
      within,
    );
    this.#countRounds(answered, maxRounds);
    this.#count({
      tokens: answered.usage === undefined ? 0 : tokensOf(answered.usage),
      toolUses: answered.toolCalls.length,
    });
    this.#audit(`answered with ${answered.model}, at most ${maxTokens} tokens`);
    return sampledAnswer(answered, caller.session.redact);
  }

  #modelOf({ hint }: SampleRequest): string | undefined {
    const { model = hint, allowed_models: allowed } = this.#settings;
    if (model !== undefined && allowed.length > 0 && !allowed.includes(model)) {
      throw new Error(`Model '${model}' is not allowed for server '${this.#name}'. Allowed: ${allowed.join(', ')}`);
    }
    return model;
  }

  #countRounds({ toolCalls }: SideAnswer, maxRounds: number): void {
    if (toolCalls.length === 0) {
      this.#toolRounds = 0;
      return;
    }
    if (maxRounds === 0) throw new Error(`Tool loops disabled for server '${this.#name}' (max_tool_rounds=0)`);
    this.#toolRounds += 1;
    if (this.#toolRounds <= maxRounds) return;
    this.#toolRounds = 0;
    throw new Error(`Tool loop limit exceeded for server '${this.#name}' (max ${maxRounds} rounds)`);
  }

  #count(more: Partial<SamplingTotals>): void {
    const { requests, errors, tokens, toolUses } = this.#totals;
    this.#totals = {
      requests: requests + (more.requests ?? 0),
      errors: errors + (more.errors ?? 0),
      tokens: tokens + (more.tokens ?? 0),
      toolUses: toolUses + (more.toolUses ?? 0),
    };
  }

  #audit(line: string): void {
    this.#log[this.#settings.log_level](`${this.#name}: ${line}`);
  }
}

function tokensOf(usage: NonNullable<SideAnswer['usage']>): number {
  return usage.input + usage.output;
}
