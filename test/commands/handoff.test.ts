/** `/handoff` in the terminal: what it says, and what it leaves as it is. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { gatewayDoor } from '../../src/cli/gateway/door.ts';
import type { GatewayDoor } from '../../src/commands/gateway-door.ts';
import { taken } from '../../src/commands/session/handoff.ts';
import { contextOn } from '../cli/config/run-command.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { takenOver } from '../sessions/taken-over.ts';
import { openConversation } from './conversation.ts';

const gateway: GatewayDoor = {
  lines: () => Promise.resolve(['The gateway of profile default runs.', 'telegram: connected']),
  home: () => Promise.resolve('the home chat of Telegram, Ann'),
  footer: () => Promise.resolve([]),
};
const untilNow = { everyMs: 1, withinMs: 10, signal: new AbortController().signal };

test('the terminal leaves once the gateway has the conversation, and says how it comes back', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const chat = await openConversation(t, server, '', { gateway });
  await chat.say('hi');
  const { store, session } = chat;
  const typed = chat.type('/handoff Telegram');
  while ((await store.handoffs.get(session.id))?.state !== 'pending') await new Promise(setImmediate);
  assert.equal((await store.handoffs.get(session.id))?.platform, 'telegram');
  await assert.rejects(chat.type('/handoff telegram'), /being handed off already/);
  await store.handoffs.claim(session.id);
  await store.handoffs.complete(session.id, takenOver(session.id));
  assert.match(await typed, /goes to the home chat of Telegram, Ann[^]*To have it back here: \/resume /);
  assert.equal(chat.quits, 1);
});

test('a gateway that refuses, and one that does not come, leave the conversation here', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const chat = await openConversation(t, server, '', { gateway });
  await assert.rejects(chat.type('/handoff telegram'), /Nothing is stored of this conversation yet/);
  await chat.say('hi');
  const { store, session } = chat;
  const { handoffs } = store;
  const typed = assert.rejects(chat.type('/handoff telegram'), /was not handed off: Telegram has no home chat\.$/);
  while (!(await handoffs.fail(session.id, 'Telegram has no home chat.'))) await new Promise(setImmediate);
  await typed;
  await handoffs.request(session.id, 'telegram');
  await assert.rejects(taken(handoffs, session.id, untilNow), /the gateway did not take it in time/);
  assert.equal((await handoffs.get(session.id))?.state, 'failed');
  await handoffs.request(session.id, 'telegram');
  await assert.rejects(taken(handoffs, session.id, { signal: AbortSignal.abort() }), /you took it back/);
  assert.equal(chat.quits, 0);
  assert.equal(await chat.say('still there?'), 'Hello.');
});

test('what is done at the last moment is done, although the time is up', async () => {
  const states = ['running', 'completed'] as const;
  let asked = 0;
  const handoffs = {
    get: () =>
      Promise.resolve({ sessionId: 's', platform: 'p', state: states[asked++] ?? 'completed', error: undefined }),
    fail: () => Promise.resolve(false),
  };
  await taken(handoffs, 's', { ...untilNow, withinMs: 1 });
  assert.equal(asked, 2);
});

test('without a platform, and without a gateway, nothing is asked for', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const chat = await openConversation(t, server);
  await chat.say('hi');
  await assert.rejects(chat.type('/handoff'), /Usage: \/handoff <platform>/);
  await assert.rejects(chat.type('/handoff telegram'), /The gateway does not run/);
  assert.equal(await chat.store.handoffs.get(chat.session.id), undefined);
});

test('Ctrl+C takes it back: no gateway takes it any more, and the conversation goes on', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const chat = await openConversation(t, server, '', { gateway });
  await chat.say('hi');
  const { store, session } = chat;
  const typed = assert.rejects(chat.type('/handoff telegram'), /was not handed off: you took it back/);
  while ((await store.handoffs.get(session.id))?.state !== 'pending') await new Promise(setImmediate);
  chat.stop();
  await typed;
  assert.equal(await store.handoffs.claim(session.id), false);
  assert.equal(chat.quits, 0);
  assert.equal(await chat.say('still there?'), 'Hello.');
});

test('what is not ready on the way is said before anything is asked for', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const place = temporaryHome(t);
  const chat = await openConversation(t, server, '', { place, gateway: gatewayDoor(contextOn(place, {})) });
  await chat.say('hi');
  const set = (block: string): void =>
    void place.write('config.yaml', `platforms:\n  telegram: { token: '123456789:AA${'x'.repeat(33)}', ${block} }\n`);
  await assert.rejects(chat.type('/handoff pigeons'), /This build has no chat platform 'pigeons'/);
  await assert.rejects(chat.type('/handoff telegram'), /Telegram is not set up/);
  set('enabled: false');
  await assert.rejects(chat.type('/handoff telegram'), /Telegram is switched off/);
  set('enabled: true');
  await assert.rejects(chat.type('/handoff telegram'), /Telegram has no home chat/);
  set("home_channel: '7'");
  await assert.rejects(chat.type('/handoff telegram'), /The gateway does not run/);
  const { pid = 0 } = somethingCalledGateway(t);
  place.write('gateway.pid', JSON.stringify({ pid, start_time: null, argv: [] }));
  const platforms = { telegram: { state: 'retrying', error_message: 'no route to the host' } };
  place.write('gateway_state.json', JSON.stringify({ pid, gateway_state: 'degraded', platforms }));
  await assert.rejects(chat.type('/handoff telegram'), /Telegram is not connected just now \(retrying\)/);
  assert.match(await chat.type('/platforms'), /telegram: retrying, no route to the host/);
  assert.equal(await chat.store.handoffs.get(chat.session.id), undefined);
});

/** Which process a gateway is, others see by its command line. */
function somethingCalledGateway(t: TestContext): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'gateway'], { stdio: 'ignore' });
  t.after(() => child.kill());
  return child;
}
