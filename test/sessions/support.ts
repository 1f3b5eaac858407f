/** Stores in temporary directories, and a look into their files with nothing but SQLite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { HistoryMessage } from '../../src/llm/message.ts';
import type { SessionStore, StoreOptions } from '../../src/sessions/session-store.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';

/** A directory that is removed after the test. */
export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-sessions-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that is closed after the test; `path` is its file. */
export async function temporaryStore(
  t: TestContext,
  options: StoreOptions & { path?: string } = {},
): Promise<SessionStore & { path: string }> {
  const path = options.path ?? join(temporaryDirectory(t), 'state.db');
  const store = await openSessionStore({ kind: 'sqlite', path }, options);
  t.after(() => store.close());
  return Object.assign(store, { path });
}

/** Rows of a query on the file, read with SQLite alone. */
export function query<Row = Record<string, unknown>>(path: string, sql: string, ...values: SQLInputValue[]): Row[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all(...values) as Row[];
  } finally {
    db.close();
  }
}

/** Runs a script of statements on the file. */
export function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** A clock that stands still until it is told to move; starts at 2026-01-01 00:00:00 UTC. */
export function manualClock(): { now(): number; advance(milliseconds: number): void } {
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** All pieces of a stream as one string. */
export async function collect(pieces: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of pieces) whole += piece;
  return whole;
}

export const day = 86_400_000;

export function user(content: string): HistoryMessage {
  return { role: 'user', content };
}

/** An assistant message that calls one tool. */
export function call(name: string, input: Record<string, unknown>, id = 'call_1'): HistoryMessage {
  const tool = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(input) } };
  return { role: 'assistant', content: null, tool_calls: [tool] };
}
