/** A process that is killed while a topic is given other sessions: the topic has the session that its chat goes on in. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryStore } from './support.ts';
import { topicKey } from './topic-place.ts';

const program = fileURLToPath(new URL('switch-topics.ts', import.meta.url));

test('killed at any moment, a topic is never without the session of its chat, nor with another one', async (t) => {
  const store = await temporaryStore(t);
  await store.chatTopics.turnOn({ chatId: '42', userId: '42' }, { enabled: true, peopleMayCreate: true });
  for (let kill = 0; kill < 3; kill += 1) {
    const promised = await switchUntilKilled(store.path, kill * 10_000, 1 + kill * 17);
    const route = (await store.chatRoutes.get(topicKey))?.session_id ?? '';
    assert.ok(Number(route.slice(1)) >= promised, 'what was promised is there');
    const isStored = (await store.sessions.get(route)) !== undefined;
    assert.equal((await store.chatTopics.at('42', '7'))?.sessionId, isStored ? route : undefined);
    assert.equal((await store.chatTopics.ofPerson('42')).length, isStored ? 1 : 0);
  }
});

/** The last one that it promised. */
async function switchUntilKilled(path: string, first: number, after: number): Promise<number> {
  const child = spawn(process.execPath, [program, path, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > after) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  return Number(output.split('\n').at(-2));
}
