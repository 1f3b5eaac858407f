/** Turns over the API: so many at a time as may be, in order within a conversation, each ended when nobody wants it. */
import { randomBytes } from 'node:crypto';
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import type { Human } from '../../agent/human.ts';
import { describeHolder } from '../../worker/lease-words.ts';
import { UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { Content, HistoryMessage } from '../../llm/message.ts';
import type { Usage } from '../../llm/protocol.ts';
import type { Program } from '../../runtime/program.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import { HttpError } from '../answers.ts';
import type { GatewayView } from './gateway-view.ts';
import type { LiveSettings } from './live-settings.ts';
import { type Conversation, OpenConversations } from './open-conversations.ts';
import { tellsTheSame } from './session-rows.ts';
import { TurnOrder } from './turn-order.ts';

export interface TurnRequest {
  readonly sessionId: string;
  readonly input: Content;
  /** For this turn, after the prompt of the agent. */
  readonly system: string;
  /** What was said before, as the client tells it; undefined: as it is stored. */
  readonly history?: readonly HistoryMessage[] | undefined;
  /** As the request names it: counts when it is an alias. */
  readonly model?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** Who is asked; default: nobody. */
  readonly human?: Human;
}

/** Tokens of all requests of the turn. */
export interface TurnUsage {
  readonly input: number;
  readonly output: number;
}

export interface TurnOutcome {
  /** Where the conversation goes on. */
  readonly sessionId: string;
  readonly result: TurnResult;
  readonly usage: TurnUsage;
  /** The conversation with this turn, tool calls and results too. */
  readonly history: readonly HistoryMessage[];
}

export interface TurnsParts {
  readonly program: Program;
  readonly settings: LiveSettings;
  readonly gateway?: GatewayView | undefined;
  /** An answer as its reader is to see it. */
  readonly shown?: ((text: string) => Promise<string>) | undefined;
}

/** A place among the turns that run; to be left once, however the turn ended. */
export interface Place {
  readonly leave: () => void;
}

export class Turns {
  readonly #parts: TurnsParts;
  readonly #open: OpenConversations;
  readonly #order = new TurnOrder();
  /** Ends all turns. */
  readonly #stop = new AbortController();
  #active = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
    this.#open = new OpenConversations(parts.program);
  }

  get active(): number {
    return this.#active;
  }

  /** Throws `HttpError` while the server stops, and with `limited` when as many run as may. */
  admit({ limited }: { readonly limited: boolean }): Place {
    if (this.#draining || this.#parts.gateway?.draining === true) throw draining();
    const { maxTurns } = this.#parts.settings.known;
    if (limited && maxTurns > 0 && this.#active >= maxTurns) {
      throw new HttpError(429, `${maxTurns} turns run already (gateway.api_server.max_concurrent_runs).`, {
        code: 'rate_limit_exceeded',
        headers: { 'retry-after': '1' },
      });
    }
    this.#active += 1;
    let left = false;
    return {
      leave: () => {
        if (left) return;
        left = true;
        this.#active -= 1;
        if (this.#active === 0) this.#onIdle?.();
      },
    };
  }

  /** The answer as its reader is to see it; what is stored stays as the model said it. */
  async shown(answer: string): Promise<string> {
    return (await this.#parts.shown?.(answer)) ?? answer;
  }

  /** True while a turn of the conversation runs or waits. */
  isBusy(sessionId: string): boolean {
    return this.#order.isBusy(sessionId);
  }

  /** For a conversation that nobody has named. */
  newId(): string {
    return `api-${randomBytes(8).toString('hex')}`;
  }

  /** The id under which a conversation goes on now. */
  async liveId(id: string): Promise<string> {
    if (this.#open.has(id)) return id;
    const { store } = this.#parts.program;
    // By its id alone: a title or the beginning of an id must not lead to somebody else's.
    if ((await store?.sessions.get(id)) === undefined) return id;
    return (await store?.sessions.resolve(id))?.id ?? id;
  }

  /**
   * Waits for the turns before it and runs to its end; aborting `signal` ends it, which is a result too. `hear` gets every
   * event. Throws `HttpError` when the conversation is held by another process, and `UserError` for a model that cannot be
   * had.
   */
  async run(request: TurnRequest, hear: (event: AgentEvent) => void, signal: AbortSignal): Promise<TurnOutcome> {
    const either = AbortSignal.any([signal, this.#stop.signal]);
    const { id, leave } = await this.#enter(request.sessionId, either);
    try {
      const conversation = await this.#conversation(id, request);
      let isWell = false;
      try {
        const outcome = await new RunningTurn(conversation, request, hear).run(either);
        isWell = true;
        return outcome;
      } finally {
        if (isWell) this.#open.giveBack(conversation);
        else await this.#open.close(conversation);
      }
    } finally {
      leave();
    }
  }

  /** Puts a conversation down, so that others can change what is stored of it. Throws when a turn of it runs. */
  async alone<T>(id: string, change: () => Promise<T>): Promise<T> {
    if (this.isBusy(id)) throw busy(id);
    const leave = await this.#order.enter(id, this.#stop.signal);
    try {
      await this.#open.putDown(id);
      return await change();
    } finally {
      leave();
    }
  }

  /** Takes nothing new; ends what still runs when `signal` aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#draining = true;
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    // Whoever has not begun yet is told so.
    const stop = (): void => this.#stop.abort(draining());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    if (this.#active > 0) await idle;
    signal.removeEventListener('abort', stop);
    await this.#open.closeAll();
  }

  /** A conversation that moved on while it was waited for is waited for under its new id. */
  async #enter(asked: string, signal: AbortSignal): Promise<{ readonly id: string; readonly leave: () => void }> {
    for (let id = await this.liveId(asked); ; ) {
      const waits = this.#order.isBusy(id);
      const leave = await this.#order.enter(id, signal);
      const live = waits ? await this.liveId(asked) : id;
      if (live === id) return { id, leave };
      leave();
      id = live;
    }
  }

  async #conversation(id: string, { history, model, sessionKey }: TurnRequest): Promise<Conversation> {
    const { program, settings } = this.#parts;
    const alias = model === undefined ? undefined : settings.known.aliases[model];
    const isOpen = this.#open.has(id);
    try {
      return await this.#open.take({
        id,
        row: isOpen ? undefined : await program.store?.sessions.get(id),
        alias: alias === undefined || model === undefined ? undefined : { name: model, model: alias },
        person: sessionKey,
        history,
      });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      // No fault of whoever asked: a model or a key is missing here.
      throw new HttpError(500, maskKeys(error.message), { cause: error });
    }
  }
}

function draining(): HttpError {
  return new HttpError(503, 'The gateway is draining and takes no new work.', {
    code: 'gateway_draining',
    headers: { 'retry-after': '1' },
  });
}

export function busy(id: string): HttpError {
  return new HttpError(409, `A turn of session ${id} is running; try again when it has ended.`, {
    code: 'session_busy',
    headers: { 'retry-after': '1' },
  });
}

/** One turn on an open conversation that is this turn's alone. */
class RunningTurn {
  readonly #conversation: Conversation;
  readonly #request: TurnRequest;
  readonly #hear: (event: AgentEvent) => void;
  #usage = { input: 0, output: 0 };

  constructor(conversation: Conversation, request: TurnRequest, hear: (event: AgentEvent) => void) {
    this.#conversation = conversation;
    this.#request = request;
    this.#hear = hear;
  }

  async run(signal: AbortSignal): Promise<TurnOutcome> {
    await this.#prepare(signal);
    const { worker } = this.#conversation;
    const stop = (): void => worker.interrupt();
    const ended = Promise.withResolvers<TurnResult>();
    // It may be over before it is waited for.
    ended.promise.catch(() => undefined);
    let result: TurnResult | undefined;
    const end = worker.listen((event) => {
      // Idle after the turn: what it was asked for is done, and the next one may begin.
      if (event.type === 'idle' && result !== undefined) ended.resolve(result);
      else result = this.#take(event, ended.reject) ?? result;
    });
    try {
      signal.throwIfAborted();
      signal.addEventListener('abort', stop, { once: true });
      await worker.submit({ content: this.#request.input });
      const { session } = worker;
      return { result: await ended.promise, usage: this.#usage, sessionId: session.id, history: session.agent.history };
    } finally {
      signal.removeEventListener('abort', stop);
      end();
    }
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { worker, human, extra } = this.#conversation;
    const { system, history: told } = this.#request;
    const { session } = worker;
    const history = told === undefined ? undefined : await session.prompt.seeHistory(told, signal);
    session.prompt.extra = [extra, system].filter((text) => text !== '').join('\n\n');
    if (this.#request.human !== undefined) human.asks = this.#request.human;
    if (history === undefined || tellsTheSame(session.agent.history, history)) return;
    // In this process alone: the store keeps all that was ever said.
    session.agent.replaceHistory(history);
    this.#conversation.apart = true;
  }

  /** The result, once it is there. */
  #take(event: WorkerEvent, fail: (error: Error) => void): TurnResult | undefined {
    switch (event.type) {
      case 'message_failed':
        fail(new HttpError(500, maskKeys(event.error)));
        return undefined;
      case 'held_elsewhere':
        fail(new HttpError(409, describeHolder(event.by), { code: 'session_busy' }));
        return undefined;
      case 'message_taken':
      case 'queue_changed':
      case 'idle':
      case 'held_here':
        return undefined;
      default:
        if (event.type === 'usage') this.#count(event.usage);
        this.#hear(event);
        return event.type === 'turn_finished' ? event.result : undefined;
    }
  }

  #count({ input, cacheRead, cacheWrite, output }: Usage): void {
    const { input: before, output: said } = this.#usage;
    this.#usage = { input: before + input + cacheRead + cacheWrite, output: said + output };
  }
}
