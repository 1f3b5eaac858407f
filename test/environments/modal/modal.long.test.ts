/** Sandboxes of Modal: how they are made and kept, and what is told when something goes wrong. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Environment, RunOptions, RunResult } from '../../../src/environments/environment.ts';
import { openModal } from './support.ts';

function run(environment: Environment, command: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal, ...more });
}

function told(hint: RegExp, message: RegExp): (error: Error) => boolean {
  return (error) => {
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n|as-of-the-test/);
    assert.match(String(Reflect.get(error, 'hint')), hint);
    return true;
  };
}

function notes(directory: string): unknown {
  return JSON.parse(readFileSync(join(directory, 'modal_snapshots.json'), 'utf8'));
}

test('a sandbox is made as the settings say, and its files are those of the last time', async (t) => {
  const { modal, directory, session } = await openModal(t);
  writeFileSync(join(directory, 'modal_snapshots.json'), '{"direct:other": "im-other"}');
  const first = session();
  await run(first, 'echo kept >~/file');
  const [sandbox] = modal.sandboxes;
  const { imageId, resources, timeoutSecs, idleTimeoutSecs, name } = sandbox?.made ?? {};
  assert.deepEqual([imageId, timeoutSecs, idleTimeoutSecs, name], ['im-base', 86_400, 600, 'hermes-owner']);
  assert.deepEqual(resources, { memoryMb: 5120, milliCpu: 2000, ephemeralDiskMb: 0 });
  await first.close();
  assert.equal(sandbox?.isRunning, false);
  assert.deepEqual(notes(directory), { 'direct:other': 'im-other', 'direct:default': modal.snapshots[0] });
  assert.equal((await run(session(), 'cat ~/file')).output, 'kept\n');
  assert.equal(modal.sandboxes[1]?.made['imageId'], modal.snapshots[0]);
});

test('an entry of old is taken, and one whose image is gone gives way to the image of the settings', async (t) => {
  const { modal, directory, session } = await openModal(t);
  const first = session();
  await run(first, 'echo old >~/file');
  await first.close();
  writeFileSync(join(directory, 'modal_snapshots.json'), JSON.stringify({ default: modal.snapshots[0] }));
  const second = session();
  assert.equal((await run(second, 'cat ~/file')).output, 'old\n');
  await second.close();
  assert.deepEqual(notes(directory), { 'direct:default': modal.snapshots[1] });
  modal.forgetImage(modal.snapshots[1] ?? '');
  assert.equal((await run(session(), 'ls ~')).output, '');
});

test('without container_persistent nothing is kept', async (t) => {
  const { modal, session } = await openModal(t);
  const environment = session({ persists: false });
  await run(environment, 'echo lost >~/file');
  await environment.close();
  assert.deepEqual([modal.snapshots, modal.sandboxes[0]?.isRunning], [[], false]);
});

test('sessions of this machine share the sandbox, and the last one keeps and ends it', async (t) => {
  const { modal, session } = await openModal(t);
  const [one, other] = [session(), session()];
  await Promise.all([run(one, 'touch ~/one'), run(other, 'touch ~/other')]);
  assert.equal(modal.sandboxes.length, 1);
  await one.close();
  assert.equal(modal.sandboxes[0]?.isRunning, true);
  assert.equal((await run(other, 'ls ~')).output, 'one\nother\n');
  await other.close();
  assert.deepEqual([modal.snapshots.length, modal.sandboxes[0]?.isRunning], [1, false]);
});

test('a token that is refused is told with the variables, and is not shown', async (t) => {
  const { modal, session } = await openModal(t);
  const wrong = { tokenId: 'ak-wrong', tokenSecret: 'as-wrong' };
  await assert.rejects(
    run(session({ connect: () => modal.connect(wrong) }), 'true'),
    told(/MODAL_TOKEN_ID and MODAL_TOKEN_SECRET/, /refuses the token: Token validation failed/),
  );
});

test('an image that cannot be built is told with the setting', async (t) => {
  const { session } = await openModal(t);
  await assert.rejects(run(session({ image: 'no-such-image' }), 'true'), told(/modal_image/, /image: .*no such image/));
});

test('a service that is away is told in one line', async (t) => {
  const { modal, session } = await openModal(t);
  modal.intercept = () => [14, 'No connection established'];
  await assert.rejects(run(session(), 'true'), told(/network/, /hermes-owner cannot be reached: No connection/));
});

test('a sandbox that vanishes while a command runs is told, and the command is not run again', async (t) => {
  const { modal, session } = await openModal(t);
  const environment = session();
  await run(environment, 'export A=1');
  const [sandbox] = modal.sandboxes;
  assert.ok(sandbox !== undefined);
  const running = run(environment, 'echo x >>~/runs; echo begun; sleep 30', {
    onOutput(chunk) {
      if (!chunk.includes('begun')) return;
      modal.take(sandbox);
      modal.intercept = (call) =>
        call === 'TaskExecStdioRead' || call === 'TaskExecWait' ? [5, 'task is gone'] : undefined;
    },
  });
  await assert.rejects(
    running,
    /hermes-owner (has ended|is gone).* The command had begun; whether it came to its end is not known/,
  );
  modal.intercept = () => undefined;
  const next = await run(environment, 'echo "[${A-}]"');
  assert.equal(next.output, '[]\n');
  assert.match(next.note ?? '', /was made anew: what was exported before is lost/);
  assert.equal(readFileSync(join(sandbox.home, 'runs'), 'utf8'), 'x\n');
});

test('files that could not be kept leave the old ones, and the sandbox is ended all the same', async (t) => {
  const { modal, directory, session } = await openModal(t);
  const first = session();
  await run(first, 'echo kept >~/file');
  await first.close();
  const before = notes(directory);
  const second = session();
  await run(second, 'echo newer >~/file');
  modal.intercept = (call) => (call === 'TaskSnapshotFilesystem' ? [8, 'too many images'] : undefined);
  await second.close();
  assert.deepEqual([notes(directory), modal.sandboxes[1]?.isRunning], [before, false]);
});
