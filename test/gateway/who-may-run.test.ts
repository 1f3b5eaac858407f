/** Who may run which command in a chat: a command is one whatever it is called, and a refusal is said, never asked of the model. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { ListAuthorization } from '../../src/gateway/intake/list-authorization.ts';
import { Pairing } from '../../src/gateway/intake/pairing.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { until } from './fake-host.ts';
import { openGateway } from './support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';

async function openFor(
  t: TestContext,
  server: { readonly url: string },
  { extra = {}, config = quiet }: { readonly extra?: Readonly<Record<string, unknown>>; readonly config?: string },
) {
  const fake = new ChatService();
  const place = placeFor(t, server, config);
  const authorization = new ListAuthorization({
    pairing: new Pairing(place.homePath),
    variables: () => ({ FAKE_ALLOWED_USERS: '*' }),
    platform: () => ({ platform: fake.platform, config: { ...fake.config, extra } }),
    strangers: undefined,
  });
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const opened = await openGateway(t, server, { fake, place, commands, authorization });
  const ask = async (text: string, user = 'bob'): Promise<string> => {
    const before = fake.texts().length;
    await fake.say(text, { user });
    await fake.until(() => fake.texts().length > before);
    return fake.texts()[before] ?? '';
  };
  return { ...opened, ask };
}

const admins = { allow_admin_from: ['ann'] };

test('an alias is the command that it stands for, in the list and in the chat', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const listed = await openFor(t, server, {
    extra: { ...admins, user_allowed_commands: ['agents', 'background', 'v'] },
  });
  assert.match(await listed.ask('/tasks'), /^Conversation: /);
  assert.match(await listed.ask('/BG'), /^Usage: \/background/);
  assert.match(await listed.ask('/version'), /0\.0\.0/);
  assert.match(await listed.ask('/set_home'), /^\/set-home is for administrators here/);
  assert.match(await listed.ask('/whoami'), /\/version/);
  assert.equal(server.requests.length, 0);
});

test('a command of the owner is refused aloud to whom it is not for, also behind another name', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const config = `${quiet}quick_commands:\n  disk_room:\n    type: exec\n    command: echo plenty\n  room:\n    type: alias\n    target: disk-room\n  way:\n    type: alias\n    target: /stop\n`;
  const { ask } = await openFor(t, server, {
    config,
    extra: { ...admins, user_allowed_commands: ['room', 'way'] },
  });
  assert.match(await ask('/disk_room'), /^\/disk-room is for administrators here/);
  assert.match(await ask('/disk-room now'), /is for administrators here/);
  assert.match(await ask('/room'), /^\/disk-room is for administrators here/);
  assert.match(await ask('/way'), /^\/stop is for administrators here/);
  assert.equal(await ask('/room', 'ann'), 'plenty');
  assert.equal(server.requests.length, 0);
});

test('whoever may not begin a new conversation does not stop the turn that runs either', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'The answer.', gate: gate.promise });
  const { fake, ask } = await openFor(t, server, { extra: admins });
  await fake.say('work', { user: 'ann' });
  await until(() => server.requests.length === 1);
  for (const line of ['/new', '/reset']) assert.match(await ask(line), /^\/\w+ is for administrators here/);
  gate.resolve();
  await fake.until(() => fake.texts().includes('The answer.'));
});

test('/help names what the sender may run, and nothing else', async (t) => {
  await using server = await startModelServer();
  const { ask } = await openFor(t, server, { extra: { ...admins, user_allowed_commands: ['status', 'background'] } });
  const named = async (user: string): Promise<readonly string[]> =>
    [...(await ask('/help', user)).matchAll(/^ {2}\/([\w-]+)/gm)].map(([, name]) => name ?? '').sort();
  assert.deepEqual(await named('bob'), ['background', 'help', 'status', 'whoami']);
  assert.ok((await named('ann')).includes('restart'));
});

test('/start is acknowledged in silence, with what stands behind it and whoever sends it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const config = `${quiet}quick_commands:\n  start:\n    type: exec\n    command: echo started\n`;
  const { fake, ask } = await openFor(t, server, { config, extra: admins });
  for (const line of ['/start', '/START@our_bot', '/start invited-by-eve']) {
    assert.equal(await fake.say(line, { user: 'bob' }), 'accepted');
    assert.equal(await fake.say(line, { user: 'ann' }), 'accepted');
  }
  assert.match(await ask('/whoami'), /Tier: user/);
  assert.equal(fake.texts().length, 1);
  assert.equal(server.requests.length, 0);
});

test('/verbose is for terminals, until display.tool_progress_command opens it to chats, where it cycles five ways', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'The model was asked.' }) });
  const closed = await openFor(t, server, {});
  assert.match(await closed.ask('/verbose'), /^\/verbose works in a terminal only/);
  const opened = await openFor(t, server, { config: `${quiet}display:\n  tool_progress_command: true\n` });
  assert.match(await opened.ask('/commands'), /^\/verbose/m);
  const said: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) said.push(await opened.ask('/verbose'));
  assert.deepEqual(
    said.map((line) => /^Tool progress: (\w+)/.exec(line)?.[1]),
    ['verbose', 'log', 'off', 'new', 'all'],
  );
  assert.match(await opened.ask('/verbose new'), /^Tool progress: new/);
  assert.match(opened.place.read('config.yaml'), /platforms:\s+fake:\s+tool_progress: new/);
  assert.match(await opened.ask('/verbose loud'), /off, new, all, verbose, log/);
  assert.equal(server.requests.length, 0);
});
