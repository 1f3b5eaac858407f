/** A chat platform that a plug-in brings, in a whole gateway: no file of the program knows it. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFor, hermes } from '../../cli/hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, until } from './support.ts';

// People write into one file of the home, and read what is said in another.
const code = `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
class Adapter {
  #host; #timer; #read = 0;
  constructor(host) { this.#host = host; }
  get #folder() { return this.#host.config.extra.env.BOARD_FOLDER; }
  async connect() { this.#timer = setInterval(() => this.#look(), 20); }
  async disconnect() { clearInterval(this.#timer); }
  async send({ to, text }) {
    appendFileSync(this.#folder + '/board.out', to.chatId + ': ' + text + '\\n');
    return { ok: true, messageId: String(Date.now()) };
  }
  #look() {
    const path = this.#folder + '/board.in';
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\\n').slice(0, -1) : [];
    for (const line of lines.slice(this.#read)) {
      const [user, text] = line.split(': ');
      const source = { chat_id: user, chat_type: 'dm', user_id: user, user_name: user };
      this.#host.accept({ event_id: String(this.#read), source, text }).catch((error) => this.#host.log.error('lost', error));
      this.#read += 1;
    }
  }
}
export default (ctx) => ctx.registerPlatform({
  name: 'board', label: 'Board', required_env: [{ name: 'BOARD_FOLDER', prompt: 'Folder' }],
  platform_hint: 'You write on a board.', adapter_factory: (host) => new Adapter(host),
});`;

test('a plug-in brings a platform: whom the list allows is answered, it can be sent to, and status shows it as one of a plug-in', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello from the board.' }) });
  const place = await gatewayPlace(t, model, { config: 'plugins: {enabled: [board]}\n' });
  place.write('plugins/board/plugin.yaml', 'kind: platform\nrequires_env: [BOARD_FOLDER]\n');
  place.write('plugins/board/index.mjs', code);
  const settings = `BOARD_FOLDER=${place.home}\nBOARD_ALLOWED_USERS=ann\nBOARD_HOME_CHANNEL=ann\n`;
  place.write('.env', `${place.read('.env')}${settings}`);
  const out = (): string => {
    const path = join(place.home, 'board.out');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const gateway = place.run();
  await place.inState(gateway, 'running');
  assert.equal(place.state()?.platforms['board']?.state, 'connected');
  appendFileSync(join(place.home, 'board.in'), 'bob: let me in\nann: hi\n');
  await until(() => out().includes('ann: Hello from the board.'), gateway);
  assert.equal(model.requests.length, 1);
  assert.match(JSON.stringify(model.lastRequest.body.messages[0]), /You write on a board/);
  const sent = await hermes(place, ['send', '--to', 'board:bob', 'by the way']);
  assert.equal(sent.code, 0, sent.stderr);
  await until(() => out().includes('bob: by the way'));
  const status = await hermes(place, ['status']);
  assert.match(status.stdout, /Board \(plugin\): set up, home channel ann/);
  assert.match((await hermes(place, ['gateway', 'status'])).stdout, /board \(plugin\): connected/);
});

test('without a gateway a plug-in sends with its standalone_sender_fn; one that has none says so, and nothing is sent', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model, { config: 'plugins: {enabled: [board]}\n' });
  place.write('plugins/board/plugin.yaml', 'kind: platform\nrequires_env: [BOARD_FOLDER]\n');
  place.write('plugins/board/index.mjs', code);
  place.write('.env', `BOARD_FOLDER=${place.home}\n`);
  const none = await hermes(place, ['send', '--to', 'board:1', 'hi']);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /No live adapter for platform 'board'/);
  assert.equal(existsSync(join(place.home, 'board.out')), false);
  const sender = `standalone_sender_fn: async (config, chat, message) => {
    if (message === 'never') throw new Error('the board is full');
    appendFileSync(config.extra.env.BOARD_FOLDER + '/board.out', chat + ' alone: ' + message + '\\n');
    return { success: true, message_id: 9 };
  },`;
  place.write('plugins/board/index.mjs', code.replace('platform_hint:', `${sender} platform_hint:`));
  const sent = await hermes(place, ['send', '--to', 'board:1', 'hi']);
  assert.equal(sent.code, 0, sent.stderr);
  assert.equal(readFileSync(join(place.home, 'board.out'), 'utf8'), '1 alone: hi\n');
  const failed = await hermes(place, ['send', '--to', 'board:1', 'never']);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /Plugin standalone send failed: the board is full/);
});

test('settings of a platform whose plug-in is gone are one warning, and the others run', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model, { config: 'plugins: {enabled: [board]}\n' });
  place.write(
    'config.yaml',
    place
      .read('config.yaml')
      .replace('platforms:\n  telegram:\n    extra', 'platforms:\n  board: {room: hall}\n  telegram:\n    extra'),
  );
  const gateway = place.run();
  await place.inState(gateway, 'running');
  assert.equal(place.state()?.platforms['telegram']?.state, 'connected');
  const status = await hermes(place, ['gateway', 'status']);
  assert.match(status.stdout, /telegram: connected/);
  assert.doesNotMatch(status.stdout, /board/);
  gateway.child.kill('SIGTERM');
  const { stdout, stderr } = await gateway.ended;
  const told = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('board'));
  assert.deepEqual(told, [
    'platforms.board is left alone: this build has no such platform, and no plug-in that is loaded brings it.',
  ]);
});

test('a platform of a plug-in that listens on a port is refused to a profile beside the default one, and both are named', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model, {
    config: 'gateway:\n  multiplex_profiles: true\nplugins: {enabled: [board]}\n',
  });
  const listening = code.replace("label: 'Board',", "label: 'Board', binds_port: true,");
  place.write('profiles/coder/config.yaml', `${configFor(model)}plugins: {enabled: [board]}\n`);
  place.write('profiles/coder/.no-bundled-skills', '');
  for (const home of ['', 'profiles/coder/']) {
    place.write(`${home}plugins/board/plugin.yaml`, 'kind: platform\nrequires_env: [BOARD_FOLDER]\n');
    place.write(`${home}plugins/board/index.mjs`, listening);
    place.write(`${home}.env`, `${home === '' ? place.read('.env') : ''}BOARD_FOLDER=${place.home}\n`);
  }
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await until(() => /Profile coder is served too: board fatal/.test(gateway.stdout), gateway);
  assert.match(gateway.stdout, /board of profile coder is not started: it listens on a port/);
  assert.equal(place.state()?.platforms['board']?.state, 'connected', 'the default profile may');
});
