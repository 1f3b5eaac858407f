/** A call that was under way when the process died: nobody knows whether it happened, and whoever waits is told so. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { execute } from '../sessions/support.ts';
import { join } from 'node:path';
import type { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const call = (id: string, name: string, args = '{}') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});

/** A home as a process leaves it that dies while the calls of a message run. */
async function diedDuring(t: TestContext, server: ModelServer, calls: readonly ReturnType<typeof call>[]) {
  server.enqueue({ text: 'hello' });
  const { fake, place, gateway, close } = await openGateway(t, server, { config: quiet });
  await fake.say('hello');
  await fake.until(() => fake.texts().length === 1);
  await gateway.drain(AbortSignal.timeout(10_000));
  const { chatInbox, messages, maintenance } = gateway.program.store ?? {};
  const [session = ''] = (await maintenance?.sessionIds()) ?? [];
  await fake.say('do it');
  const [row] = (await chatInbox?.open()) ?? [];
  await chatInbox?.begin([row?.id ?? 0], { sessionId: session, turnAfter: (await messages?.newest(session)) ?? null });
  await messages?.append(session, { role: 'user', content: 'do it' });
  await messages?.append(session, { role: 'assistant', content: null, tool_calls: calls });
  await close();
  return { fake, place };
}

/** Without the notice of the process that ended. */
function told(fake: ChatService): readonly string[] {
  return fake.texts().filter((text) => !text.includes('shutting down'));
}

test('the turn is gone on with, nothing is run again, and both the model and the chat are told that it is unknown', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await diedDuring(t, server, [call('c1', 'terminal', '{"command":"touch twice"}')]);
  server.enqueue({ text: 'I looked.' });
  const second = await openGateway(t, server, { fake, place });
  await fake.until(() => told(fake).includes('I looked.'));
  await second.gateway.drain(AbortSignal.timeout(10_000));
  assert.match(
    told(fake)[1] ?? '',
    /^⏳ I was cut off while `terminal` was under way, and whether it was carried out is not known/,
  );
  assert.equal(told(fake).length, 3);
  assert.match(JSON.stringify(server.lastRequest.body.messages), /terminal was under way, so its outcome is unknown/);
  assert.deepEqual(server.violations, []);
});

test('it is told once, however often the process dies', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await diedDuring(t, server, [call('c1', 'terminal'), call('c2', 'write_file')]);
  const gate = new Promise<void>(() => undefined);
  server.enqueue({ text: 'lost', gate }, { text: 'I looked.' });
  const second = await openGateway(t, server, { fake, place });
  await fake.until(() => told(fake).length === 2);
  await server.requestArrived(2);
  await second.close();
  await openGateway(t, server, { fake, place });
  await fake.until(() => told(fake).includes('I looked.'));
  assert.deepEqual(
    fake
      .texts()
      .filter((text) => text.includes('not known'))
      .map((text) => /`.*`/.exec(text)?.[0]),
    ['`terminal`, `write_file`'],
  );
});

test('what only looks is not spoken of', async (t) => {
  await using server = await startModelServer();
  const { fake, place } = await diedDuring(t, server, [call('c1', 'read_file', '{"path":"a"}')]);
  server.enqueue({ text: 'I looked.' });
  await openGateway(t, server, { fake, place });
  await fake.until(() => told(fake).includes('I looked.'));
  assert.deepEqual(told(fake), ['hello', 'I looked.']);
});

test('a turn that is not gone on with says so, too: after too long, and after two more attempts', async (t) => {
  for (const change of [`received_at = received_at - ${3 * 3_600_000}`, 'attempts = 3']) {
    await using server = await startModelServer();
    const { fake, place } = await diedDuring(t, server, [call('c1', 'terminal')]);
    execute(join(place.homePath, 'state.db'), `UPDATE gateway_inbox SET ${change}`);
    await openGateway(t, server, { fake, place });
    await fake.until(() => told(fake).length === 2);
    assert.match(told(fake)[1] ?? '', /^I was interrupted while.*Whether `terminal` was carried out is not known\./);
    assert.equal(server.requests.length, 1);
  }
});
