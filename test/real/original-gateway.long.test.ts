/** The released original in the place of one of two gateways: who has the chats, and who has the agent or the terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { noTmux, openPane } from '../cli/interactive/tmux.ts';
import { gatewayPlace, until } from '../gateway/process/support.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

const original = await pythonPackages('original', [
  'hermes-agent==0.19.0',
  'aiohttp==3.14.1',
  'python-telegram-bot[webhooks]==22.8',
]);
const skip = typeof original === 'string' && original;
const key = 'k-of-the-other-0123456789';
const dm = { chatId: '1001', threadId: null };

function programs() {
  if (typeof original === 'string') throw new Error(original);
  return original;
}

function environmentOf(home: string) {
  return { HOME: home, HERMES_HOME: home };
}

test('a chat is answered by the API server of the original, which keeps the conversation', { skip }, async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'From afar.' }) });
  await using nobody = await startModelServer();
  const far = temporaryHome(t);
  far.write('config.yaml', `model: {provider: custom, base_url: ${model.url}, default: m, api_key: x}\n`);
  const command = programs().script('hermes');
  const at = await startServer(t, {
    command: 'sh',
    args: (port) => ['-c', `API_SERVER_PORT=${port} exec '${command}' gateway run`],
    env: { ...environmentOf(far.home.path), API_SERVER_ENABLED: 'true', API_SERVER_KEY: key },
    ready: '/health',
  });
  const here = await gatewayPlace(t, nobody, {
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nGATEWAY_PROXY_URL=${at}\nGATEWAY_PROXY_KEY=${key}\n`,
  });
  const gateway = here.run();
  await here.inState(gateway, 'running');
  await here.telegram.write({ in: dm, text: 'look' });
  await until(() => here.texts().length === 1, gateway);
  await here.telegram.write({ in: dm, text: 'and again' });
  await until(() => here.texts().length === 2, gateway);
  assert.deepEqual(here.texts(), ['From afar.', 'From afar.']);
  assert.deepEqual(
    model.lastRequest.body.messages.slice(-3).map(({ content }) => content),
    ['look', 'From afar.', 'and again'],
  );
  assert.equal(nobody.requests.length, 0);
});

test('a terminal hands its conversation to the gateway of the original', { skip: skip || noTmux }, async (t) => {
  await using model = await startModelServer();
  model.enqueue({ text: 'Blue it is.' });
  const place = await gatewayPlace(t, model, {
    dotenv: 'TELEGRAM_ALLOWED_USERS=1001\nTELEGRAM_HOME_CHANNEL=1001\n',
  });
  const { url } = place.telegram.server;
  // The original wants the whole beginning of a method's address.
  place.write('config.yaml', place.read('config.yaml').replace(url, `${url}/bot`));
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('the wall is to be blue');
  await pane.sees(/Blue it is\./);
  const gateway = spawn(programs().script('hermes'), ['gateway', 'run'], {
    env: { PATH: process.env['PATH'], ...environmentOf(place.home) },
    stdio: 'ignore',
  });
  t.after(() => gateway.kill('SIGKILL'));
  await until(() => place.state()?.gateway_state === 'running');
  // It takes a chat for out of reach until its first question for updates was answered.
  model.enqueue({ text: 'Good morning.' });
  await place.telegram.write({ in: dm, text: 'hello' });
  await until(() => place.texts().includes('Good morning.'));
  model.enqueue({ text: 'Here I am.' });
  pane.enter('/platforms');
  await pane.sees(/telegram: connected/);
  pane.enter('/handoff telegram');
  await pane.sees(/To have it back here: \/resume \S+/);
  assert.equal(await pane.ended(), 0);
  await until(() => place.texts().includes('Here I am.'));
  assert.match(JSON.stringify(model.lastRequest.body.messages), /the wall is to be blue[^]*Blue it is\./);
});
