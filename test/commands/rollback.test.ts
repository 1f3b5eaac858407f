/** `/rollback` in a real conversation whose tools write real files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

const done = { text: 'Done.' };
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });

async function openProject(t: TestContext, server: ModelServer, more = '') {
  const chat = await openConversation(t, server, `checkpoints:\n  enabled: true\n${more}`);
  const work = join(chat.homePath, '..', 'work');
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'a.txt'), 'as it was\r\n');
  execFileSync('git', ['init', '-q', work]);
  const read = (name: string) => readFileSync(join(work, name), 'utf8');
  return { chat, work, read };
}

test('two writes of one turn are one checkpoint; going back brings the bytes and takes the turn back', async (t) => {
  await using server = await startModelServer();
  const { chat, work, read } = await openProject(t, server);
  const gitBefore = execFileSync('ls', ['-lR', join(work, '.git')], { encoding: 'utf8' });
  server.enqueue(done, { toolCalls: [write('a.txt', 'one'), write('new.txt', 'x')] }, done);
  await chat.say('hello');
  await chat.say('change');
  assert.match(await chat.type('/rollback'), /^Checkpoints of .*\n {2}1\. [0-9a-f]{8} .*before write_file\nGo back/);
  assert.match(await chat.type('/rollback diff 1'), /2 files changed[^]*-as it was[^]*\+one/);
  assert.match(await chat.type('/rollback 1'), /what was there before is a checkpoint\. The last question/);
  assert.equal(read('a.txt'), 'as it was\r\n');
  assert.ok(existsSync(join(work, 'new.txt')), 'what came later stays');
  assert.equal(chat.session.agent.history.length, 2);
  assert.equal((await chat.store.messages.conversation(chat.session.id)).length, 2);
  assert.equal((await chat.store.sessions.get(chat.session.id))?.rewind_count, 1);
  assert.equal(execFileSync('ls', ['-lR', join(work, '.git')], { encoding: 'utf8' }), gitBefore);
});

test('one file goes back without the turn, and what is no checkpoint or path is refused', async (t) => {
  await using server = await startModelServer();
  const { chat, read } = await openProject(t, server);
  server.enqueue({ toolCalls: [write('a.txt', 'one'), write('b.txt', 'two')] }, done);
  await chat.say('change');
  assert.match(await chat.type('/rollback 1 a.txt'), /^a\.txt is as it was/);
  assert.deepEqual([read('a.txt'), read('b.txt')], ['as it was\r\n', 'two']);
  assert.equal(chat.session.agent.history.length, 5);
  for (const [line, why] of [
    ['/rollback 9', /no checkpoint '9'/],
    ['/rollback 1 ../x', /no path inside/],
    ['/rollback 1 missing', /holds no file/],
    ['/rollback diff', /Usage/],
  ] as const)
    await assert.rejects(chat.type(line), why, line);
});

test('as many checkpoints are kept and listed as the configuration says, and none of files that are too large', async (t) => {
  await using server = await startModelServer();
  const { chat, work } = await openProject(t, server, '  max_snapshots: 2\n  max_file_size_mb: 1\n');
  writeFileSync(join(work, 'large.txt'), 'x'.repeat(1_100_000));
  for (const content of ['1', '2', '3', '4']) {
    server.enqueue({ toolCalls: [write('a.txt', content)] }, done);
    await chat.say('change');
  }
  assert.equal((await chat.type('/rollback')).match(/before write_file/g)?.length, 2);
  assert.doesNotMatch(await chat.type('/rollback diff 2'), /-x/);
});

test('where checkpoints are off it is said how to switch them on', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  server.enqueue({ toolCalls: [write('a.txt', '1')] }, done);
  await chat.say('change');
  assert.match(await chat.type('/rollback'), /no checkpoints of .*--checkpoints/);
});
