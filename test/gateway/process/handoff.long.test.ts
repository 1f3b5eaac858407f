/** A conversation on its way from a real terminal to a chat of a real gateway. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { noTmux, openPane } from '../../cli/interactive/tmux.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, type GatewayPlace, until } from './support.ts';

const env = (home: string): string => `TELEGRAM_ALLOWED_USERS=1001\nTELEGRAM_HOME_CHANNEL=${home}\n`;
const dm = { chatId: '1001', threadId: null };

function handoffState({ home }: GatewayPlace): unknown {
  using db = new DatabaseSync(join(home, 'state.db'), { readOnly: true });
  return db.prepare('SELECT handoff_state FROM sessions WHERE handoff_state IS NOT NULL').get()?.['handoff_state'];
}

test('it goes on in the private chat, the terminal ends, and /resume has it back there', {
  skip: noTmux,
}, async (t) => {
  await using model = await startModelServer();
  model.enqueue({ text: 'Blue it is.' }, { text: 'Here I am.' }, { text: 'The door is blue, too.' }, { text: 'Back.' });
  const place = await gatewayPlace(t, model, { dotenv: env('1001') });
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('the wall is to be blue');
  await pane.sees(/Blue it is\./);
  pane.enter('/handoff telegram');
  await pane.sees(/The gateway does not run/);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  pane.enter('/platforms');
  await pane.sees(/telegram: connected[^]*Telegram: set up, home chat 1001/);
  pane.enter('/handoff telegram');
  const [, id = ''] =
    /To have it back here: \/resume (\S+)/.exec(await pane.sees(/To have it back here: \/resume \S+/)) ?? [];
  assert.equal(await pane.ended(), 0);
  await until(() => place.texts().includes('Here I am.'), gateway);
  assert.equal(handoffState(place), 'completed');
  await place.telegram.write({ in: dm, text: 'and the door?' });
  await until(() => place.texts().includes('The door is blue, too.'), gateway);
  const sent = JSON.stringify(model.lastRequest.body.messages);
  assert.match(sent, /the wall is to be blue[^]*Blue it is\.[^]*Here I am\.[^]*and the door\?/);
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  const back = openPane(t, place);
  await back.sees(/Type a message/);
  back.enter(`/resume ${id}`);
  await back.sees(/The door is blue, too\./);
  back.enter('are you here?');
  await back.sees(/Back\./);
});

/** A terminal that hands off, and a gateway that waits for its platform to make the topic. */
async function heldOnTheWay(t: TestContext, model: ModelServer) {
  const place = await gatewayPlace(t, model, { dotenv: env('-1001') });
  const { server } = place.telegram;
  const gateway = place.run();
  await place.inState(gateway, 'running');
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('the wall is to be blue');
  await pane.sees(/Blue it is\./);
  const held = Promise.withResolvers<void>();
  server.hold('createForumTopic', held.promise);
  pane.enter('/handoff telegram');
  await pane.sees(/Ctrl\+C takes it back/);
  await until(() => server.requests.some(({ method }) => method === 'createForumTopic'), gateway);
  return { place, server, gateway, pane, release: held.resolve };
}

test('Ctrl+C takes it back while the platform lets the gateway wait', { skip: noTmux }, async (t) => {
  await using model = await startModelServer();
  model.enqueue({ text: 'Blue it is.' }, { text: 'Still here.' });
  const { place, gateway, pane, release } = await heldOnTheWay(t, model);
  pane.keys('C-c');
  await pane.sees(/was not handed off: you took it back/);
  release();
  await until(() => /nobody waits any more/.test(place.read('logs/gateway.log')), gateway);
  pane.enter('are you here?');
  await pane.sees(/Still here\./);
  assert.equal(handoffState(place), 'failed');
  assert.equal(model.requests.length, 2);
});

test('a gateway killed on the way has taken nothing; asked again, the next one takes it once', {
  skip: noTmux,
}, async (t) => {
  await using model = await startModelServer();
  model.enqueue({ text: 'Blue it is.' }, { text: 'Here I am.' });
  const { place, server, gateway: first, pane, release } = await heldOnTheWay(t, model);
  assert.equal(handoffState(place), 'running');
  first.child.kill('SIGKILL');
  await first.ended;
  release();
  const gateway = place.run();
  await pane.sees(/was not handed off: the gateway was stopped before it was done/);
  await place.inState(gateway, 'running');
  pane.enter('/handoff telegram');
  assert.equal(await pane.ended(), 0);
  const said = (): unknown[] =>
    [...(server.chats.topics.get(-1001) ?? [])].flatMap(([topic]) =>
      place.telegram.shown({ chatId: '-1001', threadId: String(topic) }).map(({ text }) => text),
    );
  await until(() => said().length > 0, gateway);
  assert.deepEqual(said(), ['Here I am.']);
  assert.equal(model.requests.length, 2);
});
