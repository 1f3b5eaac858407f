/** The table `messages`, in transactions. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { FencedWrite } from '../leases.ts';
import type { AroundOptions, Compacted, MessagePlace, Messages, StoredMessage, TranscriptPart } from '../messages.ts';
import { READING, SAVING } from './attempts.ts';
import { refuseShortenedElsewhere } from './compactions.ts';
import type { Connection } from './connection.ts';
import { refuseLost } from './leases.ts';
import {
  appendMessage,
  compactTranscript,
  newestMessage,
  rewriteTranscript,
  setAsideLast,
  storedMessages,
  undoFrom,
} from './message-log.ts';
import { readAround } from './read-around.ts';
import { setSystemPrompt } from './session-row.ts';

export class SqliteMessages implements Messages {
  readonly #db: Connection;
  readonly #now: () => number;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  append(sessionId: string, message: HistoryMessage, { fence }: FencedWrite = {}): Promise<number> {
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, sessionId, fence);
      return appendMessage(this.#db, sessionId, message, this.#now());
    });
  }

  setAsideLast(sessionId: string, { fence }: FencedWrite = {}): Promise<void> {
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, sessionId, fence);
      setAsideLast(this.#db, sessionId);
    });
  }

  async conversation(sessionId: string): Promise<HistoryMessage[]> {
    const stored = await this.list(sessionId);
    return stored.map(({ message }) => message);
  }

  newest(sessionId: string): Promise<number | undefined> {
    return this.#db.read(READING, () => newestMessage(this.#db, sessionId));
  }

  list(sessionId: string): Promise<StoredMessage[]> {
    return this.#db.read(READING, () => storedMessages(this.#db, sessionId));
  }

  rewrite(sessionId: string, messages: readonly HistoryMessage[], { fence }: FencedWrite = {}): Promise<void> {
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, sessionId, fence);
      rewriteTranscript(this.#db, sessionId, messages, this.#now());
    });
  }

  compact(sessionId: string, { messages, systemPrompt }: Compacted, write: FencedWrite = {}): Promise<void> {
    const { fence, compactionHolder } = write;
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, sessionId, fence);
      if (compactionHolder !== undefined) {
        refuseShortenedElsewhere(this.#db, sessionId, compactionHolder, this.#now());
      }
      compactTranscript(this.#db, sessionId, messages, this.#now());
      setSystemPrompt(this.#db, sessionId, systemPrompt);
    });
  }

  undoFrom(sessionId: string, messageId: number, { fence }: FencedWrite = {}): Promise<number> {
    return this.#db.write(SAVING, () => {
      refuseLost(this.#db, sessionId, fence);
      return undoFrom(this.#db, sessionId, messageId);
    });
  }

  readAround(place: MessagePlace, options: AroundOptions): Promise<TranscriptPart | undefined> {
    return this.#db.read(READING, () => readAround(this.#db, place, options));
  }
}
