/** What hooks may say to a message before anybody looks at who sent it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hooks, noHooks } from '../../../src/agent/hooks.ts';
import { turnInput } from '../../../src/gateway/chats/turn-input.ts';
import { askDispatchHooks } from '../../../src/gateway/intake/dispatch-hooks.ts';
import type { MessageEvent } from '../../../src/gateway/platform/message-event.ts';
import { sessionSource } from '../../../src/gateway/platform/session-source.ts';
import { ListAuthorization } from '../../../src/gateway/intake/list-authorization.ts';
import { Pairing } from '../../../src/gateway/intake/pairing.ts';
import { noLog } from '../../../src/lib/log.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { homeWithPlugins } from '../../plugins/plugin-home.ts';
import { placeFor } from '../../runtime/support.ts';
import { ChatService } from '../chat-service.ts';
import { openGateway } from '../support.ts';

const event: MessageEvent = {
  event_id: 'e1',
  source: sessionSource.parse({ platform: 'test', chat_id: 'c', chat_type: 'dm', user_id: 'u' }),
  text: 'hi',
  message_type: 'text',
  message_id: null,
  timestamp: 0,
  attachments: [],
};

function saying(...values: unknown[]): Hooks {
  return {
    ...noHooks,
    has: () => true,
    call: async () => values.map((value, index) => ({ by: `plug-in ${index}`, value })),
  };
}

const ask = async (hooks: Hooks, about: MessageEvent = event) => await askDispatchHooks(about, hooks, noLog);

test('the first word that is known counts: dropped, written anew, or let through', async () => {
  assert.equal(
    await ask(saying('x', { action: 'jump' }, { action: 'skip', reason: 'spam' }, { action: 'allow' })),
    undefined,
  );
  assert.equal(await ask(saying({ action: 'allow' }, { action: 'skip' })), event);
  assert.deepEqual(await ask(saying({ action: 'rewrite', text: 'bye' })), {
    ...event,
    text: 'bye',
    rewritten_by: 'plug-in 0',
  });
  assert.equal(await ask(saying({ action: 'rewrite' })), event);
  assert.equal(await ask(saying()), event);
});

test('what this program made itself is shown to no hook', async () => {
  const own = { ...event, internal: true };
  assert.equal(await ask(saying({ action: 'skip' }), own), own);
});

test('words of a hook are not the words of the sender', async () => {
  const rewritten = await ask(saying({ action: 'rewrite', text: 'bye' }));
  assert.ok(rewritten !== undefined);
  const options = { idOf: () => 'u', shared: false, files: [], observed: [], times: { shown: false, zone: '' } };
  assert.deepEqual(turnInput(rewritten, options).sources, [{ from: 'user' }, { from: 'program', name: 'plug-in 0' }]);
});

test('a stranger whose message a plug-in drops is told no code; a plug-in that throws changes nothing', async (t) => {
  await using server = await startModelServer();
  const home = homeWithPlugins(t, {
    bouncer: `export default (ctx) => ctx.registerHook('pre_gateway_dispatch', ({ event }) => {
      if (event.text === 'spam') return { action: 'skip', reason: 'spam' };
      throw new Error('bad day');
    });`,
  });
  const place = placeFor(t, server, 'plugins:\n  enabled: [bouncer]\n', { home });
  const fake = new ChatService();
  const pairing = new Pairing(place.homePath);
  const authorization = new ListAuthorization({
    pairing,
    variables: () => ({}),
    platform: () => ({ platform: fake.platform, config: fake.config }),
    strangers: undefined,
  });
  await openGateway(t, server, { place, fake, authorization });
  assert.equal(await fake.say('spam', { user: 'mallory' }), 'ignored');
  assert.deepEqual(pairing.pending('fake'), []);
  await fake.say('hello', { user: 'mallory' });
  await fake.until(() => fake.texts().length > 0);
  assert.match(fake.texts().join('\n'), /hermes pairing approve fake [A-HJ-NP-Z2-9]{8}/);
  assert.equal(fake.texts().length, 1);
  assert.equal(server.requests.length, 0);
});
