/** The table `chat_questions`, in transactions. */
import * as z from 'zod';
import type { ChatQuestion, ChatQuestions, KeptQuestion } from '../chat-questions.ts';
import { READING } from './attempts.ts';
import { numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { hasTable, type OwnTable } from './own-tables.ts';

const KEPT_MS = 24 * 3_600_000;
const MAX_LAPSED = 1000;
/** More are not open at the same time: whoever asks has a lower limit. */
const MAX_READ = 10_000;

export const questions: OwnTable = {
  name: 'chat_questions',
  columns: {
    id: 'TEXT PRIMARY KEY',
    session_key: 'TEXT NOT NULL',
    platform: 'TEXT NOT NULL',
    chat_id: 'TEXT NOT NULL',
    thread_id: 'TEXT',
    person: 'TEXT',
    kind: 'TEXT NOT NULL',
    text: 'TEXT NOT NULL',
    digest: 'TEXT NOT NULL',
    message_id: 'TEXT',
    asked_at: 'INTEGER NOT NULL',
    // Null while it can be answered.
    lapsed_at: 'INTEGER',
  },
  indexes: ['idx_chat_questions_lapsed ON chat_questions(lapsed_at) WHERE lapsed_at IS NOT NULL'],
};

export class SqliteChatQuestions implements ChatQuestions {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #clock: { now(): number };

  constructor(db: Connection, writes: DurableWrites, clock: { now(): number }) {
    this.#db = db;
    this.#writes = writes;
    this.#clock = clock;
  }

  add(question: ChatQuestion): Promise<void> {
    const { id, sessionKey, platform, chatId, threadId, person, kind, text: shown, digest } = question;
    const sql = `INSERT INTO chat_questions (id, session_key, platform, chat_id, thread_id, person, kind, text, digest,
        asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    return this.#write(() => {
      this.#forgetOld();
      const now = this.#clock.now();
      this.#db.run(sql, id, sessionKey, platform, chatId, threadId, person, kind, shown, digest, now);
    });
  }

  shown(id: string, messageId: string): Promise<void> {
    return this.#write(() => void this.#db.run('UPDATE chat_questions SET message_id = ? WHERE id = ?', messageId, id));
  }

  lapse(id: string): Promise<void> {
    const sql = 'UPDATE chat_questions SET lapsed_at = ? WHERE id = ? AND lapsed_at IS NULL';
    return this.#write(() => void this.#db.run(sql, this.#clock.now(), id));
  }

  end(id: string): Promise<void> {
    return this.#write(() => void this.#db.run('DELETE FROM chat_questions WHERE id = ?', id));
  }

  kept(): Promise<readonly KeptQuestion[]> {
    const sql = 'SELECT * FROM chat_questions ORDER BY asked_at, rowid LIMIT ?';
    return this.#db.read(READING, () =>
      hasTable(this.#db, questions) ? this.#db.all(sql, MAX_READ).map(readRow) : [],
    );
  }

  #write(work: () => void): Promise<void> {
    return this.#writes.write([questions], work);
  }

  #forgetOld(): void {
    this.#db.run('DELETE FROM chat_questions WHERE lapsed_at < ?', this.#clock.now() - KEPT_MS);
    this.#db.run(
      `DELETE FROM chat_questions WHERE lapsed_at IS NOT NULL AND id NOT IN
         (SELECT id FROM chat_questions WHERE lapsed_at IS NOT NULL ORDER BY lapsed_at DESC LIMIT ${MAX_LAPSED})`,
    );
  }
}

/** A kind of a newer version is a question like any other. */
const kinds = z.enum(['approval', 'confirmation', 'question']).catch('question');

function readRow(row: Row): KeptQuestion {
  return {
    id: text(row, 'id'),
    sessionKey: text(row, 'session_key'),
    platform: text(row, 'platform'),
    chatId: text(row, 'chat_id'),
    threadId: textOrNull(row, 'thread_id'),
    person: textOrNull(row, 'person'),
    kind: kinds.parse(row['kind']),
    text: text(row, 'text'),
    digest: text(row, 'digest'),
    messageId: textOrNull(row, 'message_id'),
    lapsedAt: numberOrNull(row, 'lapsed_at'),
  };
}
