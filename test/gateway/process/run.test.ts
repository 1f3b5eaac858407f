/** `hermes gateway run` from its lock to its exit code. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { hermes } from '../../cli/hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, until } from './support.ts';

const dm = { chatId: '1001', threadId: null };

test('a message in a chat is answered by the program, and SIGTERM ends it with a code that has it started again', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello Fred.' }) });
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  assert.equal(place.state()?.platforms['telegram']?.state, 'connected');
  assert.equal(JSON.parse(place.read('gateway.pid')).pid, gateway.child.pid);
  await place.telegram.write({ in: dm, text: 'hi' });
  await until(() => place.texts().includes('Hello Fred.'), gateway);
  gateway.child.kill('SIGTERM');
  const { code, stdout } = await gateway.ended;
  assert.equal(code, 1);
  assert.match(stdout, /runs \(pid \d+\): telegram connected/);
  assert.equal(place.state()?.gateway_state, 'running');
  assert.throws(() => place.read('gateway.pid'), { code: 'ENOENT' });
  assert.match(place.read('logs/gateway.log'), /telegram is connected/);
  assert.ok(!place.read('logs/gateway.log').includes(place.telegram.server.token));
  assert.deepEqual(model.violations, []);
});

test('a second gateway in a home names the first one and does not start; with --replace it takes its place', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  const first = place.run();
  await place.inState(first, 'running');
  const refused = await hermes(place, ['gateway', 'run']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`pid ${first.child.pid}`));
  assert.match(refused.stderr, /gateway restart.*gateway stop.*run --replace/);
  const second = place.run(['--replace']);
  assert.equal((await first.ended).code, 0);
  await place.inState(second, 'running');
  assert.equal(JSON.parse(place.read('gateway.pid')).pid, second.child.pid);
});

test('after kill -9 the next gateway starts, and goes on with the turn that was cut off', async (t) => {
  await using model = await startModelServer();
  const never = Promise.withResolvers<void>();
  model.enqueue({ text: 'lost', gate: never.promise }, { text: 'found again' });
  const place = await gatewayPlace(t, model);
  const first = place.run();
  await place.inState(first, 'running');
  await place.telegram.write({ in: dm, text: 'do it' });
  await model.requestArrived(1);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = place.run();
  await until(() => place.texts().includes('found again'), second);
  never.resolve();
  await place.inState(second, 'running');
  assert.equal(place.texts().filter((text) => text === 'found again').length, 1);
});

test('a number in the record that belongs to another process now does not keep a gateway from starting', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  place.write('gateway.pid', JSON.stringify({ pid: process.pid, kind: 'hermes-gateway', argv: [], start_time: 1 }));
  const gateway = place.run();
  await place.inState(gateway, 'running');
});

test('two homes with one token: the second says who has it, and does not ask Telegram', async (t) => {
  await using model = await startModelServer();
  const one = await gatewayPlace(t, model);
  const first = one.run();
  await one.inState(first, 'running');
  const other = await gatewayPlace(t, model, { telegram: one.telegram });
  const before = one.telegram.server.requests.filter(({ method }) => method === 'getMe').length;
  const second = other.run([], { XDG_STATE_HOME: `${one.env['HOME']}/.local/state` });
  await other.inState(second, 'degraded');
  assert.match(
    other.state()?.platforms['telegram']?.error_message ?? '',
    new RegExp(`in use by the gateway with pid ${first.child.pid}`),
  );
  assert.equal(one.telegram.server.requests.filter(({ method }) => method === 'getMe').length, before);
  second.child.kill('SIGTERM');
  assert.match(
    (await second.ended).stdout,
    /telegram retrying\.\ntelegram: .* in use by the gateway .*\. It is tried again\.\n/,
  );
});

test('a token that Telegram does not know ends the gateway with a code that keeps it from being started again', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  place.write('.env', `TELEGRAM_BOT_TOKEN=${place.telegram.wrongVariables.TELEGRAM_BOT_TOKEN}\n`);
  const { code, stdout } = await hermes(place, ['gateway', 'run']);
  assert.equal(code, 78, stdout);
  assert.equal(place.state()?.gateway_state, 'startup_failed');
  assert.match(stdout, /No platform can be connected: telegram: /);
  assert.match(stdout, /No list of people is set \(TELEGRAM_ALLOWED_USERS/);
});

test('a platform that is switched off stays off, and a placeholder is no token', async (t) => {
  await using model = await startModelServer();
  const off = await gatewayPlace(t, model, { block: '    enabled: false\n' });
  const first = off.run();
  await off.inState(first, 'running');
  assert.deepEqual(off.state()?.platforms, {});
  const unfilled = await gatewayPlace(t, model);
  unfilled.write('.env', 'TELEGRAM_BOT_TOKEN=xxx\n');
  const second = unfilled.run();
  await unfilled.inState(second, 'running');
  assert.deepEqual(unfilled.state()?.platforms, {});
  assert.match(second.stdout, /telegram is not started: TELEGRAM_BOT_TOKEN in \.env holds a placeholder/);
});

test('SIGTERM lets a running turn finish, and its chat is told', async (t) => {
  await using model = await startModelServer();
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'done in time', gate: gate.promise });
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: 'work' });
  await model.requestArrived(1);
  gateway.child.kill('SIGTERM');
  await place.inState(gateway, 'draining');
  await until(() => place.texts().some((text) => /shutting down.*30 s/.test(text)), gateway);
  gate.resolve();
  assert.equal((await gateway.ended).code, 1);
  assert.ok(place.texts().includes('done in time'));
});

test('a turn that does not finish in time is interrupted, marked, and gone on with by the next gateway', async (t) => {
  await using model = await startModelServer();
  const never = Promise.withResolvers<void>();
  model.enqueue({ text: 'too late', gate: never.promise }, { text: 'finished after all' });
  const place = await gatewayPlace(t, model, { config: 'agent:\n  restart_drain_timeout: 0\n' });
  const first = place.run();
  await place.inState(first, 'running');
  await place.telegram.write({ in: dm, text: 'work' });
  await model.requestArrived(1);
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 1);
  const second = place.run();
  await until(() => place.texts().includes('finished after all'), second);
  never.resolve();
  assert.ok(!place.texts().includes('too late'));
});

test('/restart lets the turn finish, ends with code 75, and the chat hears when the next gateway is there', async (t) => {
  await using model = await startModelServer();
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'done before the restart', gate: gate.promise });
  const place = await gatewayPlace(t, model);
  const first = place.run(['--external-supervisor']);
  await place.inState(first, 'running');
  await place.telegram.write({ in: dm, text: 'work' });
  await model.requestArrived(1);
  await place.telegram.write({ in: dm, text: '/restart' });
  await until(() => place.texts().some((text) => text.includes('Restarting')), first);
  gate.resolve();
  assert.equal((await first.ended).code, 75);
  assert.ok(place.texts().includes('done before the restart'));
  assert.equal(place.state()?.restart_requested, true);
  const second = place.run(['--external-supervisor']);
  await until(() => place.texts().some((text) => text.includes('I am back')), second);
  await place.inState(second, 'running');
  assert.equal(second.child.exitCode, null);
  await until(() => !existsSync(join(place.home, '.restart_notify.json')), second);
});

test('/restart is refused where nothing would start the gateway again, and SIGUSR1 asks for a restart', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: '/restart' });
  await until(() => place.texts().some((text) => text.includes('Nothing would start me again')), gateway);
  assert.equal(gateway.child.exitCode, null);
  gateway.child.kill('SIGUSR1');
  assert.equal((await gateway.ended).code, 75);
});

test('who is on the list in .env counts from the moment it is written', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const place = await gatewayPlace(t, model, { dotenv: 'TELEGRAM_ALLOWED_USERS=1\n' });
  const gateway = place.run();
  await place.inState(gateway, 'running');
  const ignored = await place.telegram.write({ in: dm, text: 'may I?' });
  await until(() => place.telegram.isAcknowledged(ignored), gateway);
  place.write('.env', readFileSync(`${place.home}/.env`, 'utf8').replace('USERS=1', 'USERS=1001'));
  await place.telegram.write({ in: dm, text: 'and now?' });
  await until(() => place.texts().includes('yes'), gateway);
  place.write('.env', readFileSync(`${place.home}/.env`, 'utf8').replace('USERS=1001', 'USERS=1'));
  const again = await place.telegram.write({ in: dm, text: 'still?' });
  await until(() => place.telegram.isAcknowledged(again), gateway);
  assert.deepEqual(place.texts(), ['yes']);
});

test('three unclean ends within a minute: turns that were cut off are left alone, and who asked is told', async (t) => {
  await using model = await startModelServer();
  const never = Promise.withResolvers<void>();
  model.enqueue({ text: 'lost', gate: never.promise });
  const place = await gatewayPlace(t, model);
  const first = place.run();
  await place.inState(first, 'running');
  await place.telegram.write({ in: dm, text: 'do it' });
  await model.requestArrived(1);
  first.child.kill('SIGKILL');
  await first.ended;
  const now = Date.now() / 1000;
  place.write('gateway/restart_loop.json', JSON.stringify({ boots: [now - 20, now - 10] }));
  const second = place.run();
  await until(() => place.texts().some((text) => text.includes('could not finish')), second);
  assert.equal(model.requests.length, 1);
  using db = new DatabaseSync(join(place.home, 'state.db'), { readOnly: true });
  const { entry_json: entry } = db.prepare('SELECT entry_json FROM gateway_routing').get() ?? {};
  assert.match(String(entry), /"resume_pending":true,"resume_reason":"restart_interrupted"/);
  never.resolve();
});

test('/curator and /debug local are done by the program in this home, and no key stands in what the chat sees', async (t) => {
  await using model = await startModelServer();
  const secret = 'k-9f8e7d6c5b4a39281706';
  const place = await gatewayPlace(t, model, {
    dotenv: `TELEGRAM_ALLOWED_USERS=1001\nOPENROUTER_API_KEY=${secret}\n`,
  });
  place.write('logs/errors.log', `nobody answers with ${secret} and test-key\n`);
  place.write('skills/tea/SKILL.md', '---\nname: tea\ndescription: makes tea\n---\nBoil water.\n');
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: '/curator pin tea' });
  await until(() => place.texts().some((text) => text.includes("'tea' is pinned")), gateway);
  await place.telegram.write({ in: dm, text: '/curator' });
  await until(() => place.texts().some((text) => /Pinned:\s+tea/.test(text)), gateway);
  await place.telegram.write({ in: dm, text: '/debug local' });
  await until(() => place.texts().some((text) => text.includes('nobody answers with')), gateway);
  assert.match(place.texts().join('\n'), /hermes dump/);
  for (const known of [secret, 'test-key', place.telegram.server.token])
    assert.ok(!place.texts().join('\n').includes(known), known);
  assert.equal(model.requests.length, 0);
});
