/** Whatever stands in a database of version 11 is there after its upgrade. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { version11 } from './old-databases.ts';
import { query, temporaryDirectory } from './support.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.replaceAll('\0', ''));
const optional = fc.option(text);
const session = fc.record({
  source: fc.constantFrom('cli', 'telegram', 'tool', 'cron'),
  title: fc.option(fc.constantFrom('T', 'U', 'T #2')),
  end_reason: fc.option(fc.constantFrom('compression', 'branched', 'cli_close')),
  parent: fc.option(fc.nat(4)),
  input_tokens: fc.option(fc.nat(100_000)),
  model: optional,
});
const message = fc.record({
  session: fc.nat(4),
  role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'session_meta'),
  content: optional,
  tool_calls: fc.option(fc.oneof(text, fc.json())),
  tool_name: optional,
});

test('any rows of version 11 survive the upgrade, and their words are found', async (t) => {
  const directory = temporaryDirectory(t);
  let run = 0;
  const rows = fc.record({
    sessions: fc.array(session, { minLength: 5, maxLength: 5 }),
    messages: fc.array(message, { maxLength: 15 }),
  });
  const check = async ({ sessions, messages }: { sessions: Session[]; messages: Message[] }): Promise<void> => {
    const path = join(directory, `${(run += 1)}.db`);
    write(path, sessions, messages);
    const all = 'SELECT id, session_id, role, content, tool_calls, tool_name, timestamp FROM messages ORDER BY id';
    const before = query(path, all);
    const kept = 'SELECT id, source, model, parent_session_id, started_at, end_reason FROM sessions ORDER BY id';
    const sessionsBefore = query(path, kept);
    const store = await openSqliteSessionStore(path);
    assert.deepEqual(await store.maintenance.checkIntegrity(), []);
    await store.close();
    assert.deepEqual(query(path, all), before);
    assert.deepEqual(query(path, kept), sessionsBefore);
    assert.equal(query(path, 'SELECT 1 FROM messages WHERE active <> 1 OR compacted <> 0').length, 0);
    assert.equal(query(path, 'SELECT rowid FROM messages_fts').length, before.length);
    const titled = query<{ title: string }>(path, 'SELECT title FROM sessions WHERE title IS NOT NULL');
    assert.deepEqual(new Set(titled.map(({ title }) => title)), new Set(sessions.flatMap(({ title }) => title ?? [])));
  };
  await fc.assert(fc.asyncProperty(rows, check), { seed: 22, numRuns: 8 });
});

type Session = typeof session extends fc.Arbitrary<infer Value> ? Value : never;
type Message = typeof message extends fc.Arbitrary<infer Value> ? Value : never;

function write(path: string, sessions: readonly Session[], messages: readonly Message[]): void {
  using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec(version11);
  // The unique index came with the titles; older programs made some without it.
  db.exec('DROP INDEX idx_sessions_title_unique');
  sessions.forEach((row, index) => {
    db.prepare(
      `INSERT INTO sessions (id, source, title, end_reason, ended_at, parent_session_id, input_tokens, model, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      `s${index}`,
      row.source,
      row.title,
      row.end_reason,
      row.end_reason === null ? null : index + 0.5,
      row.parent === null ? null : `s${row.parent}`,
      row.input_tokens,
      row.model,
      index,
    );
  });
  messages.forEach((row, index) => {
    db.prepare(
      'INSERT INTO messages (session_id, role, content, tool_calls, tool_name, timestamp) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(`s${row.session}`, row.role, row.content, row.tool_calls, row.tool_name, index);
  });
}
