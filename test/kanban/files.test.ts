import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attachFile, attachmentsOf, maxAttachmentBytes } from '../../src/kanban/attachments.ts';
import { completeTask } from '../../src/kanban/complete.ts';
import { lastEvents } from '../../src/kanban/events.ts';
import { requireTask } from '../../src/kanban/tasks.ts';
import { desk, type Desk } from './support.ts';

async function scratch({ home, create }: Desk, name: string) {
  const folder = join(home, 'kanban', 'workspaces', name);
  mkdirSync(folder, { recursive: true });
  return { folder, task: await create({ workspacePath: folder }) };
}

test('an attachment is kept under its last name, never over another, and listed', async (t) => {
  const { home, create, on } = desk(t);
  const { id } = await create({});
  const file = { bytes: Buffer.from('one'), contentType: 'text/plain', uploadedBy: 'agent' };
  await on((board) => attachFile(board, id, { ...file, filename: '../../etc/no te.tar.gz' }));
  await on((board) => attachFile(board, id, { ...file, bytes: Buffer.from('two'), filename: 'C:\\x\\no te.tar.gz' }));
  const listed = await on((board) => attachmentsOf(board, id));
  const folder = join(home, 'kanban', 'attachments', id);
  assert.deepEqual(
    listed.map(({ filename, size, stored_path: path, uploaded_by: by }) => [filename, size, path, by]),
    [
      ['no te.tar.gz', 3, join(folder, 'no te.tar.gz'), 'agent'],
      ['no te (1).tar.gz', 3, join(folder, 'no te (1).tar.gz'), 'agent'],
    ],
  );
  assert.equal(readFileSync(join(folder, 'no te (1).tar.gz'), 'utf8'), 'two');
  await on((board) => assert.equal(lastEvents(board, id, 1)[0]?.kind, 'attached'));
});

test('what is too large, has no name, or belongs to no task is not kept', async (t) => {
  const { home, create, on } = desk(t);
  const { id } = await create({});
  const attach = async (task: string, filename: string, bytes: Uint8Array) =>
    await on((board) => attachFile(board, task, { filename, bytes, uploadedBy: 'agent' }));
  await assert.rejects(attach(id, 'big', new Uint8Array(maxAttachmentBytes + 1)), /larger than 25 MB/);
  await attach(id, '🏔'.repeat(200), Buffer.from('x'));
  await on((board) => assert.equal(attachmentsOf(board, id)[0]?.filename, '🏔'.repeat(50)));
  await assert.rejects(attach(id, '...', Buffer.from('x')), /no name for a file/);
  await assert.rejects(attach('t_0000dead', 'x', Buffer.from('x')), /no task t_0000dead/);
  assert.ok(!existsSync(join(home, 'kanban', 'attachments', 't_0000dead')));
});

test('a scratch folder goes when its task is done; artifacts in it are kept, others stay where they are', async (t) => {
  const open = desk(t);
  const { folder, task } = await scratch(open, 'one');
  writeFileSync(join(folder, 'report.md'), '# Cups');
  const artifacts = [join(folder, 'report.md'), '/elsewhere/photo.png'];
  await open.on((board) => completeTask(board, task.id, { summary: 's', artifacts }));
  assert.ok(!existsSync(folder));
  const kept = join(open.home, 'kanban', 'attachments', task.id, 'report.md');
  assert.equal(readFileSync(kept, 'utf8'), '# Cups');
  await open.on((board) => {
    assert.equal(attachmentsOf(board, task.id)[0]?.uploaded_by, 'kanban_complete');
    const payload = { result_len: 0, summary: 's', artifacts: [kept, '/elsewhere/photo.png'] };
    assert.deepEqual(lastEvents(board, task.id, 1)[0]?.payload, payload);
  });
});

test('an artifact that cannot be kept refuses the completion, and leaves everything as it was', async (t) => {
  const open = desk(t);
  const { folder, task } = await scratch(open, 'one');
  writeFileSync(join(folder, 'good.md'), 'good');
  mkdirSync(join(folder, 'sub'));
  await assert.rejects(
    open.on((board) =>
      completeTask(board, task.id, { summary: 's', artifacts: [join(folder, 'good.md'), join(folder, 'sub')] }),
    ),
    /sub could not be kept: it is no regular file/,
  );
  await assert.rejects(
    open.on((board) => completeTask(board, task.id, { summary: 's', artifacts: [join(folder, 'gone.md')] })),
    /gone.md could not be kept/,
  );
  assert.ok(existsSync(join(folder, 'good.md')));
  assert.deepEqual(readdirSync(join(open.home, 'kanban', 'attachments', task.id)), []);
  await open.on((board) => assert.equal(requireTask(board, task.id).status, 'ready'));
});

test('a file of the scratch folder that the summary names is kept although nobody listed it', async (t) => {
  const open = desk(t);
  const { folder, task } = await scratch(open, 'one');
  for (const name of ['report.md', 'other.md']) writeFileSync(join(folder, name), name);
  const summary = `See (${folder}/report.md), not ${folder}/gone.md or ${folder}.`;
  await open.on((board) => completeTask(board, task.id, { summary }));
  await open.on((board) =>
    assert.deepEqual(
      attachmentsOf(board, task.id).map(({ filename }) => filename),
      ['report.md'],
    ),
  );
});

test('the scratch folder of an open task is not deleted with another task that names it, or what holds it', async (t) => {
  const open = desk(t);
  const { folder } = await scratch(open, 'one');
  const above = join(open.home, 'kanban', 'workspaces', 'above');
  mkdirSync(join(above, 'two'), { recursive: true });
  await open.create({ workspacePath: join(above, 'two') });
  for (const workspacePath of [folder, above]) {
    const other = await open.create({ workspacePath });
    await open.on((board) => completeTask(board, other.id, { summary: 's' }));
    assert.ok(existsSync(workspacePath), workspacePath);
  }
});

test('a scratch folder stays until no child needs it any more', async (t) => {
  const open = desk(t);
  const { folder, task } = await scratch(open, 'one');
  const child = await open.create({ parents: [task.id] });
  await open.on((board) => completeTask(board, task.id, { summary: 's' }));
  assert.ok(existsSync(folder));
  await open.on((board) => completeTask(board, child.id, { summary: 's' }));
  assert.ok(!existsSync(folder));
});

test('a folder outside of those for workspaces is never deleted, also behind a link or as a root itself', async (t) => {
  const open = desk(t);
  const source = join(open.home, 'source');
  mkdirSync(source);
  const roots = join(open.home, 'kanban', 'workspaces');
  mkdirSync(roots, { recursive: true });
  symlinkSync(source, join(roots, 'link'));
  for (const path of [source, join(roots, 'link'), roots, join(roots, '..')]) {
    const task = await open.create({ workspacePath: path });
    await open.on((board) => completeTask(board, task.id, { summary: 's' }));
    assert.ok(existsSync(source) && existsSync(roots), path);
  }
  const kept = await open.create({ workspaceKind: 'dir', workspacePath: join(roots, 'mine') });
  mkdirSync(join(roots, 'mine'));
  await open.on((board) => completeTask(board, kept.id, { summary: 's' }));
  assert.ok(existsSync(join(roots, 'mine')));
});
