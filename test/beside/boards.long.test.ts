/** The original and this program on one board of tasks: by turns, at once, and the one starting workers of the other. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { attachmentsOf } from '../../src/kanban/attachments.ts';
import { type Board, Boards } from '../../src/kanban/board.ts';
import { createTask } from '../../src/kanban/create-task.ts';
import { lastEvents } from '../../src/kanban/events.ts';
import { runsOf } from '../../src/kanban/runs.ts';
import { listTasks, requireTask } from '../../src/kanban/tasks.ts';
import { pythonPackages } from '../real/python-packages.ts';
import { environment, openOriginals, ours, type Program } from './programs.ts';
import { call } from './scenario.ts';
import { SharedHome } from './shared-home.ts';

const packages = await pythonPackages('hermes-agent-0.19.0', ['hermes-agent==0.19.0']);
const entry = fileURLToPath(new URL('../../bin/hermes.mjs', import.meta.url));
const workerMs = 120_000;

describe('one board of tasks for both programs', { skip: typeof packages === 'string' && packages }, () => {
  if (typeof packages === 'string') return;
  const originals = openOriginals(packages, 1);
  after(() => originals[Symbol.asyncDispose]());
  const theirs: Program = {
    run: (run) => originals.use((original) => original.run(run)),
    async [Symbol.asyncDispose]() {},
  };
  const kanban = async (shared: SharedHome, ...args: readonly string[]): Promise<string> =>
    await shared.said(theirs, 'kanban', ...args);
  /** Returns its id. */
  const create = async (shared: SharedHome, ...args: readonly string[]): Promise<string> =>
    /t_[0-9a-f]{8}/.exec(await kanban(shared, 'create', ...args, '--assignee', 'default'))?.[0] ?? '';

  test('what the original made is listed, shown, commented on and ended here, and the original reads all of it', async () => {
    await using shared = await SharedHome.open();
    const id = await create(shared, 'Wash 🏔 cups', '--body', 'All.', '--priority', '2');
    const told = await use(shared, ['kanban_list', {}], ['kanban_show', { task_id: id }]);
    assert.match(
      told,
      new RegExp(`"id":"${id}","title":"Wash 🏔 cups","assignee":"default","status":"ready","priority":2`),
    );
    assert.match(told, /"created_by":"user"/);
    await use(
      shared,
      ['kanban_comment', { task_id: id, body: 'Mind the handles — ß' }],
      ['kanban_create', { title: 'Dry them', assignee: 'default', parents: [id], skills: ['towels'], goal_mode: true }],
      ['kanban_create', { title: 'Buy soap', assignee: 'default', initial_status: 'blocked' }],
      [
        'kanban_attach',
        { task_id: id, filename: 'list.md', content_base64: 'MyBjdXBz', content_type: 'text/markdown' },
      ],
    );
    const [child, soap] = await onBoard(shared, (board) => [titled(board, 'Dry them'), titled(board, 'Buy soap')]);
    await use(shared, ['kanban_link', { parent_id: soap, child_id: child }]);

    const shown = await kanban(shared, 'show', id);
    assert.match(shown, /Mind the handles — ß/);
    assert.match(shown, new RegExp(child));
    assert.match(await kanban(shared, 'attachments', id), /list\.md/);
    assert.match(await kanban(shared, 'context', child), /Dry them/);
    assert.match(await kanban(shared, 'list'), /Buy soap/);
    assert.match(await kanban(shared, 'show', soap), /status:\s+blocked/, 'it waits for a person');

    await use(shared, ['kanban_complete', { task_id: id, summary: 'Clean.', metadata: { cups: 12 } }]);
    await kanban(shared, 'unblock', soap);
    await kanban(shared, 'complete', soap, '--summary', 'Bought.');
    const ready = await use(shared, ['kanban_show', { task_id: child }]);
    assert.match(ready, /"status":"ready"/);
    assert.match(ready, /Clean\.[^]*"?cups\W+12[^]*Bought\.|Bought\.[^]*Clean\./);
    assert.match(await kanban(shared, 'context', child), /Clean\.[^]*cups[^]*12|cups[^]*12[^]*Clean\./);
    await sound(shared);
  });

  test('a file that the original attached is listed here, and a board that it made is chosen here', async () => {
    await using shared = await SharedHome.open();
    await kanban(shared, 'boards', 'create', 'ship-it', '--switch');
    const id = await create(shared, 'Ship');
    const file = join(shared.cwd, 'plan.txt');
    mkdirSync(shared.cwd, { recursive: true });
    shared.write('../work/plan.txt', 'sail');
    await kanban(shared, 'attach', id, file);
    const listed = await use(shared, ['kanban_attachments', { task_id: id }]);
    assert.match(listed, /"filename":"plan\.txt".*kanban\/boards\/ship-it\/attachments\/t_\w+\/plan\.txt/);
    const context = await use(shared, ['kanban_show', { task_id: id }]);
    assert.match(context, /# Kanban task t_\w+: Ship/);
  });

  test('the dispatcher of the original starts a worker of this program, which ends its task and keeps its file', async () => {
    await using shared = await SharedHome.open();
    shared.write('../hermes', `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
    const program = join(shared.home, '..', 'hermes');
    chmodSync(program, 0o755);
    const parent = await create(shared, 'Count the cups');
    const child = await create(shared, 'Buy more', '--parent', parent);
    const workspace = join(shared.home, 'kanban', 'workspaces', parent);
    shared.server.enqueue(
      call('kanban_show', {}),
      call('write_file', { path: 'count.txt', content: '12' }),
      call('kanban_complete', { summary: 'Twelve.', artifacts: [join(workspace, 'count.txt')] }),
      { text: 'Done.' },
    );
    const ran = await theirs.run({
      args: ['kanban', 'dispatch', '--json'],
      home: shared.home,
      cwd: shared.cwd,
      env: { HERMES_BIN: program },
    });
    assert.equal(ran.exit, 0, ran.stderr);
    const log = join(shared.home, 'kanban', 'logs', `${parent}.log`);
    await onceOver(shared, parent, log);
    await onBoard(shared, (board) => {
      const [run] = runsOf(board, parent);
      assert.deepEqual([run?.outcome, run?.summary, run?.profile], ['completed', 'Twelve.', 'default']);
      const [kept] = attachmentsOf(board, parent);
      assert.equal(readFileSync(kept?.stored_path ?? '', 'utf8'), '12');
      assert.ok(lastEvents(board, parent, 50).some(({ kind }) => kind === 'spawned'));
      assert.equal(requireTask(board, child).status, 'ready');
    });
    const offered = shared.server.requests.flatMap(
      ({ body }) => body.tools?.map(({ function: { name } }) => name) ?? [],
    );
    assert.equal(new Set(offered.filter((name) => name.startsWith('kanban_'))).size, 10);
    assert.match(await kanban(shared, 'runs', parent), /completed/);
    assert.match(await kanban(shared, 'context', child), /Twelve\./);
  });

  test('both fill one board at the same time, and nothing is lost', async () => {
    await using shared = await SharedHome.open();
    const script = `from hermes_cli import kanban_db as kb
for n in range(40):
    conn = kb.connect()
    kb.create_task(conn, title=f"theirs {n}", assignee="default", created_by="user")
    conn.close()`;
    const filling = promisify(execFile)(packages.python, ['-c', script], { env: environment(shared.home) });
    for (let n = 0; n < 40; n++) {
      await onBoard(shared, (board) =>
        createTask(board, { title: `ours ${n}`, assignee: 'default', createdBy: 'user' }),
      );
    }
    await filling;
    await onBoard(shared, (board) => assert.equal(listTasks(board, { limit: 200 }).length, 80));
    await sound(shared);
  });
});

/** Calls of tools in one turn here; returns all that the model was answered. */
async function use(shared: SharedHome, ...list: readonly (readonly [name: string, args: object])[]): Promise<string> {
  const before = shared.server.requests.length;
  const steps = list.map(([name, args]) => call(name, args));
  const messages = await shared.turn(inKanban, 'go', { steps: [...steps, { text: 'Well.' }] });
  assert.equal(
    shared.server.requests.slice(before).filter(({ body }) => body.tools !== undefined).length,
    list.length + 1,
  );
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])).join('\n');
}

const inKanban: Program = {
  ...ours,
  run: (run) => ours.run({ ...run, args: [...run.args, '--toolsets', 'kanban'] }),
};

async function onBoard<T>(shared: SharedHome, work: (board: Board) => Promise<T> | T): Promise<T> {
  const boards = new Boards({ settings: { home: shared.home }, busyTimeoutMs: 60_000, failureLimit: 2 });
  return await boards.use(undefined, work);
}

function titled(board: Board, title: string): string {
  const task = listTasks(board, { limit: 50 }).find((one) => one.title === title);
  assert.ok(task !== undefined, title);
  return task.id;
}

async function onceOver(shared: SharedHome, id: string, log: string): Promise<void> {
  const deadline = Date.now() + workerMs;
  while (Date.now() < deadline) {
    if ((await onBoard(shared, (board) => requireTask(board, id).status)) === 'done') return;
    await delay(250);
  }
  assert.fail(readFileSync(log, 'utf8').slice(-4000));
}

async function sound(shared: SharedHome): Promise<void> {
  await onBoard(shared, ({ db }) => assert.deepEqual(db.all('PRAGMA integrity_check').map(Object.values), [['ok']]));
}
