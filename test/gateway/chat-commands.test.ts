/** Slash commands in chats: what a person types, and what the chat and the model see of it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { missingSlashLine } from '../../src/cli/not-in-this-build.ts';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { fakeEntry } from '../mcp/support.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { type Opened, openGateway, type OpenOptions } from './support.ts';
import { allRoutes } from '../sessions/chat-support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

async function openWithCommands(
  t: TestContext,
  server: { readonly url: string },
  { config = quiet, ...options }: OpenOptions = {},
): Promise<Opened> {
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  return await openGateway(t, server, { config, commands, ...options });
}

test('/footer shows the model and how full its context is under each answer, and is kept', async (t) => {
  const usage = { prompt_tokens: 42_000, completion_tokens: 5, total_tokens: 42_005 };
  await using server = await startModelServer({ respond: () => ({ text: 'yes', usage }) });
  const { fake, place } = await openWithCommands(t, server, { config: `  context_length: 100000\n${quiet}` });
  await fake.say('/footer on');
  await fake.until(() => fake.texts().length === 1);
  await fake.say('hello');
  await fake.until(() => fake.texts().length === 2);
  assert.equal(fake.texts()[0], 'Footer: on (model, context_pct, cwd).');
  assert.equal(fake.texts()[1], 'yes\n\ntest-model · 42% · ~/work');
  assert.match(place.read('config.yaml'), /runtime_footer:\s+enabled: true/);
  await fake.say('/footer off');
  await fake.until(() => fake.texts().length === 3);
  await fake.say('hello');
  await fake.until(() => fake.texts().length === 4);
  assert.equal(fake.texts()[3], 'yes');
});

test('/platform shows how each platform is, and has one that does not come through not tried any more, or at once', async (t) => {
  await using server = await startModelServer();
  const fake = new ChatService();
  const down = new ChatService({ facts: { name: 'down', label: 'Down' } });
  const create: typeof down.platform.create = (host) => ({
    ...down.platform.create(host),
    connect: () => Promise.reject(new PlatformError('down', 'nobody answers', { retryable: true })),
  });
  const tried = Promise.withResolvers<void>();
  await openWithCommands(t, server, {
    fake,
    platforms: [
      { platform: fake.platform, config: fake.config },
      { platform: { ...down.platform, create }, config: { ...down.config, platform: 'down' } },
    ],
    onStatus: (name, { state, attempt }) => {
      if (name === 'down' && state === 'retrying' && attempt === 2) tried.resolve();
    },
  });
  await tried.promise;
  const said = async (text: string, answer: RegExp): Promise<void> => {
    const before = fake.texts().length;
    await fake.say(text);
    await fake.until(() => fake.texts().length > before);
    assert.match(fake.texts().at(-1) ?? '', answer);
  };
  await said('/platform list', /^Platforms\nfake: connected\ndown: retrying \(attempt 2\), nobody answers$/);
  await said('/platform pause fake', /^fake is connected; there is nothing to pause\.$/);
  await said('/platform pause down', /^down is not tried any more until \/platform resume down\.$/);
  await said('/platform', /\ndown: PAUSED, nobody answers$/);
  await said('/platform resume down', /^Trying down again\.$/);
  await said('/platform pause nowhere', /There is no platform 'nowhere' here/);
  assert.equal(server.requests.length, 0);
});

test('/queue, /retry and /learn are answered in the chat', async (t) => {
  let count = 0;
  await using server = await startModelServer({ respond: () => ({ text: `answer ${(count += 1)}` }) });
  const { fake } = await openWithCommands(t, server);
  for (const [at, text] of ['hello', '/queue later', '/retry', '/learn how to make tea'].entries()) {
    await fake.say(text);
    await fake.until(() => fake.texts().includes(`answer ${at + 1}`));
  }
  const asked = server.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)?.content));
  assert.match(asked[1] ?? '', /later/);
  assert.equal(asked[2], asked[1]);
  assert.match(asked[3] ?? '', /Make a skill[\s\S]*how to make tea/);
  assert.equal(server.requests[2]?.body.messages.filter(({ role }) => role === 'assistant').length, 1);
});

test('/model holds for the chat alone, also behind a restart, until /new', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const first = await openWithCommands(t, server);
  const { fake, place } = first;
  const answered = async (text: string, by: string, chat = 'c1'): Promise<void> => {
    const before = fake.texts(chat).length;
    await fake.say(text, { chat, user: chat });
    await fake.until(() => fake.texts(chat).length > before);
    assert.equal(server.lastRequest.body.model, by);
  };
  await fake.say('/model other-model');
  await fake.until(() => fake.texts().some((text) => text.includes('Model: other-model')));
  await answered('hello', 'other-model');
  await answered('hello', 'test-model', 'c2');
  await first.close();
  const second = await openWithCommands(t, server, { fake, place });
  await answered('still there?', 'other-model');
  await answered('and you?', 'test-model', 'c2');
  await fake.say('/model third-model --once');
  await fake.until(() => fake.texts().some((text) => text.includes('For the next turn only')));
  await second.close();
  const third = await openWithCommands(t, server, { fake, place });
  await answered('again', 'other-model');
  const said = fake.texts().length;
  await fake.say('/new now');
  await fake.until(() => fake.texts().length > said);
  assert.equal((await third.gateway.routing.get('agent:main:fake:dm:c1'))?.is_fresh_reset, true);
  for (const name of ['state.db', 'state.db-wal', 'sessions/sessions.json'])
    assert.ok(!readFileSync(join(place.homePath, name)).includes('test-key'), `the key is not in ${name}`);
  await answered('from the beginning', 'test-model');
});

test('a model of a chat that cannot be used any more is told, and the usual one answers', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake, gateway } = await openWithCommands(t, server);
  await fake.say('hello');
  await fake.until(() => fake.texts().length === 1);
  const [key = ''] = (await allRoutes(gateway.routing)).keys();
  await gateway.chats.settled(AbortSignal.timeout(5000));
  await gateway.chats.closeResting(key);
  await gateway.routing.change(key, { model_override: { model: 'x', provider: 'openrouter' } });
  await fake.say('and now?');
  await fake.until(() => fake.texts().length === 3);
  assert.match(fake.texts()[1] ?? '', /^⚠️ x cannot be used any more \(.*\); the usual model answers/);
  assert.equal(server.lastRequest.body.model, 'test-model');
  assert.equal((await gateway.routing.get(key))?.model_override, undefined);
});

test('what a chat has no use for is refused at once, and never asked of the model; a skill of that name is', async (t) => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer();
  server.enqueue({ text: 'first', gate: gate.promise }, { text: 'a goal' });
  const place = placeFor(t, server, `${quiet}  busy_input_mode: queue\n`);
  const folder = join(place.homePath, 'skills', 'goal');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: goal\ndescription: sets goals\n---\nAim high.\n');
  const commands = new RunCommands({
    version: '0.0.0',
    startedAt: 0,
    missing: missingSlashLine,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  const { fake } = await openGateway(t, server, { place, commands });
  await fake.say('/start');
  await fake.say('hello');
  await server.requestArrived(1);
  const refused: readonly (readonly [line: string, said: RegExp])[] = [
    ['/config', /^\/config works in a terminal only/],
    ['/verbose', /^\/verbose works in a terminal only/],
    ['/pet', /^\/pet is not available in this build/],
  ];
  for (const [at, [line, said]] of refused.entries()) {
    await fake.say(line);
    await fake.until(() => fake.texts().length === at + 1);
    assert.match(fake.texts()[at] ?? '', said);
  }
  gate.resolve();
  await fake.until(() => fake.texts().length === 4);
  await fake.say('/goal be kind');
  await fake.until(() => fake.texts().includes('a goal'));
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /Aim high/);
  assert.deepEqual(server.violations, []);
});

/** What the chat says to one thing after the other. */
async function answersTo(opened: Opened, lines: readonly string[]): Promise<readonly string[]> {
  for (const [at, line] of lines.entries()) {
    await opened.fake.say(line);
    await opened.fake.until(() => opened.fake.texts().length === at + 1);
  }
  return opened.fake.texts();
}

test('/reasoning sets the effort of this conversation, and with --global that of all', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const opened = await openWithCommands(t, server);
  const texts = await answersTo(opened, ['/reasoning banana', '/reasoning high', '/reasoning']);
  assert.match(texts[0] ?? '', /^'banana' is not one of: .*high/);
  assert.equal(texts[1], 'Reasoning effort: high. Reasoning is hidden.');
  assert.equal(texts[2], texts[1]);
  assert.doesNotMatch(opened.place.read('config.yaml'), /reasoning/);
  await opened.fake.say('/reasoning low --global');
  await opened.fake.until(() => opened.fake.texts().length === 4);
  assert.match(opened.place.read('config.yaml'), /reasoning_effort: low/);
});

test('/new while a turn runs ends it and begins another conversation', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'fresh' }) });
  server.enqueue({ text: 'never', gate: new Promise(() => undefined) });
  const config = `${quiet}approvals:\n  destructive_slash_confirm: false\n`;
  const { fake } = await openWithCommands(t, server, { config });
  await fake.say('work');
  await server.requestArrived(1);
  await fake.say('/new');
  await fake.say('hello');
  await fake.until(() => fake.texts().includes('fresh'));
  assert.equal(server.requests.length, 2);
  assert.deepEqual(
    server.requests[1]?.body.messages.slice(1).map(({ content }) => content),
    ['hello'],
  );
});

test('/reload-mcp asks in the chat and tells what came; always means that it asks no more', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const config = `mcp_discovery_timeout: 60\nmcp_servers: {}\n${quiet}`;
  const { fake, place } = await openWithCommands(t, server, { config });
  const entry = { fs: fakeEntry({ tools: [{ name: 'read' }] }) };
  const written = place.read('config.yaml').replace('mcp_servers: {}', `mcp_servers: ${JSON.stringify(entry)}`);
  writeFileSync(join(place.homePath, 'config.yaml'), written);
  const reloads = () => fake.texts().filter((text) => text.includes('1 MCP server connected, 1 tool.')).length;
  await fake.say('/reload-mcp');
  await fake.until(() => fake.texts().some((text) => text.includes('Answer yes, always or no.')));
  await fake.say('always');
  await fake.until(() => reloads() === 1);
  assert.match(fake.texts().join('\n'), /Added: fs/);
  assert.match(place.read('config.yaml'), /mcp_reload_confirm: false/);
  await fake.say('/reload-mcp');
  await fake.until(() => reloads() === 2);
  assert.equal(fake.texts().filter((text) => text.includes('Answer yes, always or no.')).length, 1);
});

test('/stop where nothing runs says so', async (t) => {
  await using server = await startModelServer();
  const { fake } = await openWithCommands(t, server);
  await fake.say('/stop');
  await fake.until(() => fake.texts().length === 1);
  assert.deepEqual(fake.texts(), ['Nothing was running.']);
});

test('/help in a chat says what can be typed there, and nothing of the keys of a terminal', async (t) => {
  await using server = await startModelServer();
  const { fake } = await openWithCommands(t, server);
  await fake.say('/help');
  await fake.until(() => fake.texts().join('').includes('/version'));
  assert.match(fake.texts().join('\n'), /\/new, \/reset/);
  for (const name of [
    'approve',
    'deny',
    'background, /bg, /btw',
    'sethome',
    'whoami',
    'platform',
    'restart',
    'voice',
  ]) {
    assert.match(fake.texts().join('\n'), new RegExp(`^  /${name}`, 'm'), 'what only chats have stands there too');
  }
  assert.doesNotMatch(fake.texts().join('\n'), /Keys|Ctrl\+/);
});

test('/commands lists skills behind the commands, also while a turn runs', async (t) => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer();
  server.enqueue({ text: 'first', gate: gate.promise });
  const place = placeFor(t, server, quiet);
  const folder = join(place.homePath, 'skills', 'aim');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: aim\ndescription: ${'sets goals '.repeat(9)}\n---\nAim high.\n`);
  const { fake } = await openWithCommands(t, server, { place });
  const lastPage = /^Commands \((\d)\/\1\)[\s\S]*^\/aim: skill, sets goals .{39}…$/m;
  await fake.say('/commands 99');
  await fake.until(() => fake.texts().length === 1);
  assert.match(fake.texts()[0] ?? '', lastPage);
  await fake.say('hello');
  await server.requestArrived(1);
  await fake.say('/commands 99');
  await fake.until(() => fake.texts().length === 2);
  assert.match(fake.texts()[1] ?? '', lastPage);
  gate.resolve();
  await fake.until(() => fake.texts().includes('first'));
});

test('while a command asks, /status answers, and /stop takes the command back', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => ({ text: `${body.messages.length} messages` }),
  });
  const { fake } = await openWithCommands(t, server);
  await fake.say('hello');
  await fake.until(() => fake.texts().includes('2 messages'));
  await fake.say('/new');
  await fake.until(() => fake.texts().some((text) => text.includes('Answer yes, always or no.')));
  await fake.say('/status');
  await fake.until(() => fake.texts().some((text) => text.startsWith('Model:')));
  assert.doesNotMatch(fake.texts().join('\n'), /cancelled/, 'it has not waited until nobody answered');
  await fake.say('/stop');
  await fake.until(() => fake.texts().includes('🟡 /new cancelled. Conversation unchanged.'));
  await fake.say('yes');
  await fake.until(() => fake.texts().includes('4 messages'));
  assert.equal(server.requests.length, 2);
});

test('a second /new that asks nothing takes the place of one that asks', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => ({ text: `${body.messages.length} messages` }),
  });
  const { fake } = await openWithCommands(t, server);
  await fake.say('hello');
  await fake.until(() => fake.texts().includes('2 messages'));
  await fake.say('/new');
  await fake.until(() => fake.texts().some((text) => text.includes('Answer yes, always or no.')));
  await fake.say('/new now');
  await fake.until(() =>
    fake.texts().some((text) => /new (session|conversation)/i.test(text) && !text.includes('Answer')),
  );
  await fake.say('hello');
  await fake.until(() => fake.texts().filter((text) => text === '2 messages').length === 2);
  assert.doesNotMatch(fake.texts().join('\n'), /Not answered/, 'the first one did not wait until its time was over');
});
