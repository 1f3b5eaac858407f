/** Webhooks at their door: who may send, what is told, what runs. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../../src/lib/errors.ts';
import { startWebhookServer } from '../../../src/http/webhooks/start-webhook-server.ts';
import { dial, head } from '../listener.ts';
import { until } from '../api/support.ts';
import { textOf } from '../../runtime/support.ts';
import { askedOf, hmac, type Hooks, secret, sendSigned, startHooks } from './support.ts';

const routes = (entries: string): { extra: string } => ({ extra: `routes: {${entries}}` });
const respond = () => ({ text: 'Looked at.' });
const json = async (response: Response): Promise<unknown> => await response.json();

/** Everything that was accepted has ended. */
async function settled({ store }: Hooks): Promise<void> {
  await until(async () => (await store.webhooks.open()).length === 0);
}

test('anybody may ask whether it is there', async (t) => {
  const { server } = await startHooks(t);
  const response = await fetch(`${server.url}/health`, { headers: { host: 'hooks.example.com' } });
  assert.deepEqual([response.status, await response.text()], [200, '{"status":"ok","platform":"webhook"}']);
});

test('it listens beyond this machine without a key of its own, as each event is signed', async (t) => {
  const { server, send } = await startHooks(t, { respond, extra: 'host: 0.0.0.0, routes: {gh: {prompt: hi}}' });
  assert.equal(new URL(server.url).hostname, '0.0.0.0');
  assert.equal((await send('gh', {})).status, 202);
});

test('a signed event is accepted, and the agent works on it in a session of its own', async (t) => {
  const hooks = await startHooks(t, {
    respond,
    ...routes('gh: {events: [pull_request], prompt: "PR {title} {nope.x}", deliver: "telegram:42:7"}'),
  });
  const headers = { 'x-github-event': 'pull_request', 'x-github-delivery': 'd1' };
  const response = await hooks.send('gh', { title: 'Fix {__raw__}' }, headers);
  assert.equal(response.status, 202);
  const told = { status: 'accepted', route: 'gh', event: 'pull_request', delivery_id: 'd1' };
  assert.deepEqual(await json(response), told);
  await settled(hooks);
  assert.match(askedOf(hooks.model)[0] ?? '', /PR Fix \{__raw__\} \{nope\.x\}/);
  assert.deepEqual(hooks.model.violations, []);
  const [sent] = hooks.chats.sent;
  assert.deepEqual(sent?.target, { platform: 'telegram', chatId: '42', threadId: '7' });
  assert.equal(sent?.text, 'Looked at.');
  assert.equal(sent?.details.mayRepeat, false);
  const [session] = await hooks.store.sessions.list({ source: 'webhook' });
  const row = await hooks.store.sessions.get(session?.id ?? '');
  assert.equal(row?.end_reason, 'webhook_complete');
  assert.equal(row?.user_id, 'webhook:gh');
});

test('what is not signed rightly is refused and leaves nothing behind', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('r: {}') });
  const body = '{"a":1}';
  const refused = async (headers: Record<string, string>, sent = body): Promise<void> => {
    const response = await hooks.post('r', { body: sent, headers });
    assert.deepEqual([response.status, await json(response)], [401, { error: 'Invalid signature' }]);
  };
  await refused({});
  await refused({ 'x-hub-signature-256': `sha256=${hmac(body)}` }, '{"a":2}');
  await refused({ 'x-gitlab-token': 'x' });
  await refused({ 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': secret });
  await refused({ 'x-webhook-signature': `sha256=${hmac(body)}` });
  assert.equal((await hooks.post('r', { body, headers: { 'x-gitlab-token': secret } })).status, 202);
  assert.equal((await hooks.post('r', { body, headers: { 'x-webhook-signature': hmac(body) } })).status, 202);
  await settled(hooks);
  assert.equal(hooks.model.requests.length, 2);
});

test('strangers neither use up the rate of a route nor each other', async (t) => {
  const hooks = await startHooks(t, { extra: 'rate_limit: 2, routes: {r: {}, other: {}}', respond });
  for (let count = 0; count < 100; count += 1) assert.equal((await hooks.post('r', { body: '{}' })).status, 401);
  assert.equal((await hooks.send('r', {})).status, 202);
  assert.equal((await hooks.send('r', {})).status, 202);
  const late = await hooks.send('r', {});
  assert.deepEqual([late.status, await json(late)], [429, { error: 'Rate limit exceeded' }]);
  assert.equal((await hooks.send('other', {})).status, 202);
  await settled(hooks);
});

test('a route that is not there, one that is off, and another path are told apart', async (t) => {
  const hooks = await startHooks(t, routes('off: {enabled: false}'));
  const unknown = await hooks.send('nope', {});
  assert.deepEqual([unknown.status, await json(unknown)], [404, { error: 'Unknown route: nope' }]);
  const off = await hooks.send('off', {});
  assert.deepEqual([off.status, await json(off)], [403, { error: 'Route disabled: off' }]);
  assert.equal((await fetch(`${hooks.server.url}/webhooks/off`)).status, 404);
  assert.equal((await hooks.send('__proto__', {})).status, 404);
});

test('a body that is too large, compressed, or nothing that can be read is refused', async (t) => {
  const hooks = await startHooks(t, routes('r: {}'));
  const declared = await dial(t, hooks.server.port);
  const answer = once(declared.socket, 'data');
  declared.write(head('POST', '/webhooks/r', { 'content-length': '100000000' }));
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 413 /);
  const large = await hooks.send('r', 'x'.repeat(2_000_000));
  assert.deepEqual([large.status, await json(large)], [413, { error: 'Payload too large' }]);
  const chunks = new Blob(['x'.repeat(2_000_000)]).stream();
  assert.equal((await hooks.post('r', { body: chunks, duplex: 'half' })).status, 413);
  const packed = await hooks.send('r', {}, { 'content-encoding': 'gzip' });
  assert.equal(packed.status, 415);
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  for (const body of ['{"a":', '', 'plain', deep]) {
    const response = await hooks.send('r', body);
    assert.deepEqual([response.status, await json(response)], [400, { error: 'Cannot parse body' }]);
  }
  const broken = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  const signature = createHmac('sha256', secret).update(broken).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  assert.equal((await hooks.post('r', { body: broken, headers })).status, 400);
  assert.equal((await hooks.post(`r?secret=${secret}&token=${secret}`, { body: '{}' })).status, 400);
  assert.deepEqual(await hooks.store.webhooks.open(), []);
});

test('half characters in a payload reach the model as whole ones', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('r: {prompt: "event {a}"}') });
  assert.equal((await hooks.send('r', '{"a":"x\\ud800y\\u0000z"}')).status, 202);
  await settled(hooks);
  assert.match(askedOf(hooks.model).join('\n'), /event x\uFFFDy.?z/);
  assert.deepEqual(hooks.model.violations, []);
});

test('a route without a prompt shows the payload as fenced JSON of at most 4000 characters', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('r: {}') });
  const payload = { action: 'opened', text: 'x'.repeat(9000) };
  assert.equal((await hooks.send('r', payload)).status, 202);
  await settled(hooks);
  const [, shown = ''] = /```json\n([^]*?)\n```/.exec(textOf(hooks.model.requests[0]?.body.messages.at(-1))) ?? [];
  assert.equal(shown, JSON.stringify(payload, null, 2).slice(0, 4000));
});

test('a payload that is no object, and one in a form, are worked on', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('r: {prompt: "event {event_type} {a}"}') });
  assert.equal((await hooks.send('r', [1])).status, 202);
  const form = 'payload=%7B%22a%22%3A%22from%20a%20form%22%7D';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await hooks.send('r', form, headers)).status, 202);
  await settled(hooks);
  const asked = askedOf(hooks.model).join('\n');
  assert.match(asked, /event unknown \{a\}/);
  assert.match(asked, /event unknown from a form/);
});

test('events, filters and scripts decide what runs', async (t) => {
  const hooks = await startHooks(t, {
    respond,
    extra: `routes: {e: {events: [pull_request]}, f: {filters: [{field: action, in: [opened]}]}, silent: {script: silent.sh}, more: {script: more.mjs, prompt: "says {said}"}, out: {script: ../config.yaml}}`,
  });
  const scripts = join(hooks.place.homePath, 'scripts');
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(scripts, 'silent.sh'), 'cat > /dev/null\n');
  const more = `let all = ''; for await (const piece of process.stdin) all += piece;
console.log(JSON.stringify({ said: JSON.parse(all).a + ' ' + (process.env.OPENAI_API_KEY ?? 'no key') }));`;
  writeFileSync(join(scripts, 'more.mjs'), more);
  const ping = await hooks.send('e', {}, { 'x-github-event': 'ping' });
  assert.deepEqual([ping.status, await json(ping)], [200, { status: 'ignored', event: 'ping' }]);
  const filtered = await hooks.send('f', { action: 'closed' });
  assert.deepEqual(await json(filtered), { status: 'ignored', reason: 'filter', route: 'f' });
  for (const route of ['silent', 'out']) {
    const stopped = await hooks.send(route, {});
    assert.deepEqual([stopped.status, await json(stopped)], [200, { status: 'ignored', reason: 'script', route }]);
  }
  assert.equal(hooks.model.requests.length, 0);
  assert.equal((await hooks.send('more', { a: 'hello' })).status, 202);
  await settled(hooks);
  assert.match(askedOf(hooks.model)[0] ?? '', /says hello no key/);
});

test('what its sender repeats is answered and not run again', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('r: {}, other: {}') });
  const headers = { 'x-github-delivery': 'same' };
  const both = await Promise.all([hooks.send('r', {}, headers), hooks.send('r', {}, headers)]);
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 202]));
  const again = await hooks.send('r', {}, headers);
  assert.deepEqual([again.status, await json(again)], [200, { status: 'duplicate', delivery_id: 'same' }]);
  assert.equal((await hooks.send('other', {}, headers)).status, 202);
  await settled(hooks);
  assert.equal(hooks.model.requests.length, 2);
});

test('what was signed with a time is taken once, whatever id somebody puts beside it', async (t) => {
  const { post, chats } = await startHooks(t, {
    extra: "routes: {say: {deliver: telegram, deliver_only: true, deliver_extra: {chat_id: 5}, prompt: '{text}'}}",
  });
  const body = JSON.stringify({ text: 'open the door' });
  const time = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'x-webhook-timestamp': time,
    'x-webhook-signature-v2': createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'),
  };
  const send = async (more: Record<string, string>) =>
    ((await (await post('say', { body, headers: { ...headers, ...more } })).json()) as { status: string }).status;
  chats.down = true;
  assert.equal(await send({ 'x-request-id': 'one' }), 'error');
  chats.down = false;
  assert.equal(await send({ 'x-request-id': 'one' }), 'delivered', 'what could not be sent is new again');
  assert.equal(await send({ 'x-request-id': 'two' }), 'duplicate');
  assert.equal(await send({}), 'duplicate');
  assert.equal(chats.sent.length, 1);
});

test('a message that is only delivered asks no model, and is new again when it could not be sent', async (t) => {
  const hooks = await startHooks(t, routes('r: {deliver: telegram, deliver_only: true, prompt: "up: {x}"}'));
  hooks.chats.down = true;
  const headers = { 'x-request-id': 'd9' };
  const failed = await hooks.send('r', { x: 1 }, headers);
  const told = { status: 'error', error: 'Delivery failed', delivery_id: 'd9' };
  assert.deepEqual([failed.status, await json(failed)], [502, told]);
  hooks.chats.down = false;
  const done = await hooks.send('r', { x: 1 }, headers);
  assert.deepEqual(await json(done), { status: 'delivered', route: 'r', target: 'telegram', delivery_id: 'd9' });
  assert.equal(done.status, 200);
  assert.deepEqual(
    hooks.chats.sent.map(({ text, details }) => [text, details.lasting]),
    [['up: 1', false]],
  );
  assert.equal(hooks.model.requests.length, 0);
});

test('nothing is started for a comment whose repository is not one', async (t) => {
  const comment = 'deliver: github_comment, deliver_extra: {repo: "{repo}", pr_number: "{number}"}';
  const hooks = await startHooks(t, routes(`r: {deliver_only: true, prompt: hi, ${comment}}`));
  for (const payload of [
    { repo: 'a/b; rm -rf /', number: 1 },
    { repo: '--web/x', number: 1 },
    { repo: 'a/b', number: '-1' },
  ]) {
    assert.equal((await hooks.send('r', payload)).status, 502);
  }
});

test('an answer that says nothing is sent nowhere, and one that failed says so', async (t) => {
  const hooks = await startHooks(t, routes('r: {deliver: telegram}'));
  hooks.model.enqueue({ text: '[SILENT]' });
  await hooks.send('r', {});
  await settled(hooks);
  assert.equal(hooks.chats.sent.length, 0);
  hooks.model.enqueue({ fault: 'status', status: 400 });
  await hooks.send('r', {});
  await settled(hooks);
  assert.match(hooks.chats.sent[0]?.text ?? '', /^⚠️ /);
});

test('a subscription counts at once and for as long as it stands in the file, and never before a static route', async (t) => {
  const hooks = await startHooks(t, { respond, ...routes('fixed: {prompt: static}') });
  const file = join(hooks.place.homePath, 'webhook_subscriptions.json');
  const entries = {
    x: { prompt: 'dynamic x' },
    fixed: { prompt: 'dynamic fixed' },
    open: { secret: 'INSECURE_NO_AUTH' },
  };
  assert.equal((await hooks.send('x', {})).status, 404);
  writeFileSync(file, JSON.stringify(entries));
  assert.equal((await hooks.send('x', {})).status, 202);
  assert.equal((await hooks.send('fixed', {})).status, 202);
  assert.equal((await hooks.post('open', { body: '{}' })).status, 202);
  await settled(hooks);
  const asked = askedOf(hooks.model).join('\n');
  assert.match(asked, /dynamic x/);
  assert.match(asked, /static/);
  assert.doesNotMatch(asked, /dynamic fixed/);
  writeFileSync(file, '{broken');
  assert.equal((await hooks.send('x', {})).status, 202);
  rmSync(file);
  symlinkSync(file, file);
  assert.equal((await hooks.send('x', {})).status, 202, 'a file that leads nowhere changes nothing');
  rmSync(file);
  assert.equal((await hooks.send('x', {})).status, 404);
  await settled(hooks);
});

test('a secret that is changed on disk counts within seconds, a broken file changes nothing, and no route is opened to everybody', async (t) => {
  const hooks = await startHooks(t, { respond, extra: 'rate_limit: 10000, routes: {r: {}}' });
  const turned = async (wanted: number, send: () => Promise<Response>): Promise<void> =>
    await until(async () => (await send()).status === wanted);
  const path = join(hooks.place.homePath, 'config.yaml');
  const before = readFileSync(path, 'utf8');
  assert.equal((await hooks.send('r', {})).status, 202);
  writeFileSync(path, before.replaceAll(secret, 'another-secret-0123'));
  await turned(401, () => hooks.send('r', {}));
  writeFileSync(path, before);
  await turned(202, () => hooks.send('r', {}));
  writeFileSync(path, `${before}broken: {{{`);
  await until(async () => {
    assert.equal((await hooks.send('r', {})).status, 202);
    return hooks.place.read('logs/agent.log').includes('webhooks could not be read again');
  });
  writeFileSync(path, before.replace('r: {}', 'r: {secret: INSECURE_NO_AUTH}').replace('127.0.0.1', '0.0.0.0'));
  await turned(202, () => hooks.post('r', { body: '{}' }));
  writeFileSync(path, before.replace(/secret: [^,}]+,/, '').replace('r: {}', 'r: {prompt: later}'));
  await turned(404, () => hooks.send('r', {}));
  await settled(hooks);
});

test('a route for everybody takes nothing that a page of a stranger had sent', async (t) => {
  const hooks = await startHooks(t, routes('r: {secret: INSECURE_NO_AUTH}'));
  for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
    const line = await dial(t, hooks.server.port);
    line.write(`${head('POST', '/webhooks/r', { 'content-length': '2', connection: 'close', ...headers })}{}`);
    assert.match(await line.closed, /^HTTP\/1\.1 403 /);
  }
});

test('routes that must not be served stop the start, and say which', async (t) => {
  const start = (extra: string) => startHooks(t, { extra });
  const told = (pattern: RegExp) => (error: unknown) => error instanceof UserError && pattern.test(error.message);
  await assert.rejects(start('secret: "", routes: {naked: {}}'), told(/'naked'.*no secret/));
  await assert.rejects(start('routes: {only: {deliver_only: true}}'), told(/'only'.*deliver_only/));
  const open = 'host: 0.0.0.0, routes: {open: {secret: INSECURE_NO_AUTH}}';
  await assert.rejects(start(open), told(/'open'.*INSECURE_NO_AUTH/));
  await assert.rejects(start('host: 0.0.0.0, secret: INSECURE_NO_AUTH, routes: {all: {}}'), told(/'all'/));
  await assert.rejects(start('routes: {bad: {events: {a: 1}}}'), told(/'bad' cannot be read/));
});

test('two events at once have two sessions and two answers', async (t) => {
  const gate = Promise.withResolvers<void>();
  const hooks = await startHooks(t, {
    ...routes('r: {deliver: telegram, prompt: "{n}"}'),
    respond: async () => {
      await gate.promise;
      return { text: 'done' };
    },
  });
  await Promise.all([hooks.send('r', { n: 1 }), hooks.send('r', { n: 2 })]);
  await hooks.model.requestArrived(2);
  gate.resolve();
  await settled(hooks);
  assert.equal(hooks.chats.sent.length, 2);
  assert.equal((await hooks.store.sessions.list({ source: 'webhook' })).length, 2);
});

test('what was accepted when the process ended is finished by the next one, and its repetition still a duplicate', async (t) => {
  const never = Promise.withResolvers<{ text: string }>();
  const first = await startHooks(t, {
    ...routes('r: {deliver: telegram, prompt: work}'),
    respond: () => never.promise,
  });
  t.after(() => never.resolve({ text: '' }));
  const headers = { 'x-github-delivery': 'd1' };
  assert.equal((await first.send('r', {}, headers)).status, 202);
  await first.model.requestArrived(1);
  await first.server.stop();
  assert.equal((await first.store.webhooks.open()).length, 1);
  await first.program.close();
  first.model.enqueue({ text: 'Finished after all.' });
  const program = await first.place.open();
  const server = await startWebhookServer(program, { chats: first.chats, drainMs: 0 });
  t.after(() => server.stop());
  await until(() => first.chats.sent.length === 1);
  assert.equal(first.chats.sent[0]?.text, 'Finished after all.');
  assert.equal((await sendSigned(server.url, 'r', {}, headers)).status, 200);
});
