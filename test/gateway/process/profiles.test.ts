/** One gateway process that serves several profiles, as a person who writes to their bots sees it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import * as gatewayCommand from '../../../src/cli/commands/gateway.ts';
import { profileHome } from '../../../src/config/home.ts';
import { runCommand } from '../../cli/config/run-command.ts';
import { configFor, type Running } from '../../cli/hermes-process.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { FakeTelegram } from '../../fakes/telegram-platform.ts';
import { gatewayPlace, type GatewayPlace, until } from './support.ts';

const dm = { chatId: '1001', threadId: null };
const botOfCoder = '987654321:AAfake-token-of-the-bot-of-coder-98765';
const multiplexed = 'gateway:\n  multiplex_profiles: true\n';

const apiKey = 'k-0123456789abcdef';
/** Follows `multiplexed`. */
const apiServer = `  platforms:\n    api_server:\n      enabled: true\n      extra: {key: ${apiKey}, port: 0}\n`;

interface Pair extends GatewayPlace {
  readonly coder: FakeTelegram;
  readonly coderTexts: () => readonly string[];
  /** A file in the home of the profile `coder`. */
  readonly ofCoder: (name: string) => string;
}

/** A default profile and `coder`, each with a bot and a key of its own. */
async function pairOf(
  t: TestContext,
  model: ModelServer,
  { config = '', coderConfig = '', coderToken = botOfCoder, coderDotenv = '' } = {},
): Promise<Pair> {
  const place = await gatewayPlace(t, model, {
    config: `${multiplexed}${config}`,
    dotenv: 'TELEGRAM_ALLOWED_USERS=1001\nMODEL_KEY=key-of-default\n',
  });
  const coder = await FakeTelegram.open(undefined, botOfCoder);
  t.after(() => coder[Symbol.asyncDispose]());
  const withKeys = (text: string): string => text.replace('api_key: test-key', 'api_key: ${MODEL_KEY}');
  place.write('config.yaml', withKeys(place.read('config.yaml')));
  const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
  const platform = `platforms:\n  telegram:\n    extra:\n      base_url: ${coder.server.url}\n`;
  place.write('profiles/coder/config.yaml', `${withKeys(configFor(model))}${quiet}${platform}${coderConfig}`);
  place.write(
    'profiles/coder/.env',
    `TELEGRAM_BOT_TOKEN=${coderToken}\nTELEGRAM_ALLOWED_USERS=1001\nMODEL_KEY=key-of-coder\n${coderDotenv}`,
  );
  place.write('profiles/coder/.no-bundled-skills', '');
  return {
    ...place,
    coder,
    coderTexts: () => coder.shown(dm).map(({ text }) => text),
    ofCoder: (name) => readFileSync(join(place.home, 'profiles', 'coder', name), 'utf8'),
  };
}

async function bothServed(place: Pair, running: Running): Promise<void> {
  await place.inState(running, 'running');
  await until(() => /Profile coder is served too: telegram connected/.test(running.stdout), running);
}

test('one person writes to the bots of two profiles: no answer, key, memory or conversation mixes, and a stop lets both finish', async (t) => {
  await using model = await startModelServer({
    respond: ({ headers }) => ({ text: `I have ${headers.authorization}` }),
  });
  const place = await pairOf(t, model);
  place.write('memories/MEMORY.md', 'Fred grows kohlrabi.');
  place.write('profiles/coder/memories/MEMORY.md', 'Fred writes Haskell.');
  const gateway = place.run([], { MODEL_KEY: 'key-of-the-shell', OPENAI_API_KEY: 'sk-of-the-shell-0123456789abcdef' });
  await bothServed(place, gateway);
  await Promise.all([
    place.telegram.write({ in: dm, text: 'hello to the first' }),
    place.coder.write({ in: dm, text: 'hello to the coder' }),
  ]);
  await until(() => place.texts().length > 0 && place.coderTexts().length > 0, gateway);
  assert.deepEqual(place.texts(), ['I have Bearer key-of-default']);
  assert.deepEqual(place.coderTexts(), ['I have Bearer key-of-coder']);
  for (const { headers, body } of model.requests) {
    const said = JSON.stringify(body);
    const isCoder = headers.authorization === 'Bearer key-of-coder';
    assert.equal(said.includes('Haskell'), isCoder);
    assert.equal(said.includes('kohlrabi'), !isCoder);
    assert.equal(said.includes('hello to the coder'), isCoder);
  }
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'done in time', gate: gate.promise }, { text: 'done in time', gate: gate.promise });
  const before = model.requests.length;
  await place.telegram.write({ in: dm, text: 'work' });
  await place.coder.write({ in: dm, text: 'work' });
  await model.requestArrived(before + 2);
  gateway.child.kill('SIGTERM');
  const isTold = (texts: readonly string[]) => texts.some((text) => /shutting down.*30 s/.test(text));
  await until(() => isTold(place.texts()) && isTold(place.coderTexts()), gateway);
  gate.resolve();
  assert.equal((await gateway.ended).code, 1);
  assert.ok(place.texts().includes('done in time'));
  assert.ok(place.coderTexts().includes('done in time'));
  assert.equal(JSON.parse(place.ofCoder('gateway_state.json')).gateway_state, 'running');
  assert.ok(existsSync(join(place.home, 'profiles/coder/.clean_shutdown')));
  assert.ok(!existsSync(join(place.home, 'profiles/coder/gateway.pid')));
  const sessionsOf = (name: string) => readFileSync(join(place.home, name, 'sessions/sessions.json'), 'utf8');
  assert.match(sessionsOf('.'), /"agent:main:telegram:dm:1001"/);
  assert.match(sessionsOf('profiles/coder'), /"agent:coder:telegram:dm:1001"/);
  assert.doesNotMatch(sessionsOf('.'), /coder/);
  const logs = ['.', 'profiles/coder'].map((name) => readFileSync(join(place.home, name, 'logs/gateway.log'), 'utf8'));
  assert.ok(logs.every((log) => !log.includes(botOfCoder) && !log.includes(place.telegram.server.token)));
});

test('after kill -9 the next gateway goes on with the turns of both profiles, and each is answered once', async (t) => {
  await using model = await startModelServer();
  const never = Promise.withResolvers<void>();
  model.enqueue({ text: 'lost', gate: never.promise }, { text: 'lost', gate: never.promise });
  model.enqueue({ text: 'found again' }, { text: 'found again' });
  const place = await pairOf(t, model);
  const first = place.run();
  await bothServed(place, first);
  await place.telegram.write({ in: dm, text: 'do it' });
  await place.coder.write({ in: dm, text: 'do it' });
  await model.requestArrived(2);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = place.run();
  const found = (texts: readonly string[]) => texts.filter((text) => text === 'found again').length;
  await until(() => found(place.texts()) > 0 && found(place.coderTexts()) > 0, second);
  never.resolve();
  await bothServed(place, second);
  second.child.kill('SIGTERM');
  await second.ended;
  assert.deepEqual([found(place.texts()), found(place.coderTexts())], [1, 1]);
});

test('what is wrong with one profile is told in a line, and the others are served', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'I am here' }) });
  const place = await pairOf(t, model, { coderDotenv: 'API_SERVER_ENABLED=true\n' });
  const dotenv = place.ofCoder('.env').replace(botOfCoder, place.telegram.server.token);
  place.write('profiles/coder/.env', dotenv);
  const bot = 'TELEGRAM_BOT_TOKEN=1122334455:AAfake-token-of-a-profile-that-is-damaged\n';
  place.write('profiles/damaged/.env', bot);
  place.write('profiles/damaged/state.db/not-a-database', '');
  place.write('profiles/writer/config.yaml', 'model: [\n');
  const gateway = place.run();
  await until(() => gateway.stdout.includes('Profile damaged is not served: '), gateway);
  assert.match(gateway.stdout, /Profile writer: .*config\.yaml/);
  assert.equal(JSON.parse(place.read('profiles/damaged/gateway_state.json')).gateway_state, 'startup_failed');
  assert.ok(!existsSync(join(place.home, 'profiles/damaged/gateway.pid')));
  // The first who has the token keeps it; who listens is the default profile.
  await until(() => /Profile coder is served too: telegram fatal, api_server fatal/.test(gateway.stdout), gateway);
  assert.match(gateway.stdout, /not connected for profile coder: profile default has the same token/);
  assert.match(
    gateway.stdout,
    /api_server of profile coder is not started: .* default profile listens for all of them/,
  );
  await place.telegram.write({ in: dm, text: 'hi' });
  await until(() => place.texts().includes('I am here'), gateway);
  assert.match(place.read('logs/gateway.log'), /Profile damaged is not served: /);
});

test('a profile that is served is told to be: it gets no second gateway, and a stop meant for it does not end the others', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'I am here' }) });
  const place = await pairOf(t, model, { config: apiServer });
  place.write('profiles/idle/config.yaml', '');
  const gateway = place.run();
  await bothServed(place, gateway);
  const { pid } = gateway.child;
  const run = async (profile: string, ...words: string[]) =>
    await runCommand(gatewayCommand, { home: profileHome(place.home, profile), env: { ...place.env } }, ...words);
  const list = (await run('default', 'list')).stdout;
  assert.match(list, new RegExp(`^default  running \\(pid ${pid}\\)$`, 'm'));
  for (const name of ['coder', 'idle']) {
    assert.match(list, new RegExp(`^${name}  running in the gateway of default \\(pid ${pid}\\)$`, 'm'));
  }
  const status = (await run('coder', 'status')).stdout;
  assert.match(status, /profile coder runs \(pid \d+, in that of profile default\): running/);
  assert.match(status, /telegram: connected/);
  assert.match((await run('default', 'status')).stdout, /serves all profiles: default, coder, idle/);
  for (const words of [['run', '--replace'], ['stop'], ['restart'], ['install']]) {
    const refused = await run('coder', ...words);
    assert.equal(refused.exitCode, 78, refused.stderr);
    assert.match(refused.stderr, /gateway of the default profile \(pid \d+\) serves profile coder too/);
  }
  const [, url] = /API server listens on (\S+)\./.exec(gateway.stdout) ?? [];
  assert.equal((await fetch(`${url}/p/idle/v1/models`)).status, 401);
  assert.ok(!existsSync(join(place.home, 'profiles/idle/state.db')), 'what has nothing to do is not opened');
  const models = await fetch(`${url}/p/idle/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.equal(((await models.json()) as { data: { id: string }[] }).data[0]?.id, 'idle');
  assert.ok(existsSync(join(place.home, 'profiles/idle/state.db')), 'a request opens it');
  await place.coder.write({ in: dm, text: 'still there?' });
  await until(() => place.coderTexts().includes('I am here'), gateway);
  place.write('.drain_request.json', '{}');
  const said = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  let answer = '';
  while (!answer.includes('gateway_draining'))
    answer = await (await fetch(`${url}/p/idle/v1/chat/completions`, { method: 'POST', body: said, headers })).text();
  await run('default', 'stop', '--all');
  assert.equal((await gateway.ended).code, 0);
});
