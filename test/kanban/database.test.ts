import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import * as z from 'zod';
import { Boards } from '../../src/kanban/board.ts';
import { desk } from './support.ts';

const columnShape = z.object({
  name: z.string(),
  type: z.string(),
  pk: z.int().optional(),
  notnull: z.boolean().optional(),
  default: z.string().optional(),
});
const factsShape = z.object({
  tables: z.record(z.string(), z.object({ columns: z.array(columnShape) })),
  indexes: z.record(z.string(), z.object({ table: z.string(), columns: z.array(z.string()) })),
});
const facts = factsShape.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, 'golden', 'kanban-db-0.19.json'), 'utf8')),
);

test('a new board has the tables, columns and indexes of the original, and belongs to its owner alone', async (t) => {
  const { home, on } = desk(t);
  await on(({ db }) => {
    for (const [table, { columns }] of Object.entries(facts.tables)) {
      const found = db.all(`PRAGMA table_info(${table})`).map((row) => ({
        name: row['name'],
        type: row['type'],
        pk: row['pk'],
        notnull: row['notnull'] === 1,
        default: row['dflt_value'] ?? undefined,
      }));
      const wanted = columns.map(({ name, type, pk = 0, notnull = false, ...rest }) => ({
        name,
        type,
        pk,
        notnull,
        default: rest.default,
      }));
      assert.deepEqual(found, wanted, table);
    }
    for (const [index, { columns }] of Object.entries(facts.indexes)) {
      assert.deepEqual(
        db.all(`PRAGMA index_info(${index})`).map(({ name }) => name),
        columns,
        index,
      );
    }
    assert.equal(db.get('PRAGMA user_version')?.['user_version'], 0);
    assert.equal(db.get('PRAGMA journal_mode')?.['journal_mode'], 'wal');
    assert.equal(db.get('PRAGMA synchronous')?.['synchronous'], 2);
    assert.equal(db.get('PRAGMA secure_delete')?.['secure_delete'], 1);
    assert.equal(db.get('PRAGMA foreign_keys')?.['foreign_keys'], 1);
  });
  assert.equal(statSync(join(home, 'kanban.db')).mode & 0o777, 0o600);
});

test('columns that an older board lacks are added, and those that nobody knows stay', async (t) => {
  const { home, on } = desk(t);
  const older = new DatabaseSync(join(home, 'kanban.db'));
  older.exec(`CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, mood TEXT)`);
  older.exec(`INSERT INTO tasks VALUES ('t_00000001', 'Old', 'ready', 1, 'good')`);
  older.close();
  await on(({ db }) => {
    const row = db.get('SELECT * FROM tasks');
    assert.equal(row?.['mood'], 'good');
    assert.equal(row?.['workspace_kind'], 'scratch');
    assert.equal(row?.['block_recurrences'], 0);
  });
});

test('what is no board is refused: a text, a damaged file (a copy is put aside), a database of something else', async (t) => {
  const { home, boards } = desk(t);
  const path = join(home, 'kanban.db');
  writeFileSync(path, 'not a database at all');
  await assert.rejects(
    boards.use(undefined, () => undefined),
    /damaged \(it is no SQLite database\)/,
  );
  assert.equal(readFileSync(path, 'utf8'), 'not a database at all');
  await assert.rejects(
    boards.use(undefined, () => undefined),
    /damaged/,
  );
  assert.equal(readdirSync(home).filter((name) => name.includes('.corrupt.')).length, 1);
  const copy = readdirSync(home).find((name) => name.startsWith('kanban.db.corrupt.'));
  assert.ok(copy !== undefined && readFileSync(join(home, copy), 'utf8') === 'not a database at all');

  const folder = join(home, 'kanban', 'boards', 'other');
  mkdirSync(folder, { recursive: true });
  const foreign = new DatabaseSync(join(folder, 'kanban.db'));
  foreign.exec('CREATE TABLE tasks (number INTEGER)');
  foreign.close();
  await assert.rejects(
    boards.use('other', () => undefined),
    /is no board of tasks: its table tasks has no column id/,
  );
});

test('who waits for another program too long is told, and an aborted wait ends', async (t) => {
  const { home, on } = desk(t);
  await on(() => undefined);
  const other = new DatabaseSync(join(home, 'kanban.db'));
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const impatient = new Boards({ settings: { home }, busyTimeoutMs: 1, failureLimit: 2 });
  await assert.rejects(
    impatient.use(undefined, ({ db }) => db.write(() => undefined)),
    /written to by another process for too long/,
  );
  const patient = new Boards({ settings: { home }, busyTimeoutMs: 600_000, failureLimit: 2 });
  const abort = new AbortController();
  const waiting = patient.use(undefined, ({ db }) => db.write(() => undefined), abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, /enough|aborted/);
});

test('a board is made where there is none yet, folders and all', async (t) => {
  const { home, boards } = desk(t);
  await boards.use('new', () => undefined);
  assert.ok(existsSync(join(home, 'kanban', 'boards', 'new', 'kanban.db')));
});
