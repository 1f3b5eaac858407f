/** Calls of tools of servers: what the model reads, and what happens when they go wrong. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fakeEntry, openServers, personWho } from './support.ts';

test('texts, pictures, sounds, resources and links become one text; what is binary is kept in the caches', async (t) => {
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'rich' }, { name: 'structured' }] }) });
  const { result, structuredContent } = await opened.ask('mcp__s__rich');
  const lines = String(result).split('\n');
  assert.equal(lines.length, 7);
  assert.match(lines[1] ?? '', /^MEDIA:.*\/cache\/images\/mcp_[\da-f]+\.png$/);
  assert.match(lines[2] ?? '', /^MEDIA:.*\/cache\/audio\/mcp_[\da-f]+\.wav$/);
  assert.equal(lines[3], 'a note');
  assert.match(lines[4] ?? '', /^\[MCP resource saved to .*\.pdf \(application\/pdf\) — file:\/\/two\]$/);
  assert.equal(lines[5], '[MCP resource link: three — note://three — the third]');
  assert.deepEqual(structuredContent, { parts: 7 });
  assert.ok(existsSync(lines[1]?.slice('MEDIA:'.length) ?? ''));
  assert.deepEqual(await opened.ask('mcp__s__structured'), { result: { answer: 42 } });
});

test('what a server flags as an error is one, without the credentials in it', async (t) => {
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'fail' }, { name: 'throw' }] }) });
  const flagged = await opened.call('mcp__s__fail', { text: 'no access with ghp_abc and token=hunter2' });
  assert.equal(flagged.isError, true);
  assert.equal(flagged.content, '{"error":"no access with [REDACTED] and token=[REDACTED]"}');
  assert.match(String((await opened.ask('mcp__s__throw'))['error']), /^MCP call failed: \w+: .*no such thing/);
});

test('a result of 40 MB is cut before anybody has to hold it', async (t) => {
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'big' }] }) });
  const { content } = await opened.call('mcp__s__big', { bytes: 40_000_000 });
  assert.ok(typeof content === 'string' && content.length <= 100_000);
  assert.match(content, /of 40,000,000 characters the middle is left out/);
});

test('a call that does not come back ends at the deadline of its server, and when the user interrupts', async (t) => {
  const opened = await openServers(t, {
    s: fakeEntry({ tools: [{ name: 'never' }] }, { timeout: 0.2 }),
    patient: fakeEntry({ tools: [{ name: 'never' }] }),
  });
  assert.match(String((await opened.ask('mcp__s__never'))['error']), /MCP call failed: .*timed out/i);
  const user = new AbortController();
  const call = opened.call('mcp__patient__never', {}, { signal: user.signal });
  user.abort(new Error('interrupted'));
  await assert.rejects(call, /interrupted/);
});

test('calls of one server follow one another, unless it says that they may overlap', async (t) => {
  const sleeper = { tools: [{ name: 'sleep' }] };
  const opened = await openServers(t, {
    one: fakeEntry(sleeper),
    many: fakeEntry(sleeper, { supports_parallel_tool_calls: true }),
  });
  const times = async (tool: string): Promise<readonly (readonly [number, number])[]> => {
    const calls = [300, 300].map((ms) => opened.ask(tool, { ms }));
    return (await Promise.all(calls)).map(({ result }) => {
      const [begun = 0, ended = 0] = String(result).split(' ').map(Number);
      return [begun, ended] as const;
    });
  };
  const [first, second] = await times('mcp__one__sleep');
  assert.ok((second?.[0] ?? 0) >= (first?.[1] ?? 0));
  const [left, right] = await times('mcp__many__sleep');
  assert.ok((right?.[0] ?? 0) < (left?.[1] ?? 0) && (left?.[0] ?? 0) < (right?.[1] ?? 0));
  const parallel = opened.tools().map((tool) => {
    const prepared = tool.prepare({});
    return 'problem' in prepared ? undefined : prepared.parallel({});
  });
  assert.deepEqual(parallel, ['never', 'safe']);
});

test('after three failures in a row the next call is answered at once', async (t) => {
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'fail' }, { name: 'echo' }] }) });
  for (let round = 0; round < 3; round++) await opened.call('mcp__s__fail');
  const { error } = await opened.ask('mcp__s__echo');
  assert.match(String(error), /^MCP server 's' is unreachable after 3 consecutive failures\./);
});

test('a question of a server reaches the person of the conversation, and a yes carries nothing but what the server proposes', async (t) => {
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'ask' }] }) });
  const params = { message: 'May I?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
  const ask = async (human?: ReturnType<typeof personWho>, more = {}): Promise<unknown> => {
    const args = { method: 'elicitation/create', params: { ...params, ...more } };
    const { result } = await opened.ask('mcp__s__ask', args, human === undefined ? {} : { human });
    return JSON.parse(String(result)) as unknown;
  };
  const asked: string[] = [];
  const yes = personWho({
    approve: ({ command, reasons }) => {
      asked.push(`${command} ${reasons.join()}`);
      return Promise.resolve('once');
    },
  });
  assert.deepEqual(await ask(yes), { action: 'accept', content: {} });
  assert.match(asked.join(), /^May I\? .*asks this.*name/);
  assert.deepEqual(await ask(personWho({ approve: () => Promise.resolve('deny') })), { action: 'decline' });
  assert.deepEqual(await ask(personWho({ approve: () => Promise.resolve('timeout') })), { action: 'cancel' });
  assert.deepEqual(await ask(personWho({ approve: () => Promise.reject(new Error('broken')) })), { action: 'decline' });
  assert.deepEqual(await ask(), { action: 'decline' });
  const named = { type: 'string', default: 'Ann' };
  const proposing = {
    type: 'object',
    properties: { name: named, age: { type: 'integer', default: 30 }, mail: { type: 'string' } },
  };
  assert.deepEqual(await ask(yes, { requestedSchema: proposing }), {
    action: 'accept',
    content: { name: 'Ann', age: 30 },
  });
  assert.match(asked.at(-1) ?? '', /sends back what it proposes itself.*name \(it proposes "Ann"\), age .*30\), mail/);
  const page = await ask(yes, { mode: 'url', url: 'https://a.example/', elicitationId: '1' });
  assert.match(JSON.stringify(page), /not support URL-mode/);
});

test('a server may ask the model of the conversation, within its limits', async (t) => {
  const requests: unknown[] = [];
  let toolCalls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
  const session = {
    redact: (text: string) => text.replaceAll('sesame', '***'),
    side: {
      ask: (task: string, request: unknown) => {
        requests.push({ task, ...(request as object) });
        return Promise.resolve({
          text: 'It is sesame.',
          toolCalls,
          provider: 'p',
          model: 'm',
          stopReason: 'length' as const,
        });
      },
    },
  };
  const sampling = { allowed_models: ['small'], max_rpm: 4, max_tool_rounds: 0, max_tokens_cap: 'many' };
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'ask' }] }, { sampling }) }, { session });
  const ask = async (more: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 100_000, ...more };
    const { result } = await opened.ask('mcp__s__ask', { method: 'sampling/createMessage', params: params as never });
    return JSON.parse(String(result)) as Record<string, unknown>;
  };
  const answered = await ask({ systemPrompt: 'Be brief.', modelPreferences: { hints: [{ name: 'small' }] } });
  assert.deepEqual(answered, {
    role: 'assistant',
    content: { type: 'text', text: 'It is ***.' },
    model: 'm',
    stopReason: 'maxTokens',
  });
  const [first] = requests;
  assert.deepEqual(first, {
    task: 'mcp',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ],
    maxTokens: 4096,
    model: 'small',
  });
  assert.match(JSON.stringify(await ask({ modelPreferences: { hints: [{ name: 'large' }] } })), /not allowed.*small/);
  toolCalls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }];
  assert.match(JSON.stringify(await ask()), /Tool loops disabled/);
  await ask();
  assert.match(JSON.stringify(await ask()), /rate limit/);
  assert.deepEqual(opened.servers.list()[0]?.sampling, { requests: 5, errors: 4, tokens: 0, toolUses: 0 });
});

test('without settings a server may ask ten times a minute', async (t) => {
  let answered = 0;
  const ask = () => {
    answered += 1;
    return Promise.resolve({ text: 'Hi.', toolCalls: [], provider: 'p', model: 'm', stopReason: 'stop' as const });
  };
  const session = { redact: (text: string) => text, side: { ask } };
  const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'ask' }] }) }, { session });
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 };
  const results: unknown[] = [];
  for (let time = 0; time < 11; time += 1) {
    results.push((await opened.ask('mcp__s__ask', { method: 'sampling/createMessage', params }))['result']);
  }
  assert.equal(answered, 10);
  assert.match(String(results[10]), /rate limit/);
});
