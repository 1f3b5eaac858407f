/** Messages that wait in memory: for surfaces whose person sees them until they are answered. */
import { UserError } from '../lib/errors.ts';
import type { Content } from '../llm/message.ts';
import type { NewMessage, PushOptions, QueuedMessage, WorkQueue } from '../sessions/work-queue.ts';

const maxWaiting = 100;

interface Entry {
  message: QueuedMessage;
  readonly first: boolean;
  taken: boolean;
}

/** See {@link WorkQueue}. Forgets everything when the process ends. */
export class MemoryWorkQueue implements WorkQueue {
  #entries: Entry[] = [];
  #count = 0;

  async push(message: NewMessage, { first = false }: PushOptions = {}): Promise<QueuedMessage> {
    const { sessionId } = message;
    if (!first && this.#waiting(sessionId).length >= maxWaiting) {
      throw new UserError(`${maxWaiting} messages wait already.`, { hint: 'Wait until some are answered.' });
    }
    this.#count += 1;
    const queued = { ...message, id: `q${this.#count}`, queuedAt: Date.now() };
    const entry = { message: queued, first, taken: false };
    const others = this.#entries.findIndex(
      (other) => other.message.sessionId === sessionId && !other.taken && !other.first,
    );
    this.#entries.splice(first && others !== -1 ? others : this.#entries.length, 0, entry);
    return queued;
  }

  async take(sessionId: string): Promise<QueuedMessage | undefined> {
    const entry = this.#waiting(sessionId)[0];
    if (entry !== undefined) entry.taken = true;
    return entry?.message;
  }

  async done(id: string): Promise<void> {
    this.#entries = this.#entries.filter(({ message }) => message.id !== id);
  }

  async putBack(id: string): Promise<void> {
    const entry = this.#entries.find(({ message }) => message.id === id);
    if (entry === undefined) return;
    this.#entries = [{ ...entry, taken: false }, ...this.#entries.filter((other) => other !== entry)];
  }

  async waiting(sessionId: string): Promise<readonly QueuedMessage[]> {
    return this.#waiting(sessionId).map(({ message }) => message);
  }

  async edit(id: string, content: Content): Promise<boolean> {
    const entry = this.#find(id);
    if (entry === undefined) return false;
    const { sent: _forgotten, ...message } = entry.message;
    entry.message = { ...message, content };
    return true;
  }

  async remove(id: string): Promise<boolean> {
    const found = this.#find(id) !== undefined;
    if (found) await this.done(id);
    return found;
  }

  async move(from: string, to: string): Promise<void> {
    for (const entry of this.#entries) {
      if (entry.message.sessionId === from) entry.message = { ...entry.message, sessionId: to };
    }
  }

  #waiting(sessionId: string): Entry[] {
    return this.#entries.filter(({ message, taken }) => message.sessionId === sessionId && !taken);
  }

  #find(id: string): Entry | undefined {
    return this.#entries.find(({ message, taken }) => message.id === id && !taken);
  }
}
