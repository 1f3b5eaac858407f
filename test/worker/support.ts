/** A worker on a real store, with an agent whose turns the test ends. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Agent, TurnInput } from '../../src/agent/agent.ts';
import type { AgentEvent, TokenTotals, TurnEnd, TurnResult } from '../../src/agent/events.ts';
import { type Content, type HistoryMessage, textOf } from '../../src/llm/message.ts';
import type { ModelRoute } from '../../src/llm/protocol.ts';
import type { Session } from '../../src/runtime/session.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { MemoryWorkQueue } from '../../src/worker/memory-work-queue.ts';
import { SessionLease } from '../../src/worker/session-lease.ts';
import { SessionWorker, type SessionWorkerOptions } from '../../src/worker/session-worker.ts';
import type { WorkerEvent } from '../../src/worker/worker.ts';
import { temporaryStore } from '../sessions/support.ts';

const noTokens: TokenTotals = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  last_prompt_tokens: 0,
};

/** Keeps what it is told and answers when the test says so. */
export class ScriptedAgent implements Agent {
  sessionId = 'one';
  history: readonly HistoryMessage[] = [];
  readonly route = { provider: 'p', model: 'm', baseUrl: '' } as ModelRoute;
  readonly tokens = noTokens;
  readonly compactionCount = 0;
  readonly settings = { reasoningEffort: undefined, priority: false };
  /** What turns were begun with, in order. */
  readonly inputs: TurnInput[] = [];
  readonly interrupts: (string | undefined)[] = [];
  late: string | undefined;
  /** Nothing can be stored. */
  refuses = false;
  #end: ((end: TurnEnd | AgentEvent) => void) | undefined;

  get busy(): boolean {
    return this.#end !== undefined;
  }

  async *run(
    given: Content | TurnInput,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<AgentEvent, TurnResult> {
    assert.ok(!this.busy, 'two turns at once');
    const input = typeof given === 'object' && 'content' in given ? given : { content: given };
    this.inputs.push(input);
    if (input.stored !== true) this.history = [...this.history, { role: 'user', content: input.content }];
    try {
      let said = this.#listen();
      if (signal?.aborted === true) this.interrupt();
      yield { type: 'turn_started', turnId: 't', sessionId: this.sessionId };
      if (this.refuses) {
        const refused = { turnId: 't', apiCalls: 0, provider: 'p', model: 'm', baseUrl: '', tokens: noTokens };
        const result = { ...refused, ended: 'failed', finalResponse: null, error: 'the store refuses it' } as const;
        yield { type: 'turn_finished', result };
        return result;
      }
      yield { type: 'message_stored', id: 'm', role: 'user', kind: input.kind ?? 'said' };
      for (;;) {
        const next = await said;
        if ('ended' in next) {
          this.history = [...this.history, { role: 'assistant', content: next.finalResponse }];
          const facts = { turnId: 't', apiCalls: 1, provider: 'p', model: 'm', baseUrl: '', tokens: noTokens };
          const result = { ...facts, ...next };
          yield { type: 'turn_finished', result };
          return result;
        }
        if (next.type === 'session_moved') this.sessionId = next.to;
        said = this.#listen();
        yield next;
      }
    } finally {
      this.#end = undefined;
    }
  }

  #listen(): Promise<TurnEnd | AgentEvent> {
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Ends the running turn with an answer. */
  answer(text = 'done'): void {
    assert.ok(this.#end, 'no turn runs');
    this.#end({ ended: 'completed', finalResponse: text });
  }

  /** Lets the running turn say something. */
  say(event: AgentEvent): void {
    assert.ok(this.#end, 'no turn runs');
    this.#end(event);
  }

  interrupt(message?: string): void {
    if (this.#end === undefined) return;
    this.interrupts.push(message);
    this.#end({ ended: 'interrupted', finalResponse: 'half' });
  }

  steer(): boolean {
    return this.busy;
  }

  takeLateSteering(): TurnInput | undefined {
    const { late } = this;
    this.late = undefined;
    return late === undefined ? undefined : { content: late };
  }

  replaceHistory(history: readonly HistoryMessage[]): void {
    assert.ok(!this.busy, 'the history changes under a turn');
    this.history = history;
  }

  runConversation = () => assert.fail('not used');
  chat = () => assert.fail('not used');
  leaveNote(): void {
    // Nobody reads it.
  }

  switchRoute = () => assert.fail('not used');
  compress = () => assert.fail('not used');
}

export interface Driven {
  readonly worker: SessionWorker;
  readonly agent: ScriptedAgent;
  readonly store: SessionStore;
  readonly events: WorkerEvent[];
  /** What the agent was given so far, as text. */
  readonly said: () => string[];
  /** Resolves with the next event of a type, or one that was there since the last call. */
  readonly next: <Type extends WorkerEvent['type']>(type: Type) => Promise<Extract<WorkerEvent, { type: Type }>>;
}

/** A stored session `one` and its worker, which is closed after the test. `holder` tells workers of one store apart. */
export async function driven(
  t: TestContext,
  options: Partial<SessionWorkerOptions> & {
    readonly store?: SessionStore;
    readonly holder?: string;
    readonly renewEveryMs?: number;
  } = {},
): Promise<Driven> {
  const store = options.store ?? (await temporaryStore(t));
  await store.sessions.create({ id: 'one', source: 'test' });
  const agent = new ScriptedAgent();
  const session = { agent, source: 'test' } as unknown as Session;
  Object.defineProperty(session, 'id', { get: () => agent.sessionId });
  const lease = new SessionLease(store.leases, {
    holder: options.holder ?? 'first',
    renewEveryMs: options.renewEveryMs ?? 20,
    pollEveryMs: 10,
  });
  const worker = new SessionWorker({ session, queue: new MemoryWorkQueue(), stored: { store, lease }, ...options });
  t.after(() => worker.close());
  const events: WorkerEvent[] = [];
  const waiting = new Map<string, (event: WorkerEvent) => void>();
  let read = 0;
  worker.listen((event) => {
    events.push(event);
    const resolve = waiting.get(event.type);
    if (resolve === undefined) return;
    waiting.delete(event.type);
    read = events.length;
    resolve(event);
  });
  return {
    worker,
    agent,
    store,
    events,
    said: () => agent.inputs.map(({ content }) => textOf(content)),
    next(type) {
      type Wanted = Extract<WorkerEvent, { type: typeof type }>;
      const found = events.findIndex((event, index) => index >= read && event.type === type);
      if (found === -1) {
        return new Promise((resolve) => waiting.set(type, (event) => resolve(event as Wanted)));
      }
      read = found + 1;
      return Promise.resolve(events[found] as Wanted);
    },
  };
}
