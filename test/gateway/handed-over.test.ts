/** Messages that other processes hand over to the gateway, and the conversations that they stand in. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ChatWatcher } from '../../src/cli/mcp/serve/chat-watcher.ts';
import { EventQueue } from '../../src/cli/mcp/serve/event-queue.ts';
import { permissionTools } from '../../src/cli/mcp/serve/permissions.ts';
import { StoreAtHand } from '../../src/cli/mcp/serve/store-at-hand.ts';
import { handOver } from '../../src/gateway/targets/handed-over.ts';
import type { Outcome } from '../../src/gateway/targets/outgoing.ts';
import { noLog } from '../../src/lib/log.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { until } from './fake-host.ts';
import { openGateway, type Opened } from './support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';

async function opened(t: TestContext) {
  const server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const gateway = await openGateway(t, server, { config: quiet });
  return { server, ...gateway, hand: (chat: string, text = 'The backup is done.') => hand(gateway, chat, text) };
}

async function hand({ place }: Pick<Opened, 'place'>, chatId: string, text: string): Promise<Outcome | undefined> {
  const to = { chatId, threadId: null };
  return await handOver(place.homePath, { id: text, platform: 'fake', to, text, sources: [{ from: 'user' }] });
}

function folderOf({ place }: Pick<Opened, 'place'>): string {
  const folder = join(place.homePath, 'gateway/handed-over');
  mkdirSync(folder, { recursive: true });
  return folder;
}

const inGroup = (user: string) => ({
  platform: 'fake',
  chat_id: 'g1',
  chat_name: 'Group',
  chat_type: 'group' as const,
  user_id: user,
  user_name: user,
  thread_id: null,
  chat_topic: null,
});

test('what is handed over while a turn runs is sent at once, and stands behind the turn in its conversation', async (t) => {
  const { server, fake, hand } = await opened(t);
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'slow', gate: gate.promise });
  await fake.say('take your time');
  await server.requestArrived(1);
  const handed = hand('c1');
  await fake.until(() => fake.texts().includes('The backup is done.'));
  gate.resolve();
  assert.equal((await handed)?.mirrored, true);
  await fake.say('what was that?');
  await fake.until(() => fake.texts().includes('Hello.'));
  const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
  assert.match(sent, /take your time[^]*slow[^]*The backup is done\.[^]*what was that/);
  assert.deepEqual(server.violations, []);
});

test('the result of a job stands as a note beside the agent, and nowhere when it is to stand nowhere', async (t) => {
  const { server, fake, place } = await opened(t);
  await fake.say('hi');
  await fake.until(() => fake.texts().length === 1);
  const to = { chatId: 'c1', threadId: null };
  const message = { platform: 'fake', to, sources: [{ from: 'agent' as const }] };
  const unsaid = { ...message, id: 'one', text: 'of no importance', inConversation: 'not' as const };
  assert.equal((await handOver(place.homePath, unsaid))?.mirrored, false);
  const result = { job: 'Weather', text: 'Rain.', userId: 'alice' };
  const said = { ...message, id: 'two', text: 'Cronjob Response: Rain.', inConversation: result };
  assert.equal((await handOver(place.homePath, said))?.mirrored, true);
  await fake.say('until when?');
  await fake.until(() => fake.texts().length === 4);
  const sent = JSON.stringify(server.lastRequest.body.messages);
  assert.match(sent, /\[Cron delivery: Weather\]\\nRain\.[^]*until when/);
  assert.doesNotMatch(sent, /of no importance|Cronjob Response/);
  assert.deepEqual(server.violations, []);
});

test('where several people have a conversation each, none of them is meant', async (t) => {
  const { fake, hand } = await opened(t);
  await fake.say('hi', { source: inGroup('alice') });
  await fake.until(() => fake.texts('g1').length === 1);
  assert.equal((await hand('g1', 'to Alice'))?.mirrored, true);
  await fake.say('hi', { source: inGroup('bob') });
  await fake.until(() => fake.texts('g1').length === 3);
  assert.equal((await hand('g1', 'to whom?'))?.mirrored, false);
  assert.equal((await hand('nobody', 'to a new chat'))?.mirrored, false);
});

test('what the platform refuses is told, and a chat that takes nothing any more is remembered', async (t) => {
  const { gateway, fake, hand } = await opened(t);
  fake.failures.push({ ok: false, kind: 'forbidden', error: 'The bot was blocked.' });
  assert.deepEqual((await hand('c1'))?.result, { ok: false, kind: 'forbidden', error: 'The bot was blocked.' });
  assert.equal(gateway.deadTargets.has({ platform: 'fake', chatId: 'c1' }), true);
  assert.equal((await hand('c1'))?.result.ok, true);
  assert.equal(gateway.deadTargets.has({ platform: 'fake', chatId: 'c1' }), false);
});

test('what cannot be read is answered, what is old is left, and what a dead gateway had begun is told as unknown', async (t) => {
  const first = await opened(t);
  await first.close();
  const folder = folderOf(first);
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const old = put('old.json', JSON.stringify({ text: 'late' }));
  utimesSync(old, 1_600_000_000, 1_600_000_000);
  utimesSync(put('stale.answer', '{}'), 1_600_000_000, 1_600_000_000);
  put('odd.json', '{"platform": 7}');
  put('begun.taken', '{}');
  const server = await startModelServer();
  t.after(() => server[Symbol.asyncDispose]());
  const { fake } = await openGateway(t, server, { config: quiet, place: first.place });
  await until(() => existsSync(join(folder, 'odd.answer')) && existsSync(join(folder, 'begun.answer')));
  await until(() => readdirSync(folder).length === 2);
  assert.match(readFileSync(join(folder, 'odd.answer'), 'utf8'), /it cannot be read/);
  assert.match(readFileSync(join(folder, 'begun.answer'), 'utf8'), /not known: the gateway died/);
  assert.deepEqual(fake.messages, []);
});

test('a gateway that ends answers what it took first', async (t) => {
  const { gateway, fake, hand } = await opened(t);
  const gate = Promise.withResolvers<void>();
  fake.holdFirstSend(gate.promise);
  const handed = hand('c1');
  await until(() =>
    readdirSync(join(gateway.program.options.home.path, 'gateway/handed-over')).some((name) => name.endsWith('.taken')),
  );
  const drained = gateway.drain(AbortSignal.timeout(30_000));
  gate.resolve();
  await drained;
  assert.equal((await handed)?.result.ok, true);
});

test('another program may deny a call that waits for a yes, and nothing else', async (t) => {
  const { server, place, fake } = await opened(t);
  place.put('src/a', '');
  const store = new StoreAtHand(place.homePath, () => undefined);
  t.after(() => store.close());
  const events = new EventQueue();
  const watcher = new ChatWatcher({ store, events, log: noLog, mask: (text) => text, gatewayRuns: () => true });
  const [list, respond] = permissionTools(place.homePath, watcher);
  const signal = new AbortController().signal;
  const open = async () => (await list?.call({}, signal)) as { approvals: { id: string; question: string }[] };
  const answer = (id: string, decision: string) => respond?.call({ id, decision }, signal);
  assert.deepEqual(await open(), { count: 0, approvals: [] });
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] }, { text: 'Kept.' });
  await fake.say('tidy up');
  await fake.until(() => fake.texts().some((text) => text.includes('Approval needed')));
  const { approvals } = await open();
  const [asked] = approvals;
  assert.match(asked?.question ?? '', /rm -r src/);
  const id = asked?.id ?? '';
  await assert.rejects(async () => await answer(id, 'allow-once'), /Only the person who was asked can allow it/);
  await assert.rejects(async () => await answer('other', 'deny'), /Approval not found: other/);
  await assert.rejects(async () => await answer(id, 'maybe'), /Invalid decision: maybe/);
  assert.deepEqual(await answer(id, 'deny'), { resolved: true, approval_id: id, decision: 'deny' });
  await fake.until(() => fake.texts().includes('Kept.'));
  assert.match(server.lastRequest.rawBody, /the user denied it/);
  assert.ok(existsSync(join(place.work, 'src')));
  assert.deepEqual(await open(), { count: 0, approvals: [] });
  assert.deepEqual(
    events
      .find({ after: 0, sessionKey: null }, 10)
      .filter(({ type }) => type !== 'message')
      .map(({ type, decision }) => [type, decision]),
    [
      ['approval_requested', undefined],
      ['approval_resolved', 'deny'],
    ],
  );
});
