/** Calls of one message that share, and calls between them that do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/agent/clock.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, call, collect, testTool } from './support.ts';

/** A tool that ends after everything which is started beside it has begun. */
const lasting = (name: string, parallel: Parameters<typeof testTool>[2]) =>
  testTool(
    name,
    async ({ at }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return String(at);
    },
    parallel,
  );

/** Beginnings `+` and ends `-` of the calls, by the name that each one has. */
function courseOf(events: readonly AgentEvent[]): string {
  const names = new Map<string, string>();
  const steps = events.flatMap((event) => {
    if (event.type === 'tool_started') names.set(event.callId, String(event.args['at']));
    if (event.type !== 'tool_started' && event.type !== 'tool_finished') return [];
    return [(event.type === 'tool_started' ? '+' : '-') + (names.get(event.callId) ?? '')];
  });
  return steps.join(' ');
}

const onPath = { parallel: { paths: ({ path }: Record<string, unknown>) => [String(path)] } };

test('two reads, a command and two reads: the reads share, the command is alone between them, results in call order', async () => {
  await using server = await startModelServer({ strict: true });
  const read = (at: string) => call('read', { at, path: `/${at}` });
  server.enqueue({ toolCalls: [read('a'), read('b'), call('run', { at: 't' }), read('c'), read('d')] }, { text: 'ok' });
  const { agent } = agentOn(server, { tools: [lasting('read', onPath), lasting('run', 'never')] });
  const { events } = await collect(agent.run('go'));
  assert.equal(courseOf(events), '+a +b -a -b +t -t +c +d -c -d');
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  assert.deepEqual(results, ['a', 'b', 't', 'c', 'd']);
});

test('a read of what was written before it waits for the write, and what follows shares with the read', async () => {
  await using server = await startModelServer({ strict: true });
  const on = (name: string, at: string, path: string) => call(name, { at, path });
  server.enqueue(
    { toolCalls: [on('write', 'w', '/a/b'), on('read', 'r', '/a'), on('read', 'x', '/c')] },
    { text: 'ok' },
  );
  const { agent } = agentOn(server, { tools: [lasting('read', onPath), lasting('write', onPath)] });
  const { events } = await collect(agent.run('go'));
  assert.equal(courseOf(events), '+w -w +r +x -r -x');
});

test('what a call touches is asked when its turn comes, after what stands before it', async () => {
  await using server = await startModelServer({ strict: true });
  let folder = '/one';
  const here = { parallel: { paths: ({ path }: Record<string, unknown>) => [`${folder}/${String(path)}`] } };
  const move = testTool('move', () => {
    folder = '/two';
    return 'moved';
  });
  const at = (name: string, path: string) => call('read', { at: name, path });
  server.enqueue({ toolCalls: [call('move', { at: 'm' }), at('a', 'x'), at('b', '../two/x')] }, { text: 'ok' });
  const { agent } = agentOn(server, { tools: [lasting('read', here), move] });
  const { events } = await collect(agent.run('go'));
  assert.equal(courseOf(events), '+m -m +a -a +b -b');
});

test('a result that cannot be stored ends the turn, and no later call starts', async () => {
  await using server = await startModelServer();
  const started: unknown[] = [];
  const tools = (['safe', 'never'] as const).map((parallel) =>
    testTool(parallel, ({ n }) => String(started.push(n)), parallel),
  );
  server.enqueue({ toolCalls: [call('safe', { n: 1 }), call('safe', { n: 2 }), call('never', { n: 3 })] });
  const { agent, transcript } = agentOn(server, { tools });
  const append = transcript.append.bind(transcript);
  transcript.append = (message) => (message.role === 'tool' ? Promise.reject(new Error('disk full')) : append(message));
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'failed');
  assert.deepEqual(started, [1, 2]);
});

test('results stand in call order although the second call finishes first', async () => {
  await using server = await startModelServer();
  const slow = Promise.withResolvers<string>();
  const tools = [
    testTool('slow', () => slow.promise, 'safe'),
    testTool(
      'quick',
      () => {
        setImmediate(() => slow.resolve('slow result'));
        return 'quick result';
      },
      'safe',
    ),
  ];
  server.enqueue({ toolCalls: [call('slow'), call('quick')] }, { text: 'done' });
  const { agent } = agentOn(server, { tools });
  const { events } = await collect(agent.run('go'));
  const results = server.lastRequest.body.messages.filter((m) => m.role === 'tool').map((m) => m.content);
  assert.deepEqual(results, ['slow result', 'quick result']);
  const finished = events.flatMap((event) => (event.type === 'tool_finished' ? [event.name] : []));
  assert.deepEqual(finished, ['quick', 'slow']);
});

test('of ten parallel calls never more than eight run at once', async () => {
  await using server = await startModelServer();
  let running = 0;
  let peak = 0;
  const full = Promise.withResolvers<void>();
  const tool = testTool(
    'work',
    async () => {
      running += 1;
      peak = Math.max(peak, running);
      if (running === 8) setImmediate(() => full.resolve());
      await full.promise;
      running -= 1;
      return 'ok';
    },
    'safe',
  );
  server.enqueue({ toolCalls: Array.from({ length: 10 }, (_, n) => call('work', { n })) }, { text: 'done' });
  const { agent } = agentOn(server, { tools: [tool] });
  await collect(agent.run('go'));
  assert.equal(peak, 8);
});

test('of calls side by side, one that does not end in time is answered as unknown, and the others count', async () => {
  await using server = await startModelServer();
  const ended = Promise.withResolvers<void>();
  const hangs = testTool(
    'hangs',
    (_args, signal) => {
      signal.addEventListener('abort', () => ended.resolve());
      return new Promise(() => undefined);
    },
    'safe',
  );
  const quick = testTool('quick', () => 'ok', 'safe');
  server.enqueue({ toolCalls: [call('hangs'), call('quick')] }, { text: 'done' });
  const { agent } = agentOn(server, { tools: [hangs, quick], limits: { sideBySideMs: 50 }, clock: systemClock });
  assert.equal((await collect(agent.run('go'))).result.finalResponse, 'done');
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool');
  assert.match(JSON.stringify(results[0]?.content), /hangs did not end within 0\.05 s; its outcome is unknown/);
  assert.equal(results[1]?.content, 'ok');
  await ended.promise;
});
