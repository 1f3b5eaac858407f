/** How a surface drives a session: one turn at a time, whoever speaks and whenever. */
import type { TurnInput } from '../agent/agent.ts';
import type { CompressRequest, Fit } from '../agent/context/engine.ts';
import type { AgentEvent } from '../agent/events.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { Session } from '../runtime/session.ts';
import type { LeaseHolder } from '../sessions/leases.ts';
import type { QueuedMessage } from '../sessions/work-queue.ts';

/** What happens to a message that comes while a turn runs (`display.busy_input_mode`). */
export type BusyMode = 'interrupt' | 'queue' | 'steer';

/** What became of a message. */
export type Submitted =
  /** Its turn begins now. */
  | { readonly as: 'turn' }
  /** It waits for the running turn, or interrupts it and comes next. */
  | { readonly as: 'queued' | 'interrupting'; readonly message: QueuedMessage }
  /** The running turn reads it before its next request. */
  | { readonly as: 'steered' };

/** Everything that a surface may show, in order. */
export type WorkerEvent =
  | AgentEvent
  /** A message leaves the queue, and its turn begins. */
  | { readonly type: 'message_taken'; readonly message: QueuedMessage }
  /** It gets no turn: it could not be prepared, was stopped before, or may not be sent. `error` is one line for people. */
  | { readonly type: 'message_failed'; readonly message: QueuedMessage; readonly error: string }
  | { readonly type: 'queue_changed'; readonly waiting: readonly QueuedMessage[] }
  /** Nothing runs and nothing waits. */
  | { readonly type: 'idle' }
  /** Another process continues this conversation; nothing is run until a surface decides. */
  | { readonly type: 'held_elsewhere'; readonly by: LeaseHolder }
  /**
   * This process continues it again, with what was said elsewhere meanwhile. With `movedTo` it went on under another id:
   * that session has to be opened in the place of this one, and what waits goes along.
   */
  | { readonly type: 'held_here'; readonly movedTo?: string };

/** What a surface decides when a conversation is held elsewhere: `read` shows it and sends nothing. */
export type LeaseChoice = 'wait' | 'take_over' | 'read';

/**
 * Must run one turn at a time and keep the order of what was said. Must never lose a message: what is not answered waits,
 * or its end is told. A surface drives sessions through this alone.
 *
 * @example
 * const worker = await openWorker(program, { surface: 'cli', human }, { queue: new MemoryWorkQueue() });
 * worker.listen((event) => show(event));
 * await worker.submit({ content: 'hello' });
 */
export interface Worker {
  readonly session: Session;
  readonly busy: boolean;
  /**
   * Hears every event until the returned function is called, beginning with that the conversation is held elsewhere if it
   * is. A listener that throws is not called again.
   */
  listen(listener: (event: WorkerEvent) => void): () => void;
  /**
   * Hands a message over; `mode` counts while a turn runs. An input without sources is as a person typed it, and is
   * prepared when its turn begins. Throws `UserError` when the queue is full or the conversation is only read.
   */
  submit(input: TurnInput, mode?: BusyMode): Promise<Submitted>;
  /** Tells the agent something that no person said, as soon as it is idle; several are one message. */
  tell(news: string): void;
  /** Stops the running turn; what it had said is kept. No effect when idle. */
  interrupt(): void;
  /** Messages that wait, oldest first; they can be changed and taken out. */
  waiting(): Promise<readonly QueuedMessage[]>;
  edit(id: string, text: string): Promise<boolean>;
  remove(id: string): Promise<boolean>;
  /**
   * Puts another history in the place of the conversation, in the store first. With `answer` its last message, a question,
   * gets a turn. Throws `UserError` while a turn runs.
   */
  replaceHistory(history: readonly HistoryMessage[], options?: { readonly answer?: boolean }): Promise<void>;
  /** Shortens the conversation now. Throws `UserError` while a turn runs, and when somebody else continues it. */
  compress(request: CompressRequest, signal?: AbortSignal): Promise<Fit>;
  /** Decides what becomes of a conversation that is held elsewhere; `wait` returns at once. */
  choose(choice: LeaseChoice): Promise<void>;
  /** Resolves when nothing runs and nothing waits, or when it was closed. */
  settled(): Promise<void>;
  /** Starts no more turns, stops the running one and gives the lease back; resolves when its last message is stored. */
  close(): Promise<void>;
}
