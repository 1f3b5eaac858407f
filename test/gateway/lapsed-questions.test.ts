/** Questions in a chat that nobody answered in time: their end is told, and a late answer to one is taken for nothing else. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type ModelServer, type Step, startModelServer } from '../fakes/model-server.ts';
import { query } from '../sessions/support.ts';
import { ChatService } from './chat-service.ts';
import { type OpenOptions, openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const removal = (what: string): Step => ({
  toolCalls: [{ name: 'terminal', arguments: { command: `rm -r ${what}` } }],
});

async function open(t: TestContext, server: ModelServer, options: OpenOptions = {}) {
  const opened = await openGateway(t, server, { config: quiet, ...options });
  const { fake, place } = opened;
  /** Says something; what the chat says next. */
  const ask = async (text: string, user?: string): Promise<string> => {
    const before = fake.texts().length;
    await fake.say(text, user === undefined ? {} : { user });
    await fake.until(() => fake.texts().length > before);
    return fake.texts()[before] ?? '';
  };
  const said = async (text: RegExp): Promise<void> =>
    await fake.until(() => fake.texts().some((each) => text.test(each)));
  const stands = (folder: string): boolean => existsSync(join(place.work, folder));
  const noneKept = async (): Promise<void> => {
    const path = join(place.homePath, 'state.db');
    while (query(path, 'SELECT 1 FROM chat_questions').length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return { ...opened, ask, said, stands, noneKept };
}

test('a question that a restart cut off is told to have lapsed, and a late yes is neither an approval nor a message', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService();
  const first = await open(t, server, { fake });
  first.place.put('src/a', '');
  server.enqueue(removal('src'));
  assert.match(await first.ask('tidy up'), /rm -r src/);
  await first.close();
  server.enqueue({ text: 'I did not remove it.' });
  const second = await open(t, server, { fake, place: first.place });
  await second.said(/^⌛ I was restarted before you answered[\s\S]*nothing was run[\s\S]*rm -r src/);
  await second.said(/^I did not remove it\.$/);
  const requests = server.requests.length;
  assert.match(await second.ask('yes'), /too late[\s\S]*nothing was run[\s\S]*rm -r src/);
  assert.equal(server.requests.length, requests);
  assert.ok(second.stands('src'));
  server.enqueue({ text: 'You are welcome.' });
  assert.equal(await second.ask('ok'), 'You are welcome.');
  await second.noneKept();
});

test('a yes that was sent while the gateway was away finds no other question to answer', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService();
  const first = await open(t, server, { fake });
  for (const folder of ['src/a', 'lib/a']) first.place.put(folder, '');
  server.enqueue(removal('src'));
  await first.ask('tidy up');
  await first.close();
  server.enqueue(removal('lib'), { text: 'Gone.' });
  const second = await open(t, server, { fake, place: first.place });
  await second.said(/Approval needed[\s\S]*rm -r lib/);
  assert.match(await second.ask('yes'), /rm -r src[\s\S]*Another question waits[\s\S]*rm -r lib/);
  assert.ok(second.stands('src') && second.stands('lib'));
  assert.equal(await second.ask('yes'), 'Gone.');
  assert.ok(second.stands('src') && !second.stands('lib'));
});

test('a yes that had come in when the gateway died, and was not handed on, is told to be late and given to nobody', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService();
  const first = await open(t, server, { fake });
  first.place.put('src/a', '');
  server.enqueue(removal('src'));
  await first.ask('tidy up');
  const [asked] = query<{ event: string }>(join(first.place.homePath, 'state.db'), 'SELECT event FROM gateway_inbox');
  await first.close();
  const between = await first.place.open();
  const event = JSON.stringify({ ...JSON.parse(asked?.event ?? '{}'), event_id: 'late', text: 'Yes' });
  const sessionKey = 'agent:main:fake:dm:c1';
  await between.store?.chatInbox.accept({
    platform: 'fake',
    eventId: 'late',
    sessionKey,
    event,
    receivedAt: Date.now(),
  });
  await between.close();
  server.enqueue({ text: 'I did not remove it.' });
  const second = await open(t, server, { fake, place: first.place });
  await second.said(/^I did not remove it\.$/);
  await second.said(/^⌛ That answer came too late/);
  await second.gateway.chats.settled(AbortSignal.timeout(30_000));
  assert.equal(server.requests.length, 2);
  assert.ok(second.stands('src'));
});

test('what is asked again after a restart, byte for byte, may be answered with the yes that was meant for it', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService();
  const first = await open(t, server, { fake });
  first.place.put('src/a', '');
  server.enqueue(removal('src'));
  await first.ask('tidy up');
  await first.close();
  server.enqueue(removal('src'), { text: 'Gone.' });
  const second = await open(t, server, { fake, place: first.place });
  await fake.until(() => fake.texts().filter((text) => text.startsWith('⚠️ **Approval needed')).length === 2);
  assert.equal(await second.ask('yes'), 'Gone.');
  assert.ok(!second.stands('src'));
  await second.noneKept();
});

test('of a question with buttons that a restart cut off the buttons go, and a press that comes late does nothing', async (t) => {
  await using server = await startModelServer({ strict: true });
  const fake = new ChatService({ buttons: true });
  const first = await open(t, server, { fake });
  first.place.put('src/a', '');
  server.enqueue(removal('src'));
  await first.ask('tidy up');
  await first.close();
  server.enqueue(removal('src'), { text: 'Kept.' });
  const second = await open(t, server, { fake, place: first.place });
  await fake.until(() => fake.prompts.length === 2);
  await fake.until(() => fake.messages[0]?.text.startsWith('⌛') === true);
  const [old, now] = fake.prompts;
  const source = {
    platform: 'fake',
    chat_id: 'c1',
    chat_name: null,
    chat_type: 'dm',
    user_id: 'alice',
    user_name: 'alice',
    thread_id: null,
    chat_topic: null,
  } as const;
  const press = async (id: string | undefined, optionId: string) =>
    (await fake.host.press({ promptId: id ?? '', optionId, source })).as;
  assert.equal(await press(old?.id, 'once'), 'stale');
  assert.ok(second.stands('src'));
  assert.equal(await press(now?.id, 'deny'), 'done');
  await second.said(/^Kept\.$/);
  assert.ok(second.stands('src'));
});

test('what nobody answered in time is told where there are no buttons, and a yes after that is too late', async (t) => {
  await using server = await startModelServer({ strict: true });
  const { ask, said, place, stands, noneKept } = await open(t, server, {
    config: `${quiet}approvals:\n  timeout: 1\n`,
  });
  place.put('src/a', '');
  server.enqueue(removal('src'), { text: 'Nobody was there.' });
  await ask('tidy up');
  await said(/^⌛ Not answered; it was not run\.$/);
  await said(/^Nobody was there\.$/);
  const requests = server.requests.length;
  assert.match(await ask('/approve'), /too late[\s\S]*rm -r src/);
  assert.equal(server.requests.length, requests);
  assert.ok(stands('src'));
  await noneKept();
});
