/** What a chat and its agent are told before a turn: a new conversation, the time, a history that was shortened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdapterClock } from '../../src/gateway/platform/adapter-host.ts';
import type { RecordedRequest } from '../fakes/model-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { isSummary, summary } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';

/** One whose time is set; it waits as the real one does. */
function clockAt(now: number): AdapterClock & { at: number } {
  return {
    at: now,
    now() {
      return this.at;
    },
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    random: () => 0.5,
  };
}

const lastOf = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages.at(-1)?.content);

test('a chat that was silent for too long begins anew, and both the person and the agent are told why', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const clock = clockAt(Date.now());
  const config = `${quiet}session_reset:\n  mode: idle\n  idle_minutes: 1\n`;
  const { fake, gateway } = await openGateway(t, server, { config, clock });
  await fake.say('one');
  await fake.until(() => fake.texts().length === 1);
  clock.at += 120_000;
  await fake.say('two');
  await fake.until(() => fake.texts().length === 3);
  assert.deepEqual(fake.texts(), [
    'yes',
    '◐ Session automatically reset (idle for more than a minute). Earlier messages are no longer read.',
    'yes',
  ]);
  assert.match(lastOf(server.requests[1]), /^"\[System note: .*idle for more than a minute.*\]\\n\\ntwo"$/);
  const ids = (await gateway.program.store?.maintenance.sessionIds()) ?? [];
  const { store } = gateway.program;
  const texts = await Promise.all(ids.map(async (id) => await store?.messages.conversation(id)));
  assert.deepEqual(new Set(texts.map((said) => said?.[0]?.content)), new Set(['one', 'two']));
});

test('a process that runs in the background keeps a conversation, but none for longer than a day', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const args = { command: 'sleep 1000', background: true };
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: args }] }, { text: 'started' });
  const clock = clockAt(Date.now());
  const config = `${quiet}session_reset:\n  mode: idle\n  idle_minutes: 1\n`;
  const { fake } = await openGateway(t, server, { config, clock });
  await fake.say('one');
  await fake.until(() => fake.texts().length === 1);
  clock.at += 120_000;
  await fake.say('two');
  await fake.until(() => fake.texts().length === 2);
  assert.deepEqual(fake.texts(), ['started', 'yes']);
  clock.at += 25 * 3_600_000;
  await fake.say('three');
  await fake.until(() => fake.texts().length > 2 && fake.texts().at(-1) === 'yes');
  assert.match(fake.texts()[2] ?? '', /^◐ Session automatically reset \(idle/);
});

for (const [whose, first, more] of [
  ['whose conversation had cost nothing', { fault: 'status', status: 401 }, ''],
  ['whose owner does not want it', { text: 'yes' }, '  notify: false\n'],
  ['of a platform that is left out', { text: 'yes' }, '  notify_exclude_platforms: [fake]\n'],
] as const)
  test(`a chat ${whose} is not told of its reset`, async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
    server.enqueue(first);
    const clock = clockAt(Date.now());
    const config = `${quiet}session_reset:\n  mode: idle\n  idle_minutes: 1\n${more}`;
    const { fake } = await openGateway(t, server, { config, clock });
    await fake.say('one');
    await fake.until(() => fake.texts().length === 1);
    clock.at += 120_000;
    await fake.say('two');
    await fake.until(() => fake.texts().at(-1) === 'yes' && fake.texts().length > 1);
    assert.equal(fake.texts().length, 2);
  });

test('with message_timestamps the model reads when each message was sent, and what is stored is what was said', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const config = `${quiet}timezone: Europe/Berlin\ngateway:\n  message_timestamps:\n    enabled: true\n`;
  const { fake, gateway } = await openGateway(t, server, { config });
  await fake.say('one', { timestamp: Date.UTC(2026, 3, 28, 11, 40, 53) });
  await fake.until(() => fake.texts().length === 1);
  await fake.say('two', { timestamp: Date.UTC(2026, 3, 28, 11, 41, 0) });
  await fake.until(() => fake.texts().length === 2);
  const asked = server.requests[1]?.body.messages.filter(({ role }) => role === 'user') ?? [];
  assert.deepEqual(
    asked.map(({ content }) => content),
    ['[Tue 2026-04-28 13:40:53 CEST] one', '[Tue 2026-04-28 13:41:00 CEST] two'],
  );
  const [id = ''] = (await gateway.program.store?.maintenance.sessionIds()) ?? [];
  const stored = (await gateway.program.store?.messages.conversation(id)) ?? [];
  assert.deepEqual(
    stored.filter(({ role }) => role === 'user').map(({ content }) => content),
    ['one', 'two'],
  );
});

test('with redact_pii no id of anybody reaches the model, not of those either who were only overheard', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const config = `${quiet}privacy:\n  redact_pii: true\ngroup_sessions_per_user: false\n`;
  const { fake } = await openGateway(t, server, { config, fake: new ChatService({ facts: { piiSafe: true } }) });
  const from = (id: string, name: string | null) => ({
    platform: 'fake',
    chat_id: '-100777',
    chat_name: 'Friends',
    chat_type: 'group' as const,
    user_id: id,
    user_name: name,
    thread_id: null,
    chat_topic: null,
  });
  await fake.say('lunch?', { source: from('900111', 'Ann'), observed: true });
  await fake.say('what did she ask?', { source: from('900222', null) });
  await fake.until(() => fake.texts('-100777').length === 1);
  const asked = JSON.stringify(server.requests[0]?.body);
  assert.doesNotMatch(asked, /900111|900222|-100777/);
  assert.match(
    lastOf(server.requests[0]),
    /\[Ann\|user_[0-9a-f]{12}\] lunch\?.*\[user_[0-9a-f]{12}\] what did she ask/,
  );
});

const long = 'The fox looks at the dog. '.repeat(800);

test('a history near the end of the context is shortened before the turn, in the same session', async (t) => {
  await using server = await startModelServer({
    respond: (request) =>
      isSummary(request)
        ? summary
        : { text: 'yes', usage: { prompt_tokens: 86_000, completion_tokens: 5, total_tokens: 86_005 } },
  });
  const { fake, gateway } = await openGateway(t, server, {
    config: `  context_length: 100000\n${quiet}compression:\n  threshold: 1\n  protect_first_n: 0\n  protect_last_n: 1\n  target_ratio: 0.1\n`,
  });
  const { store } = gateway.program;
  for (let count = 1; count <= 6; count += 1) {
    await fake.say(`${count === 2 ? 'elephant' : count} ${long}`);
    await fake.until(() => fake.texts().filter((text) => text === 'yes').length === count);
  }
  assert.doesNotMatch(JSON.stringify(server.requests.at(-1)?.body), /elephant/);
  const told = fake.texts().filter((text) => text.startsWith('🗜️'));
  assert.match(told[0] ?? '', /^🗜️ This conversation is long \(\d+ messages, ~86k tokens\)/);
  assert.ok(
    told.some((text) => /^🗜️ Shortened: \d+ → \d+ messages/.test(text)),
    told.join('\n'),
  );
  const ids = (await store?.maintenance.sessionIds()) ?? [];
  assert.equal(ids.length, 1);
  const hits = (await store?.search.messages({ query: 'elephant' })) ?? [];
  assert.notEqual(hits.length, 0);
});

test('so is one with too many messages, and where that fails the message has its turn all the same', async (t) => {
  await using server = await startModelServer({
    respond: (request) =>
      isSummary(request) ? { fault: 'status', status: 401, body: { error: { message: 'no' } } } : { text: 'yes' },
  });
  const { fake } = await openGateway(t, server, {
    config: `${quiet}compression:\n  hygiene_hard_message_limit: 4\n  abort_on_summary_failure: true\n  protect_first_n: 0\n  protect_last_n: 1\n`,
  });
  for (const count of [1, 2, 3]) {
    await fake.say(`${count} ${long}`);
    await fake.until(() => fake.texts().filter((text) => text === 'yes').length === count);
  }
  assert.match(fake.texts().find((text) => text.startsWith('🗜️')) ?? '', /\(4 messages/);
});

test('a short history is not touched', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes' }) });
  const { fake } = await openGateway(t, server, { config: quiet });
  for (const count of [1, 2, 3, 4]) {
    await fake.say('hello');
    await fake.until(() => fake.texts().length === count);
  }
  assert.deepEqual(fake.texts(), ['yes', 'yes', 'yes', 'yes']);
});
