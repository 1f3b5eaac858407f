/** `/topic`: what a person sees of several conversations in one private chat, and what is kept of them. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ChatAddress } from '../../../../src/gateway/platform/adapter.ts';
import { eventAt } from '../../../../src/gateway/platform/own-event.ts';
import { platform } from '../../../../src/gateway/platforms/telegram/telegram.ts';
import { systemClock } from '../../../../src/gateway/gateway.ts';
import { RunCommands } from '../../../../src/gateway/commands/run-commands.ts';
import { type ModelServer, startModelServer } from '../../../fakes/model-server.ts';
import { FakeTelegram } from '../../../fakes/telegram-platform.ts';
import { isSummary, type Place, placeFor, summary } from '../../../runtime/support.ts';
import { configOf, until } from '../../fake-host.ts';
import { openGateway } from '../../support.ts';

const titles = (enabled: boolean): string => `auxiliary:\n  title_generation:\n    enabled: ${enabled}\n`;
const quiet = `${titles(false)}streaming:\n  enabled: false\n`;

interface OpenTopicsOptions {
  readonly config?: string;
  /** Goes on where an earlier gateway ended. */
  readonly before?: { readonly place: Place; readonly fake: FakeTelegram };
  readonly abilities?: Partial<FakeTelegram['server']['chats']['privateTopics']>;
  readonly block?: Readonly<Record<string, unknown>>;
  /** By how much the clock of the gateway is ahead, in milliseconds. */
  readonly late?: () => number;
}

async function openTopics(t: TestContext, server: ModelServer, options: OpenTopicsOptions = {}) {
  const { config = quiet, before, abilities, block = {}, late } = options;
  const fake = before?.fake ?? (await FakeTelegram.open());
  if (before === undefined) t.after(() => fake[Symbol.asyncDispose]());
  fake.server.chats.privateTopics = { has_topics_enabled: true, allows_users_to_create_topics: true, ...abilities };
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const opened = await openGateway(t, server, {
    commands,
    place: before?.place ?? placeFor(t, server, config),
    platforms: [{ platform, config: configOf(platform, fake.variables, { ...fake.block, ...block }) }],
    ...(late === undefined ? {} : { clock: { ...systemClock, now: () => Date.now() + late() } }),
  });
  const { store } = opened.gateway.program;
  assert.ok(store !== undefined);
  const { dm } = fake.places;
  const texts = (at: ChatAddress): string[] => fake.shown(at).map(({ text }) => text);
  return {
    ...opened,
    fake,
    dm,
    store,
    texts,
    /** Writes, and resolves with what the program says to it. */
    say: async (at: ChatAddress, text: string): Promise<string> => {
      const count = texts(at).length;
      await fake.write({ in: at, text });
      await until(() => texts(at).length > count, `an answer to ${text}`);
      return texts(at)[count] ?? '';
    },
    sessionAt: async ({ chatId, threadId }: ChatAddress) =>
      (await store.chatTopics.at(chatId, threadId ?? ''))?.sessionId,
  };
}

/** Answers with how many messages of people it was shown. */
async function counting(): Promise<ModelServer> {
  return await startModelServer({
    respond: ({ body }) => ({ text: `${body.messages.filter(({ role }) => role === 'user').length} said` }),
  });
}

test('/topic makes each topic a conversation of its own, and the main chat takes commands only', async (t) => {
  await using server = await counting();
  const { fake, dm, say, sessionAt, texts } = await openTopics(t, server);
  assert.equal(await say(dm, 'hello'), '1 said');
  assert.match(await say(dm, '/topic'), /\/topic is on: each topic of this chat is a conversation of its own/);
  const [one, two] = [fake.openTopic(dm, 'One'), fake.openTopic(dm, 'Two')];
  assert.deepEqual([await say(one, 'a'), await say(one, 'b'), await say(two, 'c')], ['1 said', '2 said', '1 said']);
  const [first, second] = [await sessionAt(one), await sessionAt(two)];
  assert.ok(first !== undefined && second !== undefined && first !== second);
  const requests = server.requests.length;
  assert.match(await say(dm, 'and here?'), /main chat is for commands only/);
  assert.equal(server.requests.length, requests, 'no model was asked');
  assert.match(await say(dm, '/whoami'), /User id: 1001/);
  assert.match(await say(dm, '/new now'), /no conversation in this main chat/);
  assert.match(await say(dm, '/topic'), /^\/topic is on/);
  assert.match(await say(one, '/topic'), new RegExp(`This topic has the conversation[^]*${first}`));
  assert.equal(texts(dm).filter((text) => text.includes('commands only')).length, 2, 'the switch and the hint');
});

test('who goes on writing in the main chat is told once in a while', async (t) => {
  await using server = await counting();
  let late = 0;
  const { fake, dm, say, texts } = await openTopics(t, server, { late: () => late });
  await say(dm, '/topic');
  await say(dm, 'one');
  const silent = await fake.write({ in: dm, text: 'two' });
  await until(() => fake.isAcknowledged(silent));
  late += 15_000;
  await say(dm, '/whoami');
  late += 20_000;
  assert.match(await say(dm, 'three'), /commands only/);
  assert.equal(texts(dm).filter((text) => text.startsWith('This main chat is for commands only')).length, 2);
  assert.equal(server.requests.length, 0);
});

test('a bot without topics says what its owner has to change, and nothing is switched on', async (t) => {
  await using server = await counting();
  const { fake, dm, say, store } = await openTopics(t, server, { abilities: { has_topics_enabled: false } });
  assert.match(await say(dm, '/topic'), /@BotFather[^]*Threaded Mode/);
  fake.server.chats.privateTopics = { has_topics_enabled: true, allows_users_to_create_topics: false };
  assert.match(await say(dm, '/topic'), /may not create any[^]*@BotFather/);
  assert.equal(await store.chatTopics.isOn({ chatId: '1001', userId: '1001' }), false);
  assert.equal(await say(dm, 'hello'), '1 said');
  fake.server.fault('getMe', { status: 500 }, { status: 500 }, { status: 500 }, { status: 500 });
  assert.match(await say(dm, '/topic'), /cannot be asked now/);
  assert.equal(await store.chatTopics.isOn({ chatId: '1001', userId: '1001' }), false);
});

test('/topic off has the main chat answer again, and its conversation is the one that it had', async (t) => {
  await using server = await counting();
  const { fake, dm, say, store } = await openTopics(t, server);
  await say(dm, 'hello');
  assert.equal(await say(dm, '/topic off'), '/topic is not on in this chat.');
  await say(dm, '/topic');
  const one = fake.openTopic(dm, 'One');
  await say(one, 'a');
  assert.match(await say(dm, '/topic off'), /\/topic is off/);
  assert.equal(await say(dm, 'more'), '2 said');
  assert.equal(await say(one, 'b'), '2 said');
  assert.deepEqual(await store.chatTopics.ofPerson('1001'), []);
  assert.match(await say(dm, '/topic help'), /\/topic <session-id>/);
});

test('/new, a compaction and /resume inside a topic leave it with the session that it goes on in', async (t) => {
  const filler = 'The quick brown fox looks at the lazy dog and writes it all down. '.repeat(40);
  await using server = await startModelServer({
    respond: (request) => ({
      ...(isSummary(request) ? summary : { text: `I see. ${filler}` }),
      usage: { prompt_tokens: Math.round(request.rawBody.length / 4), completion_tokens: 600 },
    }),
  });
  const { fake, dm, gateway, say, sessionAt, store } = await openTopics(t, server, {
    config: `${quiet}compression:\n  in_place: false\n  protect_first_n: 0\n  protect_last_n: 1\n  target_ratio: 0.1\n`,
  });
  await say(dm, '/topic');
  const [one, two] = [fake.openTopic(dm, 'One'), fake.openTopic(dm, 'Two')];
  await say(one, 'a');
  await say(two, 'z');
  const [first, other] = [await sessionAt(one), await sessionAt(two)];
  assert.match(await say(one, '/new now'), /write under All Messages[^]*New session started/);
  assert.equal(await sessionAt(one), undefined, 'the next message begins it');
  await say(one, 'b');
  const second = await sessionAt(one);
  assert.ok(second !== undefined && second !== first);
  assert.match(await say(one, `/resume ${other}`), /Another topic has that conversation/);
  assert.equal(await sessionAt(one), second);
  await fake.write({ in: one, text: `/resume ${first}` });
  await until(async () => (await sessionAt(one)) === first, 'the other conversation');
  const routed = async (): Promise<string | undefined> =>
    (await gateway.routing.get('agent:main:telegram:dm:1001:' + one.threadId))?.session_id;
  await until(async () => (await routed()) === first);
  for (const text of ['c', 'd', 'e', 'f', 'g']) await say(one, text);
  await say(one, '/compress');
  const third = async (): Promise<string | undefined> => {
    const id = await sessionAt(one);
    return id !== first && id === (await routed()) ? id : undefined;
  };
  await until(async () => (await third()) !== undefined, 'the compaction');
  assert.ok((await store.sessions.lineage((await third()) ?? '')).includes(first ?? ''));
});

test('an earlier conversation is restored into a topic, only one’s own, and only where no topic has it', async (t) => {
  await using server = await counting();
  const { fake, dm, say, sessionAt, store } = await openTopics(t, server);
  await say(dm, 'hello');
  const { id: earlier } = (await store.sessions.latest('telegram')) ?? { id: '' };
  for (const [id, source, userId] of [
    ['theirs', 'telegram', '1002'],
    ['of-a-terminal', 'cli', '1001'],
  ] as const)
    await store.sessions.create({ id, source, userId });
  const listed = await say(dm, '/topic');
  assert.match(listed, new RegExp(`Earlier conversations without a topic:\\n.*${earlier}`));
  assert.doesNotMatch(listed, /theirs|of-a-terminal/);
  assert.match(await say(dm, `/topic ${earlier}`), /inside a topic/);
  const [one, two] = [fake.openTopic(dm, 'One'), fake.openTopic(dm, 'Two')];
  for (const foreign of ['theirs', 'of-a-terminal', 'nothing'])
    assert.match(await say(one, `/topic ${foreign}`), /You have no conversation/);
  assert.match(
    await say(one, `/topic ${earlier.slice(0, -2)}`),
    /This topic goes on with: .*\n\nWhat I said last:\n1 said/,
  );
  assert.equal(await sessionAt(one), earlier);
  assert.equal(await say(one, 'more'), '2 said');
  assert.match(await say(one, `/topic ${earlier}`), /has that conversation already/);
  await say(two, 'x');
  const second = await sessionAt(two);
  assert.match(await say(two, `/topic ${earlier}`), /Another topic has that conversation/);
  assert.equal(await sessionAt(two), second);
  await say(dm, '/topic off');
  assert.equal(await say(dm, 'again'), '1 said', 'the main chat does not go on in what a topic has');
});

test('a topic is named after its conversation, but for those that the settings name', async (t) => {
  await using server = await startModelServer({
    respond: ({ rawBody }) => ({ text: rawBody.includes('Write a title') ? 'Plans for the garden' : 'yes' }),
  });
  const { fake, dm, say } = await openTopics(t, server, {
    config: `${titles(true)}streaming:\n  enabled: false\n`,
    block: { dm_topics: [{ chat_id: 1001, topics: [{ name: 'Fixed', thread_id: 77 }] }] },
  });
  const { topics } = fake.server.chats;
  topics.get(1001)?.set(77, 'Fixed');
  await say(dm, '/topic');
  const one = fake.openTopic(dm, 'Untitled');
  const nameOf = ({ threadId }: ChatAddress): string | undefined => topics.get(1001)?.get(Number(threadId));
  await say(one, 'what shall I plant?');
  await until(() => nameOf(one) === 'Plans for the garden', 'the name');
  await say(one, '/title Roses');
  await until(() => nameOf(one) === 'Roses', 'the other name');
  const fixed = { chatId: '1001', threadId: '77' };
  await say(fixed, 'and here?');
  await say(fixed, '/title Tulips');
  await say(fixed, '/whoami');
  assert.equal(nameOf(fixed), 'Fixed');
});

test('what a topic had that was deleted can be restored into another one, and without any topic the main chat answers again', async (t) => {
  await using server = await startModelServer({
    respond: ({ rawBody }) => ({ text: rawBody.includes('slowly') ? 'done' : 'yes' }),
  });
  const { fake, dm, gateway, say, sessionAt, store, texts } = await openTopics(t, server);
  await say(dm, '/topic');
  const [one, two] = [fake.openTopic(dm, 'One'), fake.openTopic(dm, 'Two')];
  await say(one, 'a');
  await say(two, 'b');
  const first = await sessionAt(one);
  const release = Promise.withResolvers<void>();
  fake.server.hold('sendMessage', release.promise);
  await fake.write({ in: one, text: 'slowly' });
  await until(() => fake.server.requests.filter(({ method }) => method === 'sendMessage').length === 4, 'the answer');
  fake.deleteTopic(one);
  release.resolve();
  await until(() => texts(dm).includes('done'), 'the answer in the main chat');
  await until(async () => (await sessionAt(one)) === undefined, 'the end of the topic');
  await until(async () => (await gateway.routing.get(`agent:main:telegram:dm:1001:${one.threadId}`)) === undefined);
  assert.match(await say(two, `/topic ${first}`), /This topic goes on with/);
  assert.equal(await sessionAt(two), first);
  await say(two, 'go on');
  assert.match(JSON.stringify(server.requests.at(-1)?.body.messages), /slowly/);
  fake.deleteTopic(two);
  await gateway.say({ ...eventAt('telegram', dm.chatId, two.threadId) }, 'news');
  await until(async () => !(await store.chatTopics.isOn({ chatId: '1001', userId: '1001' })));
  assert.equal(await say(dm, 'hello'), 'yes');
});

test('a gateway that starts again has each topic go on where it was', async (t) => {
  await using server = await counting();
  const first = await openTopics(t, server);
  await first.say(first.dm, '/topic');
  const one = first.fake.openTopic(first.dm, 'One');
  await first.say(one, 'a');
  const id = await first.sessionAt(one);
  await first.close();
  const second = await openTopics(t, server, { before: first });
  assert.equal(await second.say(one, 'b'), '2 said');
  assert.equal(await second.sessionAt(one), id);
  assert.match(await second.say(second.dm, 'here?'), /commands only/);
});

test('/topic is of no use in a group', async (t) => {
  await using server = await counting();
  const { fake, say } = await openTopics(t, server);
  assert.match(await say(fake.places.otherGroup, '/topic'), /for private chats of Telegram/);
});
