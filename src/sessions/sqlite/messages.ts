/** The table `messages`, in transactions. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { AroundOptions, MessagePlace, Messages, StoredMessage, TranscriptPart } from '../messages.ts';
import { READING, SAVING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { appendMessage, dropLastMessage, rewriteTranscript, storedMessages } from './message-log.ts';
import { readAround } from './read-around.ts';

export class SqliteMessages implements Messages {
  readonly #db: Connection;
  readonly #now: () => number;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  append(sessionId: string, message: HistoryMessage): Promise<number> {
    return this.#db.write(SAVING, () => appendMessage(this.#db, sessionId, message, this.#now()));
  }

  dropLast(sessionId: string): Promise<void> {
    return this.#db.write(SAVING, () => dropLastMessage(this.#db, sessionId));
  }

  async conversation(sessionId: string): Promise<HistoryMessage[]> {
    const stored = await this.list(sessionId);
    return stored.map(({ message }) => message);
  }

  list(sessionId: string): Promise<StoredMessage[]> {
    return this.#db.read(READING, () => storedMessages(this.#db, sessionId));
  }

  rewrite(sessionId: string, messages: readonly HistoryMessage[]): Promise<void> {
    return this.#db.write(SAVING, () => rewriteTranscript(this.#db, sessionId, messages, this.#now()));
  }

  readAround(place: MessagePlace, options: AroundOptions): Promise<TranscriptPart | undefined> {
    return this.#db.read(READING, () => readAround(this.#db, place, options));
  }
}
