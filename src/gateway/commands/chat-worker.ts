/** The worker of a chat as commands see it: what they hand over is written down and gets its turn like any message. */
import type { TurnInput } from '../../agent/agent.ts';
import type { CompressRequest, Fit } from '../../agent/context/engine.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { Session } from '../../runtime/session.ts';
import type { QueuedMessage } from '../../sessions/work-queue.ts';
import type { BusyMode, LeaseChoice, Submitted, Worker, WorkerEvent } from '../../worker/worker.ts';
import type { AskedInput } from '../chats/chat-deps.ts';

/** A turn that the worker began by itself would be answered to nobody. */
export class ChatWorker implements Worker {
  readonly #worker: Worker;
  readonly #ask: (asked: AskedInput) => Promise<void>;

  constructor(worker: Worker, ask: (asked: AskedInput) => Promise<void>) {
    this.#worker = worker;
    this.#ask = ask;
  }

  get session(): Session {
    return this.#worker.session;
  }

  get busy(): boolean {
    return this.#worker.busy;
  }

  listen(listener: (event: WorkerEvent) => void): () => void {
    return this.#worker.listen(listener);
  }

  async submit(input: TurnInput, mode?: BusyMode): Promise<Submitted> {
    const { busy } = this.#worker;
    // What comes too late for the turn is kept by the chat.
    if (busy && mode === 'steer') return await this.#worker.submit(input, mode);
    await this.#ask(input);
    if (!busy) return { as: 'turn' };
    const { content } = input;
    const sessionId = this.session.id;
    return { as: 'queued', message: { id: '', sessionId, content, kind: 'said', sources: [], queuedAt: Date.now() } };
  }

  tell(news: string): void {
    this.#worker.tell(news);
  }

  interrupt(): void {
    this.#worker.interrupt();
  }

  async waiting(): Promise<readonly QueuedMessage[]> {
    return await this.#worker.waiting();
  }

  async edit(id: string, text: string): Promise<boolean> {
    return await this.#worker.edit(id, text);
  }

  async remove(id: string): Promise<boolean> {
    return await this.#worker.remove(id);
  }

  async replaceHistory(
    history: readonly HistoryMessage[],
    { answer = false }: { readonly answer?: boolean } = {},
  ): Promise<void> {
    const question = answer ? history.at(-1) : undefined;
    await this.#worker.replaceHistory(history);
    if (question?.role === 'user') await this.#ask({ content: question.content, stored: true });
  }

  async compress(request: CompressRequest, signal?: AbortSignal): Promise<Fit> {
    return await this.#worker.compress(request, signal);
  }

  async choose(choice: LeaseChoice): Promise<void> {
    await this.#worker.choose(choice);
  }

  async settled(): Promise<void> {
    await this.#worker.settled();
  }

  async close(): Promise<void> {
    await this.#worker.close();
  }
}
