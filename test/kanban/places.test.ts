import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { boardPlaces } from '../../src/kanban/places.ts';
import { desk } from './support.ts';

function board(home: string, slug: string, metadata = '{}'): void {
  const folder = join(home, 'kanban', 'boards', slug);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'board.json'), metadata);
}

test('the default board lies in the root home, others in folders of their own', (t) => {
  const { home } = desk(t);
  const usual = boardPlaces({ home }, undefined);
  assert.equal(usual.slug, 'default');
  assert.equal(usual.database, join(home, 'kanban.db'));
  assert.equal(usual.attachments, join(home, 'kanban', 'attachments'));
  const other = boardPlaces({ home }, 'Ship-It');
  assert.equal(other.database, join(home, 'kanban', 'boards', 'ship-it', 'kanban.db'));
  assert.equal(other.attachments, join(home, 'kanban', 'boards', 'ship-it', 'attachments'));
});

test('the board is the one that is named, else that of the environment, else the chosen one; unknown ones fall through', (t) => {
  const { home } = desk(t);
  for (const slug of ['named', 'set', 'chosen']) board(home, slug);
  writeFileSync(join(home, 'kanban', 'current'), 'chosen\n');
  assert.equal(boardPlaces({ home, board: 'set' }, 'named').slug, 'named');
  assert.equal(boardPlaces({ home, board: 'set' }, undefined).slug, 'set');
  assert.equal(boardPlaces({ home, board: 'gone' }, undefined).slug, 'chosen');
  assert.equal(boardPlaces({ home, board: '../x' }, '').slug, 'chosen');
  writeFileSync(join(home, 'kanban', 'current'), 'gone\n');
  assert.equal(boardPlaces({ home }, undefined).slug, 'default');
});

test('the file and the folder for attachments that the environment names go before every board', (t) => {
  const { home } = desk(t);
  const places = boardPlaces({ home, database: '/elsewhere/k.db', attachmentsRoot: '/elsewhere/a' }, 'any');
  assert.equal(places.database, '/elsewhere/k.db');
  assert.equal(places.attachments, '/elsewhere/a');
});

test('names of boards are lower-cased, and what is no name is refused', (t) => {
  const { home } = desk(t);
  assert.equal(boardPlaces({ home }, ' ABC ').slug, 'abc');
  for (const wrong of ['../x', 'A B', '-a', 'a/b', 'a'.repeat(65)]) {
    assert.throws(() => boardPlaces({ home }, wrong), /There is no board/);
  }
});

test('the default folder of a board is what its file says', async (t) => {
  const { boards, home } = desk(t);
  board(home, 'code', JSON.stringify({ slug: 'code', default_workdir: '/srv/code' }));
  const { createTask } = await import('../../src/kanban/create-task.ts');
  const made = await boards.use('code', (open) =>
    createTask(open, { title: 'Mend it', createdBy: 'user', workspaceKind: 'dir' }),
  );
  assert.equal(made.workspace_path, '/srv/code');
});
