/** What a gateway owes to whoever runs it: stops that are heard, bounds that hold, rules that are kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingSlashLine } from '../../src/cli/not-in-this-build.ts';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { ListAuthorization } from '../../src/gateway/intake/list-authorization.ts';
import { Pairing } from '../../src/gateway/intake/pairing.ts';
import type { Attachment } from '../../src/gateway/platform/message-event.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import type { PlatformConfig } from '../../src/gateway/platform/platform-config.ts';
import { configuredPlatforms } from '../../src/gateway/process/configured-platforms.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService, type FakeOptions } from './chat-service.ts';
import { openGateway } from './support.ts';
import { allRoutes } from '../sessions/chat-support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

function runCommands(): RunCommands {
  return new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
    missing: missingSlashLine,
  });
}

/** Lets people in by lists alone. */
function listed(
  homePath: string,
  fake: ChatService,
  variables: Record<string, string>,
  extra: PlatformConfig['extra'],
) {
  const config = { ...fake.config, extra };
  return new ListAuthorization({
    pairing: new Pairing(homePath),
    variables: () => variables,
    platform: (name) => (name === 'fake' ? { platform: fake.platform, config } : undefined),
    strangers: undefined,
  });
}

test('/stop is heard while a tool hangs, and the next message is answered', async (t) => {
  await using server = await startModelServer();
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 600', timeout: 600 } }] },
    { text: 'here again' },
  );
  const { fake, gateway } = await openGateway(t, server, { config: quiet, commands: runCommands() });
  await fake.say('work');
  await server.requestArrived(1);
  assert.equal(await fake.say('/stop'), 'accepted');
  await fake.until(() => fake.texts().some((text) => text.includes('⏹ Stopped the turn')));
  await gateway.chats.settled(AbortSignal.timeout(30_000));
  await fake.say('are you there?');
  await fake.until(() => fake.texts().includes('here again'));
  assert.equal(server.requests.length, 2);
});

test('of two hundred chats no more rest than may, and one that was put away goes on with its history', async (t) => {
  await using server = await startModelServer({ respond: ({ body }) => ({ text: `${body.messages.length}` }) });
  const { fake, gateway } = await openGateway(t, server, { config: quiet, chats: { most: 5 } });
  for (let index = 0; index < 200; index += 1) {
    const chat = `c${index}`;
    await fake.say('hi', { chat, user: chat });
    await fake.until(() => fake.texts(chat).length === 1);
    await gateway.chats.settled(AbortSignal.timeout(10_000));
    assert.ok(gateway.status.openChats <= 5, `${gateway.status.openChats} after ${index}`);
  }
  await fake.say('and now?', { chat: 'c0', user: 'c0' });
  await fake.until(() => fake.texts('c0').length === 2);
  assert.deepEqual(fake.texts('c0'), ['2', '4']);
});

test('who is no administrator may chat and ask who they are, and runs no command that was not listed', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'fine' }) });
  const place = placeFor(t, server, quiet);
  const fake = new ChatService();
  const authorization = listed(place.work, fake, { FAKE_ALLOW_ALL_USERS: 'true' }, { allow_admin_from: ['ann'] });
  await openGateway(t, server, { place, fake, authorization, commands: runCommands() });
  await fake.say('/model other', { user: 'bob' });
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', /\/model is for administrators here/);
  await fake.say('/whoami', { user: 'bob' });
  await fake.until(() => fake.texts().length === 2);
  assert.match(fake.texts()[1] ?? '', /user/);
  await fake.say('hello', { user: 'bob' });
  await fake.until(() => fake.texts().includes('fine'));
});

test('with the rule per_message each message has a conversation of its own, and with never a chat has one', async (t) => {
  await using server = await startModelServer({ respond: ({ body }) => ({ text: `${body.messages.length}` }) });
  const ids = async (mode: string): Promise<(string | undefined)[]> => {
    const { fake, gateway } = await openGateway(t, server, { config: `${quiet}session_reset:\n  mode: ${mode}\n` });
    const found: (string | undefined)[] = [];
    for (let count = 1; count <= 3; count += 1) {
      await fake.say('hi');
      await gateway.chats.settled(AbortSignal.timeout(10_000));
      await fake.until(() => fake.texts().filter((text) => /^\d+$/.test(text)).length === count);
      found.push([...(await allRoutes(gateway.routing)).values()][0]?.session_id);
    }
    return found;
  };
  assert.equal(new Set(await ids('per_message')).size, 3);
  assert.equal(new Set(await ids('never')).size, 1);
});

test('a platform that this build does not have is one line of warning, and the others run', async () => {
  const warnings: string[] = [];
  const found = await configuredPlatforms(
    {
      raw: { platforms: { nochat: { enabled: true, token: 'x' } } },
      variables: { TELEGRAM_BOT_TOKEN: '123456:abcdefghijklmnopqrstuvwxyz0123456789' },
    },
    (line) => warnings.push(line),
  );
  assert.deepEqual(
    found.map(({ platform }) => platform.name),
    ['telegram'],
  );
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /platforms\.nochat is left alone: this build has no such platform/);
});

test('three pictures that come while a turn runs do not stop it, and are one message behind it', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'first', gate: gate.promise }, { text: 'three' });
  const received: string[][] = [];
  const { fake } = await openGateway(t, server, {
    config: quiet,
    receive: (event) => {
      received.push(event.attachments.map(({ reference }) => reference));
      return Promise.resolve([]);
    },
  });
  await fake.say('work');
  await server.requestArrived(1);
  for (const reference of ['a', 'b', 'c']) {
    const attachments: Attachment[] = [{ kind: 'image', reference }];
    await fake.say(reference === 'a' ? 'look' : '', { attachments, message_type: 'photo', burst: { quiet_ms: 5000 } });
  }
  gate.resolve();
  await fake.until(() => fake.texts().includes('three'));
  assert.deepEqual(fake.texts(), ['first', 'three']);
  assert.deepEqual(received, [['a', 'b', 'c']]);
});

test('the variables that a platform names for its lists are the ones that let people in', async (t) => {
  await using server = await startModelServer();
  const { work } = placeFor(t, server);
  const facts: FakeOptions['facts'] = {
    allowedUsersVariable: 'FOO_ALLOWED_USERS',
    allowAllVariable: 'FOO_ALLOW_ALL_USERS',
  };
  const fake = new ChatService({ facts });
  const admits = async (user: string, variables: Record<string, string>): Promise<string> => {
    const source = {
      platform: 'fake',
      chat_id: 'c',
      chat_name: null,
      chat_type: 'dm',
      user_id: user,
      user_name: null,
    } as const;
    const authorization = listed(work, fake, variables, {});
    return (await authorization.admit({ source: { ...source, thread_id: null, chat_topic: null } })).as;
  };
  assert.equal(await admits('eve', { FOO_ALLOWED_USERS: 'ann' }), 'stranger');
  assert.equal(await admits('ann', { FOO_ALLOWED_USERS: 'ann' }), 'allowed');
  assert.equal(await admits('eve', { FOO_ALLOWED_USERS: 'ann', FOO_ALLOW_ALL_USERS: 'true' }), 'allowed');
});

test('a gateway ends while three platforms wait to be tried again', async (t) => {
  await using server = await startModelServer();
  const services = ['one', 'two', 'three'].map((name) => {
    const fake = new ChatService({ facts: { name } });
    const create: typeof fake.platform.create = (host) => ({
      ...fake.platform.create(host),
      connect: () => Promise.reject(new PlatformError('down', 'nobody answers', { retryable: true })),
    });
    return { platform: { ...fake.platform, create }, config: { ...fake.config, platform: name } };
  });
  let tried = 0;
  const allTried = Promise.withResolvers<void>();
  const { gateway, close } = await openGateway(t, server, {
    config: quiet,
    platforms: services,
    onStatus: (_name, { state, attempt }) => {
      if (state === 'retrying' && attempt === 2) tried += 1;
      if (tried >= 3) allTried.resolve();
    },
  });
  await allTried.promise;
  await gateway.drain(AbortSignal.timeout(60_000));
  await close();
  for (const { state } of Object.values(gateway.status.platforms)) assert.equal(state, 'disconnected');
});
