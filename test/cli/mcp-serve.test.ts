/** `hermes mcp serve`: the conversations in chats, as another agent gets them. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { hermes, makePlace, ok } from './hermes-process.ts';
import { chatIn, servedHome } from './mcp-serve-client.ts';

const ann = { chatId: '1001', name: 'Ann' };

test('a client gets the ten tools of the original with their parameters, and nothing but messages is on standard output', async (t) => {
  const client = await servedHome(t).serve({ shakesHands: false });
  const hello = await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  assert.partialDeepStrictEqual(hello, {
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hermes' } },
  });
  const { result } = (await client.request('tools/list')) as {
    result: { tools: { name: string; inputSchema: { properties: object; required?: string[] } }[] };
  };
  assert.deepEqual(
    result.tools.map(({ name, inputSchema: { properties, required = [] } }) => [
      name,
      Object.keys(properties)
        .map((each) => (required.includes(each) ? `${each}*` : each))
        .join(' '),
    ]),
    [
      ['conversations_list', 'platform limit search'],
      ['conversation_get', 'session_key*'],
      ['messages_read', 'session_key* limit'],
      ['attachments_fetch', 'session_key* message_id*'],
      ['events_poll', 'after_cursor session_key limit'],
      ['events_wait', 'after_cursor session_key timeout_ms'],
      ['messages_send', 'target* message*'],
      ['channels_list', 'platform'],
      ['permissions_list_open', ''],
      ['permissions_respond', 'id* decision*'],
    ],
  );
  assert.deepEqual(await client.call('conversations_list'), { count: 0, conversations: [] });
  assert.deepEqual(await client.call('events_wait', { timeout_ms: 50 }), { event: null, reason: 'timeout' });
  assert.match(String((await client.call('no_such_tool'))['refused']), /Unknown tool: no_such_tool/);
  assert.match(String((await client.call('messages_read'))['refused']), /do not fit[^]*session_key/);
  client.input.write('this is no message\n\n');
  assert.deepEqual(await client.call('channels_list'), { count: 0, channels: [] });
  client.input.end();
  await client.ended;
  assert.ok(client.lines.every((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc === '2.0'));
});

test('conversations are listed and read as the original does, without secrets', async (t) => {
  const place = servedHome(t);
  place.write('.env', 'DEMO_API_KEY=correct-horse-battery\n');
  const store = await place.store();
  const key = await chatIn(store, 's1', ann);
  await chatIn(store, 's2', { chatId: '1002', name: 'Bob' });
  const picture = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } } as const;
  await store.messages.append('s1', { role: 'user', content: [{ type: 'text', text: 'look' }, picture] });
  await store.messages.append('s1', {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } }],
  });
  await store.messages.append('s1', { role: 'tool', tool_call_id: 'c', content: 'not for others' });
  await store.messages.append('s1', {
    role: 'assistant',
    content: 'The key is correct-horse-battery. MEDIA:/tmp/a.pdf',
  });
  await store.messages.append('s1', { role: 'user', content: 'é'.repeat(3000) });
  const { call } = await place.serve();
  const list = await call('conversations_list', { search: 'ANN', limit: '5' });
  assert.partialDeepStrictEqual(list, {
    count: 1,
    conversations: [
      {
        session_key: key,
        session_id: 's1',
        platform: 'telegram',
        chat_type: 'dm',
        display_name: 'Ann',
        chat_name: 'Ann',
        user_name: 'ann',
      },
    ],
  });
  assert.equal((await call('conversations_list', { limit: 0 }))['count'], 1, 'the limit is at least one');
  assert.equal((await call('conversations_list', { platform: 'matrix' }))['count'], 0);
  assert.partialDeepStrictEqual(await call('conversation_get', { session_key: key }), {
    chat_id: '1001',
    thread_id: null,
    input_tokens: 0,
    total_tokens: 0,
  });
  const read = (await call('messages_read', { session_key: key, limit: 2 })) as {
    messages: { id: string; role: string; content: string; timestamp: number }[];
  };
  assert.partialDeepStrictEqual(read, { session_key: key, count: 2, total_in_session: 3 });
  assert.deepEqual(
    read.messages.map(({ role, content }) => [role, content.length > 100 ? content.length : content]),
    [
      ['assistant', read.messages[0]?.content],
      ['user', 2000],
    ],
  );
  assert.match(read.messages[0]?.content ?? '', /^The key is (?!correct-horse).* MEDIA:\/tmp\/a\.pdf$/);
  const attachments = async (id: string) => await call('attachments_fetch', { session_key: key, message_id: id });
  assert.deepEqual(await attachments('1'), {
    message_id: '1',
    count: 1,
    attachments: [{ type: 'image', url: 'https://x.test/a.png' }],
  });
  assert.deepEqual((await attachments('4'))['attachments'], [{ type: 'media', path: '/tmp/a.pdf' }]);
  assert.deepEqual(await attachments('99'), { error: 'Message not found: 99' });
  assert.deepEqual(await call('conversation_get', { session_key: 'none' }), { error: 'Conversation not found: none' });
});

test('what is said from now on becomes events, for who waits and for who polls', async (t) => {
  const place = servedHome(t);
  const store = await place.store();
  const key = await chatIn(store, 's1', ann);
  const other = await chatIn(store, 's2', { chatId: '1002', name: 'Bob' });
  await store.messages.append('s1', { role: 'user', content: 'before' });
  const { call } = await place.serve();
  assert.deepEqual(await call('events_poll'), { events: [], next_cursor: 0 });
  const waits = call('events_wait', { session_key: other });
  await store.messages.append('s1', { role: 'user', content: 'hi' });
  await store.messages.append('s2', { role: 'assistant', content: 'x'.repeat(600) });
  const { event } = (await waits) as { event: Record<string, unknown> };
  assert.partialDeepStrictEqual(event, { cursor: 2, type: 'message', session_key: other, role: 'assistant' });
  assert.equal(String(event['content']).length, 500);
  assert.partialDeepStrictEqual(await call('events_poll', { limit: 1 }), {
    events: [{ cursor: 1, session_key: key, content: 'hi', message_id: '2' }],
    next_cursor: 1,
  });
  assert.deepEqual(await call('events_poll', { after_cursor: 2 }), { events: [], next_cursor: 2 });
  assert.partialDeepStrictEqual(await call('events_wait', { after_cursor: 1 }), { event: { cursor: 2 } });
});

test('a home that has no conversations yet is waited for', async (t) => {
  const place = servedHome(t);
  const { call } = await place.serve();
  const waits = call('events_wait');
  const store = await place.store();
  await chatIn(store, 's1', ann);
  await store.messages.append('s1', { role: 'user', content: 'the first' });
  assert.partialDeepStrictEqual(await waits, { event: { content: 'the first' } });
});

async function telegram(t: TestContext) {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const place = servedHome(t);
  place.write('config.yaml', `platforms:\n  telegram:\n    base_url: ${fake.server.url}\n`);
  place.write('.env', `TELEGRAM_BOT_TOKEN=${fake.server.token}\n`);
  return { ...place, texts: () => fake.shown({ chatId: '1001', threadId: null }).map(({ text }) => text) };
}

test('a text is sent to a chat, by number or by name, and stands in its conversation as somebody else’s words', async (t) => {
  const place = await telegram(t);
  const store = await place.store();
  const key = await chatIn(store, 's1', ann);
  const { call } = await place.serve();
  assert.deepEqual(await call('channels_list'), {
    count: 1,
    channels: [{ target: 'telegram:1001', platform: 'telegram', name: 'Ann', chat_type: 'dm' }],
  });
  place.write(
    'channel_directory.json',
    JSON.stringify({ updated_at: null, platforms: { telegram: [{ id: '1001', name: 'Ann', type: 'dm' }] } }),
  );
  assert.equal((await call('channels_list', { platform: 'matrix' }))['count'], 0);
  const sent = await call('messages_send', { target: 'telegram:#ann', message: 'The build is green.' });
  assert.partialDeepStrictEqual(sent, { success: true, platform: 'telegram', chat_id: '1001', mirrored: true });
  assert.deepEqual(place.texts(), ['The build is green.']);
  assert.partialDeepStrictEqual(await call('messages_read', { session_key: key }), {
    messages: [{ role: 'assistant', content: 'The build is green.' }],
  });
  assert.deepEqual(await store.sessions.sources('s1'), [{ from: 'program', name: 'mcp' }]);
});

test('what cannot be sent says why, and nothing is sent', async (t) => {
  const place = await telegram(t);
  const file = place.write('report.txt', 'report');
  const { call } = await place.serve();
  for (const [target, message, why] of [
    ['', 'x', /Both target and message are required/],
    ['telegram:1001', ' ', /Both target and message are required/],
    ['pigeon:1', 'x', /no chat platform 'pigeon'/],
    ['telegram:Nobody', 'x', /No chat of Telegram is called 'Nobody'/],
    ['telegram:1001', 'x'.repeat(200_001), /more than 200000 characters/],
    ['telegram:1001', `MEDIA:${file}`, /nothing was sent/],
  ] as const) {
    assert.match(String((await call('messages_send', { target, message }))['error']), why);
  }
  assert.deepEqual(place.texts(), []);
});

test('a client that has closed its end still gets what it asked for', async (t) => {
  const client = await servedHome(t).serve();
  const answer = client.call('events_wait', { timeout_ms: 100 });
  client.input.end();
  assert.deepEqual(await answer, { event: null, reason: 'timeout' });
  await client.ended;
});

test('with --verbose the log is on standard error, and only there', async (t) => {
  const client = await servedHome(t).serve({ verbose: true });
  await client.call('channels_list');
  client.input.end();
  await client.ended;
  assert.match(client.stderr(), /mcp\.serve: serves an MCP client[^]*channels_list took \d+ ms/);
});

test('as a process it answers what is piped in, writes nothing else, and ends with its input', async (t) => {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const asked = [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'events_wait', arguments: { timeout_ms: 500 } } },
  ];
  const stdin = asked.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const place = makePlace(t);
  // A warning of the configuration belongs on standard error.
  place.write('config.yaml', 'no_such_setting: 1\nagent:\n  max_turns: many\n');
  const run = ok(await hermes(place, ['mcp', 'serve'], { stdin }));
  const answers = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: { structuredContent?: { result: string } } });
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.match(answers[1]?.result.structuredContent?.result ?? '', /"reason": "timeout"/);
  assert.match(run.stderr, /max_turns/);
});
