/** `hermes gateway setup`: a bot, the API server and webhooks by questions, tried before they are stored. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { readEnvFile } from '../../src/config/dotenv.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { matrix } from '../fakes/matrix-platform.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { type GatewayPlace, gatewayPlace, until } from '../gateway/process/support.ts';
import { noTmux, openPane, type Pane } from './interactive/tmux.ts';
import { hermes, makePlace, type Place } from './hermes-process.ts';

const model = 'model:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: old\n  api_key: key-1\n';

async function telegramPlace(
  t: TestContext,
  more = '',
): Promise<{ readonly place: Place; readonly fake: FakeTelegram }> {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const place = makePlace(t);
  const platforms = `platforms:\n  telegram:\n${more}    base_url: ${fake.server.url}\n`;
  place.write('config.yaml', `${model}${platforms}`);
  return { place, fake };
}

function variablesOf(place: Place): Readonly<Record<string, string>> {
  return Object.fromEntries(readEnvFile(join(place.home, '.env')).values);
}

/** Chooses nothing more, and leaves the rest as it is. */
async function finish(pane: Pane): Promise<number> {
  await pane.sees(/What do you want to set up\?[^]*● nothing more/);
  pane.keys('Enter');
  await pane.sees(/Start it in this terminal with|\(Y\/n\)|● Yes/);
  if (!/Start it in this terminal with/.test(pane.screen())) pane.keys('n');
  return await pane.ended();
}

suite('hermes gateway setup in a terminal', { concurrency: 2, skip: noTmux }, () => {
  test('a bot is asked for, tried, and stored with who may talk to it; their chat is home', async (t) => {
    const { place, fake } = await telegramPlace(t);
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/What do you want to set up\?[^]*● Telegram[^]*Matrix[^]*API server[^]*Webhooks/);
    pane.keys('Enter');
    await pane.sees(/Write \/newbot to @BotFather[^]*Token of the bot, from https:\/\/t\.me\/BotFather/);
    pane.enter(fake.wrongVariables.TELEGRAM_BOT_TOKEN);
    await pane.sees(/Telegram does not know this bot/);
    pane.enter(fake.server.token);
    await pane.sees(/Telegram knows it: @fake_robot_bot[^]*Who may talk to it\?/);
    assert.equal(existsSync(join(place.home, '.env')), false, 'nothing is stored before the last answer');
    pane.keys('Up', 'Enter');
    await pane.sees(/Ids of the people/);
    pane.enter('@fred');
    await pane.sees(/Ids of people are numbers/);
    pane.keys('C-u');
    pane.enter('1001, 1003');
    await pane.sees(/Chat for messages that nobody asked for[^]*1001/);
    pane.keys('Enter');
    await pane.sees(/Telegram is stored in[^]*Write to @fake_robot_bot in Telegram/);
    assert.equal(await finish(pane), 0);
    assert.deepEqual(variablesOf(place), {
      TELEGRAM_BOT_TOKEN: fake.server.token,
      TELEGRAM_ALLOWED_USERS: '1001,1003',
      TELEGRAM_HOME_CHANNEL: '1001',
    });
    assert.ok(!pane.written().includes(fake.server.token), 'the token is not shown');
  });

  test('whoever leaves before the last question changes nothing', async (t) => {
    const { place, fake } = await telegramPlace(t);
    const before = place.read('config.yaml');
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Enter');
    await pane.sees(/Token of the bot/);
    pane.enter(fake.server.token);
    await pane.sees(/Who may talk to it\?/);
    pane.keys('Enter');
    await pane.sees(/Chat for messages that nobody asked for/);
    pane.keys('C-c');
    await pane.sees(/Nothing was changed/);
    assert.equal(await pane.ended(), 0);
    assert.equal(existsSync(join(place.home, '.env')), false);
    assert.equal(place.read('config.yaml'), before);
  });

  test('what is set is kept with Enter, a switch in config.yaml is put back on, and everybody is let in only after a warning', async (t) => {
    const { place, fake } = await telegramPlace(t, '    enabled: false\n');
    place.write(
      '.env',
      `# mine\nTELEGRAM_BOT_TOKEN=${fake.server.token}\nTELEGRAM_ALLOWED_USERS=1001\nTELEGRAM_HOME_CHANNEL=-1001\nTELEGRAM_HOME_CHANNEL_THREAD_ID=7\n`,
    );
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Enter');
    await pane.sees(/Token of the bot[^]*Enter keeps it/);
    pane.keys('Enter');
    await pane.sees(/● people whose ids I write down now/);
    pane.keys('Down', 'Down', 'Enter');
    await pane.sees(/Strangers could have it run commands[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/● No[^]*Who may talk to it\?|Who may talk to it\?[^]*Who may talk to it\?/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Chat for messages that nobody asked for[^]*-1001/);
    pane.keys('Enter');
    await pane.sees(/answers with a code; let yourself\s+in with: hermes pairing approve/);
    assert.equal(await finish(pane), 0);
    assert.equal(
      place.read('.env'),
      `# mine\nTELEGRAM_BOT_TOKEN=${fake.server.token}\nTELEGRAM_HOME_CHANNEL=-1001\nTELEGRAM_HOME_CHANNEL_THREAD_ID=7\n`,
    );
    assert.partialDeepStrictEqual(parse(place.read('config.yaml')), { platforms: { telegram: { enabled: true } } });
  });

  test('a service that cannot be reached is told, and its token may be taken as it is', async (t) => {
    const { place, fake } = await telegramPlace(t);
    await fake.stop();
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Enter');
    await pane.sees(/Token of the bot/);
    pane.enter(fake.server.token);
    await pane.sees(/Telegram cannot be reached[^]*Take it without having tried it\?[^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Who may talk to it\?/);
    pane.keys('C-c');
    assert.equal(await pane.ended(), 0);
  });

  test('an account of Matrix is asked for by its token, or by name and password', async (t) => {
    const fake = await matrix.open();
    t.after(() => fake[Symbol.asyncDispose]());
    const { MATRIX_HOMESERVER: server = '', MATRIX_ACCESS_TOKEN: token = '' } = fake.variables;
    const { place } = await telegramPlace(t);
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Address of the homeserver/);
    pane.enter('matrix.test');
    await pane.sees(/begins with https/);
    pane.keys('C-u');
    pane.enter(server);
    await pane.sees(/Access token of the account/);
    pane.keys('Enter');
    await pane.sees(/Name of the account/);
    pane.keys('Enter');
    await pane.sees(/Password of the account/);
    pane.keys('Enter');
    await pane.sees(/That is not all that Matrix needs[^]*Address of the homeserver[^]*http:/);
    pane.keys('Enter');
    await pane.sees(/That is not all[^]*Access token of the account/);
    pane.enter(token);
    await pane.sees(/Matrix knows it: @[^]*● whoever I let in later/);
    pane.keys('Enter');
    await pane.sees(/Room for messages that nobody asked for/);
    pane.keys('Enter');
    assert.equal(await finish(pane), 0);
    assert.deepEqual(variablesOf(place), { MATRIX_HOMESERVER: server, MATRIX_ACCESS_TOKEN: token });
  });

  test('the API server gets a key that is made, webhooks a port, and both say what to do next', async (t) => {
    const { place } = await telegramPlace(t);
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Down', 'Down', 'Enter');
    await pane.sees(/Serve the API\?/);
    pane.keys('Enter');
    await pane.sees(/Enter makes one/);
    pane.enter('short');
    await pane.sees(/At least 16 characters/);
    pane.keys('C-u', 'Enter');
    await pane.sees(/Port[^]*8642/);
    pane.keys('Enter');
    await pane.sees(/http:\/\/127\.0\.0\.1:8642\/v1[^]*API server \(set up\)[^]*● nothing more/);
    pane.keys('Up', 'Enter');
    await pane.sees(/Take webhooks\?/);
    pane.keys('Enter');
    await pane.sees(/Port[^]*8644/);
    pane.keys('C-u');
    pane.enter('8655');
    await pane.sees(/hermes webhook subscribe NAME/);
    assert.equal(await finish(pane), 0);
    const { API_SERVER_KEY: key = '', ...others } = variablesOf(place);
    assert.match(key, /^[\w-]{40,}$/);
    assert.deepEqual(others, { API_SERVER_ENABLED: 'true', WEBHOOK_ENABLED: 'true', WEBHOOK_PORT: '8655' });
  });

  test('what a newcomer sets up answers them: the gateway takes the bot as it was stored', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'Hello Fred.' }) });
    const place: GatewayPlace = await gatewayPlace(t, server, { dotenv: '' });
    place.write('.env', '');
    const pane = openPane(t, place, ['gateway', 'setup']);
    await pane.sees(/● Telegram/);
    pane.keys('Enter');
    await pane.sees(/Token of the bot/);
    pane.enter(place.telegram.server.token);
    await pane.sees(/● whoever I let in later/);
    pane.keys('Enter');
    await pane.sees(/Chat for messages that nobody asked for/);
    pane.keys('Enter');
    assert.equal(await finish(pane), 0);
    const gateway = place.run();
    await place.inState(gateway, 'running');
    const dm = { chatId: '1001', threadId: null };
    await place.telegram.write({ in: dm, text: 'hi' });
    await until(() => place.texts().some((text) => text.includes('pairing code')), gateway);
    const code = /hermes pairing approve telegram (\w+)/.exec(place.texts().join('\n'))?.[1] ?? '';
    assert.equal((await hermes(place, ['pairing', 'approve', 'telegram', code])).code, 0);
    await place.telegram.write({ in: dm, text: 'hi again' });
    await until(() => place.texts().includes('Hello Fred.'), gateway);
  });
});

test('without a terminal one line says how to do it by hand, and what is set up can be shown', async (t) => {
  const { place, fake } = await telegramPlace(t);
  const asked = await hermes(place, ['gateway', 'setup']);
  assert.deepEqual([asked.code, asked.stdout], [1, '']);
  assert.match(
    asked.stderr,
    /gateway setup asks questions and needs a terminal\.[^]*hermes config set TELEGRAM_BOT_TOKEN/,
  );
  place.write('.env', `TELEGRAM_BOT_TOKEN=${fake.server.token}\n`);
  const shown = await hermes(place, ['setup', 'gateway', '--non-interactive']);
  assert.equal(
    shown.stdout,
    '✓ Telegram: set up\n✗ Matrix: not set up\n✗ API server: not set up\n✗ Webhooks: not set up\n',
  );
  assert.equal((await hermes(place, ['setup', 'gateway', '--reset'])).code, 2);
});
