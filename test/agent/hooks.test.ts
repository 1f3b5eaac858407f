/** What code of the owner hears of a conversation and may say to it, over the real wire. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { type ApprovalRequest, headless } from '../../src/agent/human.ts';
import type { Policy } from '../../src/agent/policy.ts';
import { sourcesOf } from '../../src/llm/message.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { hooked, type Listen, nextOf, nothing } from './hooked.ts';
import {
  agentOn,
  call,
  collect,
  contentOf,
  countedTool,
  editingTool,
  routeTo,
  shownText,
  testTool,
} from './support.ts';

test('of two hooks that block a call the first one is told to the model, and the tool does not run', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('echo', { a: 1 })] }, { text: 'ok' });
  const echo = countedTool('echo');
  const { hooks, at } = hooked([
    ['pre_tool_call', () => ({ action: 'block' })],
    ['pre_tool_call', () => ({ action: 'block', message: 'first' })],
    ['pre_tool_call', () => ({ action: 'block', message: 'second' })],
    ['post_tool_call', nothing],
  ]);
  const { agent, transcript } = agentOn(server, { tools: [echo], hooks });
  await collect(agent.run('go'));
  assert.equal(echo.ran(), 0);
  assert.equal(contentOf(server.lastRequest.body.messages.at(-1)), '{"error":"first"}');
  const [before] = at('pre_tool_call');
  const names = 'telemetry_schema_version tool_name args task_id session_id tool_call_id turn_id api_request_id';
  assert.deepEqual(Object.keys(before ?? {}), `${names} middleware_trace`.split(' '));
  assert.deepEqual([before?.['tool_name'], before?.['args'], before?.['task_id']], ['echo', { a: 1 }, 'task']);
  const [after] = at('post_tool_call');
  assert.equal(after?.['status'], 'blocked');
  assert.equal(after?.['error_type'], 'plugin_block');
  assert.equal(after?.['result'], '{"error":"first"}');
  assert.equal(after?.['api_request_id'], before?.['api_request_id']);
  assert.deepEqual(sourcesOf(transcript.messages[2] ?? { role: 'user', content: '' }), [
    { from: 'program', name: 'hook 2' },
  ]);
});

test('a hook may want a person to approve a call; without one it does not run', async () => {
  await using server = await startModelServer();
  const judged: string[] = [];
  const policy: Policy = {
    async decide(asked) {
      const [found] = (await asked.judge())?.findings.filter(({ key }) => key.startsWith('plugin_rule')) ?? [];
      judged.push(`${found?.key} ${found?.description}`);
      if (!asked.humanPresent) return { kind: 'refuse', reason: 'nobody', message: 'BLOCKED: nobody' };
      const request: ApprovalRequest = {
        tool: asked.tool,
        command: '',
        reasons: [found?.description ?? ''],
        keys: [found?.key ?? ''],
        mayRemember: true,
        sources: [],
      };
      return { kind: 'ask', request, settle: async () => ({ kind: 'allow', staged: false }) };
    },
  };
  const { hooks, at } = hooked([
    ['pre_tool_call', () => ({ action: 'approve', message: 'look at it', rule_key: 'mine' })],
    ['pre_approval_request', nothing],
    ['post_approval_response', nothing],
    ['post_tool_call', nothing],
  ]);
  const alone = countedTool('echo');
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'ok' }, { toolCalls: [call('echo')] }, { text: 'ok' });
  await collect(agentOn(server, { tools: [alone], hooks, policy }).agent.run('go'));
  assert.equal(alone.ran(), 0);
  assert.equal(at('post_tool_call')[0]?.['error_type'], 'policy_block');
  assert.deepEqual(at('pre_approval_request'), []);

  const watched = countedTool('echo');
  const human = { ...headless, present: true, approve: () => Promise.resolve('once' as const) };
  await collect(agentOn(server, { tools: [watched], hooks, policy, human }).agent.run('go'));
  assert.equal(watched.ran(), 1);
  assert.deepEqual(judged, ['plugin_rule:mine look at it', 'plugin_rule:mine look at it']);
  const [asked] = at('pre_approval_request');
  const [answered] = at('post_approval_response');
  assert.deepEqual(
    [asked?.['description'], asked?.['pattern_key'], asked?.['surface']],
    ['look at it', 'plugin_rule:mine', 'cli'],
  );
  assert.equal(answered?.['choice'], 'once');
});

test('the first text replaces a result, also an empty one, and then its sources name the hook', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'ok' });
  const { hooks, at } = hooked([
    ['transform_tool_result', () => ({ not: 'a text' })],
    ['transform_tool_result', () => ''],
    ['transform_tool_result', () => 'late'],
    ['post_tool_call', nothing],
  ]);
  const { agent, transcript } = agentOn(server, { tools: [testTool('echo', () => 'long')], hooks });
  await collect(agent.run('go'));
  const stored = transcript.messages[2];
  assert.equal(stored?.content, '');
  assert.deepEqual(stored?.sources?.at(-1), { from: 'program', name: 'hook 2' });
  assert.deepEqual([at('post_tool_call')[0]?.['result'], at('post_tool_call')[0]?.['status']], ['long', 'ok']);
});

test('a tool that throws is an error for the model and for the hook, in the same words', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'ok' });
  const { hooks, at } = hooked([['post_tool_call', nothing]]);
  const broken = testTool('echo', () => {
    throw new Error('no luck');
  });
  await collect(agentOn(server, { tools: [broken], hooks }).agent.run('go'));
  const [after] = at('post_tool_call');
  assert.equal(after?.['result'], contentOf(server.lastRequest.body.messages.at(-1)));
  assert.deepEqual(
    [after?.['status'], after?.['error_type'], after?.['error_message']],
    ['error', 'tool_error', '[TOOL_ERROR] Tool execution failed: Error: no luck'],
  );
});

test('context of hooks stands behind the words of the user in requests alone, and the answer says where it comes from', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'one' }, { text: 'two' });
  let asked = 0;
  const entered: unknown[] = [];
  const { hooks, at } = hooked(
    [
      ['pre_llm_call', () => ({ context: `X${(asked += 1)}` })],
      ['pre_llm_call', () => 'Y'],
      ['on_session_start', nothing],
    ],
    { entered: (sources) => void entered.push(...sources), senderId: 'alice' },
  );
  const { agent, transcript } = agentOn(server, { tools: [testTool('echo', () => 'x')], hooks });
  await collect(agent.run('hello'));
  for (const { body } of server.requests) {
    assert.equal(contentOf(body.messages[1]), 'hello\n\nX1\n\nY');
    assert.equal(contentOf(body.messages[0]), 'You are a test.');
  }
  assert.equal(transcript.messages[0]?.content, 'hello');
  assert.deepEqual(entered, [
    { from: 'program', name: 'hook 1' },
    { from: 'program', name: 'hook 2' },
  ]);
  assert.deepEqual(transcript.messages.at(-1)?.sources, [{ from: 'agent' }, ...entered]);
  await collect(agent.run('again'));
  assert.deepEqual(server.lastRequest.body.messages.filter(({ role }) => role === 'user').map(contentOf), [
    'hello',
    'again\n\nX2\n\nY',
  ]);
  const told = at('pre_llm_call').filter((_, index) => index % 2 === 0);
  assert.deepEqual(
    told.map((payload) => payload['is_first_turn']),
    [true, false],
  );
  assert.deepEqual(
    told.map((payload) => payload['user_message']),
    ['hello', 'again'],
  );
  assert.equal(told[0]?.['sender_id'], 'alice');
  assert.equal(at('on_session_start').length, 1);
  assert.deepEqual(server.violations, []);
});

test('an answer is delivered as the first hook with a text wants it; the history keeps what the model said', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'plain' });
  const { hooks, at } = hooked([
    ['transform_llm_output', () => ''],
    ['transform_llm_output', ({ response_text }) => `*${String(response_text)}*`],
    ['transform_llm_output', () => 'late'],
    ['post_llm_call', nothing],
    ['on_session_end', nothing],
  ]);
  const { agent } = agentOn(server, { hooks });
  const { events, result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, '*plain*');
  assert.equal(shownText(events), '*plain*');
  assert.equal(agent.history.at(-1)?.content, 'plain');
  assert.equal(at('post_llm_call')[0]?.['assistant_response'], '*plain*');
  const [end] = at('on_session_end');
  assert.deepEqual([end?.['completed'], end?.['interrupted'], end?.['turn_id']], [true, false, result.turnId]);
});

test('an empty text of a hook changes no answer', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'plain' });
  const { hooks } = hooked([['transform_llm_output', () => '']]);
  assert.equal((await collect(agentOn(server, { hooks }).agent.run('go'))).result.finalResponse, 'plain');
});

test('a hook that always wants more keeps a turn that changed files going for so many rounds', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'done' }) });
  server.enqueue({ toolCalls: [call('edit', { path: 'a.ts' })] });
  const { hooks, at } = hooked([
    ['pre_verify', ({ attempt }) => ({ decision: 'block', reason: `more ${String(attempt)}` })],
  ]);
  const edit = editingTool('edit', () => ({ value: { ok: true }, changedFiles: ['/work/a.ts'] }));
  const { agent, transcript } = agentOn(server, { tools: [edit], hooks });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'completed');
  assert.deepEqual(
    at('pre_verify').map(({ attempt }) => attempt),
    [0, 1, 2],
  );
  assert.deepEqual(at('pre_verify')[0]?.['changed_paths'], ['/work/a.ts']);
  assert.equal(contentOf(server.requests[2]?.body.messages.at(-1)), 'more 0');
  assert.doesNotMatch(JSON.stringify(transcript.messages), /more 0/);
  assert.equal(server.requests.length, 5);
});

test('a turn that is interrupted has no answer to tell, and its end is told', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('wait')] });
  const { hooks, at, heard } = hooked([
    ['post_llm_call', nothing],
    ['on_session_end', nothing],
    ['post_tool_call', nothing],
  ]);
  const wait = testTool('wait', async (_, signal) => {
    agent.interrupt();
    signal.throwIfAborted();
  });
  const { agent } = agentOn(server, { tools: [wait], hooks });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'interrupted');
  while (at('on_session_end').length === 0) await new Promise(setImmediate);
  assert.deepEqual(at('post_llm_call'), []);
  const end = at('on_session_end')[0];
  assert.deepEqual([end?.['completed'], end?.['interrupted']], [false, true]);
  assert.ok(heard.length >= 2);
});

test('requests are told before, after and when they fail, without keys', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 429, headers: { 'retry-after': '1' } }, { text: 'ok' });
  const { hooks, at } = hooked([
    ['pre_api_request', nothing],
    ['post_api_request', nothing],
    ['api_request_error', nothing],
  ]);
  const route = { ...routeTo(server), baseUrl: 'http://me:test-key-1@models.test/v1?key=test-key-2' };
  await collect(agentOn(server, { route, hooks, tools: [testTool('echo', () => 'x')] }).agent.run('hello'));
  const [first, second] = at('pre_api_request');
  assert.equal(first?.['base_url'], 'http://models.test/v1');
  assert.deepEqual([first?.['api_call_count'], second?.['api_call_count']], [1, 2]);
  assert.deepEqual([first?.['message_count'], first?.['tool_count'], first?.['user_message']], [2, 1, 'hello']);
  assert.doesNotMatch(JSON.stringify([first, second]), /test-key/);
  const [failed] = at('api_request_error');
  assert.deepEqual([failed?.['status_code'], failed?.['retryable'], failed?.['reason']], [429, true, 'rate_limit']);
  assert.equal(failed?.['api_request_id'], first?.['api_request_id']);
  const [answered] = at('post_api_request');
  assert.equal(answered?.['api_request_id'], second?.['api_request_id']);
  assert.deepEqual(answered?.['assistant_message'], { role: 'assistant', content: 'ok' });
  assert.equal(answered?.['assistant_content_chars'], 2);
});

test('a hook that throws or never answers is left out, and what it changes in its payload reaches nobody', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('echo', { a: 1 })] }, { text: 'ok' });
  let seen: unknown;
  const { hooks } = hooked(
    [
      [
        'pre_tool_call',
        (payload) => {
          Object.assign(payload['args'] ?? {}, { a: 2 });
          throw new Error('broken');
        },
      ],
      ['pre_tool_call', () => new Promise(() => undefined)],
      ['pre_tool_call', ({ args }) => void (seen = args)],
    ],
    {},
    50,
  );
  const { agent } = agentOn(server, { tools: [testTool('echo', (args) => args)], hooks });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'ok');
  assert.deepEqual(seen, { a: 1 });
  assert.equal(contentOf(server.requests[1]?.body.messages.at(-1)), '{"a":1}');
});

test('middleware that changes the arguments changes them for hooks, the policy and the tool', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('write', { path: 'a' })] }, { text: 'ok' });
  const judged: unknown[] = [];
  const policy: Policy = {
    decide: async ({ args }) => {
      judged.push(args);
      return { kind: 'allow', staged: false };
    },
  };
  const { hooks, at } = hooked([
    ['tool_request', ({ args }) => ({ args: { ...Object(args), path: 'b' }, reason: 'first' })],
    ['tool_request', ({ args }) => ({ args: { path: `${String(Object(args).path)}c` }, reason: 'moved' })],
    ['tool_request', () => ({ args: 'nonsense' })],
    ['pre_tool_call', nothing],
    ['post_tool_call', nothing],
  ]);
  let ran: unknown;
  const write = testTool('write', (args) => {
    ran = args;
    return 'done';
  });
  await collect(agentOn(server, { tools: [write], hooks, policy }).agent.run('go'));
  assert.deepEqual([judged, ran], [[{ path: 'ac' }], { path: 'ac' }]);
  const trace = [{ source: 'plugin', reason: 'moved' }];
  const [before] = at('pre_tool_call');
  assert.deepEqual([before?.['args'], before?.['middleware_trace']], [{ path: 'ac' }, trace]);
  assert.deepEqual(at('post_tool_call')[0]?.['middleware_trace'], trace);
  assert.equal(at('tool_request')[0]?.['middleware_schema_version'], 'hermes.middleware.v1');
});

test('middleware around a tool lets it run once, whatever it does', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const resultOf = async (...around: Listen[]) => {
    let ran = 0;
    const echo = testTool('echo', () => `ran ${(ran += 1)}`);
    server.enqueue({ toolCalls: [call('echo', { a: 1 })] }, { text: 'ok' });
    const { hooks } = hooked(around.map((listen) => ['tool_execution', listen] as const));
    const { agent } = agentOn(server, { tools: [echo], hooks });
    await collect(agent.run('go'));
    return [contentOf(server.lastRequest.body.messages.at(-1)), ran];
  };
  const twice: Listen = async (payload) => {
    const text = await nextOf(payload)();
    return await nextOf(payload)().catch(() => text);
  };
  assert.deepEqual(await resultOf(twice), ['ran 1', 1]);
  assert.deepEqual(
    await resultOf(
      async (payload) => `<${String(await nextOf(payload)())}>`,
      async (payload) => `[${String(await nextOf(payload)({ a: 1 }))}]`,
    ),
    ['<[ran 1]>', 1],
  );
  const broken: Listen = () => {
    throw new Error('before');
  };
  assert.deepEqual(await resultOf(broken), ['ran 1', 1]);
  const brokenLater: Listen = async (payload) => {
    await nextOf(payload)();
    throw new Error('after');
  };
  assert.deepEqual(await resultOf(brokenLater), ['ran 1', 1]);
  assert.deepEqual(await resultOf(async (payload) => await nextOf(payload)({ a: 2 })), ['ran 1', 1]);
  assert.deepEqual(await resultOf(() => 'instead'), ['instead', 0]);
});

test('what goes wrong in a tool goes through middleware as it is', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'ok' });
  const { hooks } = hooked([['tool_execution', async (payload) => await nextOf(payload)()]]);
  const echo = testTool('echo', () => {
    throw new Error('no luck');
  });
  await collect(agentOn(server, { tools: [echo], hooks }).agent.run('go'));
  assert.match(contentOf(server.lastRequest.body.messages.at(-1)), /no luck/);
});

test('work that middleware held up until nobody waited for it any more never begins', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('write')] });
  let ran = 0;
  const write = testTool('write', () => `ran ${(ran += 1)}`);
  const late = Promise.withResolvers<unknown>();
  const { hooks, warned } = hooked([
    [
      'tool_execution',
      async (payload, signal) => {
        agent.interrupt();
        await once(signal, 'abort');
        late.resolve(await nextOf(payload)().catch((error: unknown) => error));
        throw new Error('not any more');
      },
    ],
  ]);
  const { agent } = agentOn(server, { tools: [write], hooks });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'interrupted');
  assert.match(String(await late.promise), /nobody waits for it/);
  await new Promise(setImmediate);
  assert.deepEqual([ran, warned], [0, []]);
});
