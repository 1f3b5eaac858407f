/** A model that goes round in circles is told so, then stopped; one that waits for something is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLoopGuard, LoopGuard } from '../../src/agent/loop-guard.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { agentOn, call, collect, contentOf, errorOf, testTool } from './support.ts';

const flaky = testTool('flaky', () => ({ error: 'nope' }));
const fine = testTool('fine', () => 'ok');

async function looping(toolCalls: (index: number) => ReturnType<typeof call>, tools = [flaky, fine]) {
  await using server = await startModelServer({ respond: ({ index }) => ({ toolCalls: [toolCalls(index)] }) });
  const { agent } = agentOn(server, { tools, maxSteps: 40 });
  const { result } = await collect(agent.run('go'));
  return { result, server };
}

const lastResult = (server: ModelServer, at: number) => contentOf(server.requests[at]?.body.messages.at(-1));

test('a failing call is warned of when it fails again; after three failures it is not run, and the turn ends', async () => {
  const { result, server } = await looping(() => call('flaky', { a: 1 }));
  assert.equal(server.requests.length, 4);
  assert.doesNotMatch(lastResult(server, 1), /Tool loop warning/);
  assert.match(lastResult(server, 2), /\[Tool loop warning: repeated_exact_failure_warning; count=2; /);
  assert.equal(result.ended, 'partial');
  assert.match(errorOf(result), /same `flaky` call failed 3 times/);
});

test('what replaces a blocked call names the call and the count', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('flaky', { b: 1, a: 2 })] }) });
  let ran = 0;
  const tool = testTool('flaky', () => ({ error: `process ${(ran += 1)} died` }));
  const { agent } = agentOn(server, { tools: [tool] });
  await collect(agent.run('go'));
  assert.equal(ran, 3);
  const said = JSON.parse(contentOf(agent.history.findLast(({ role }) => role === 'tool')));
  assert.equal(said.guardrail.code, 'repeated_exact_failure_block');
  assert.equal(said.guardrail.count, 3);
  assert.match(said.guardrail.signature.args_hash, /^[0-9a-f]{64}$/);
});

test('calls that fail with other arguments each time end the turn after eight', async () => {
  const { result, server } = await looping((index) => call('flaky', { index }));
  assert.equal(server.requests.length, 8);
  assert.match(lastResult(server, 3), /same_tool_failure_warning; count=3/);
  assert.match(errorOf(result), /calls of `flaky` failed 8 times/);
});

test('a failing call between calls that bring nothing new is a loop all the same', async () => {
  const { result } = await looping((index) => (index % 2 === 0 ? call('flaky') : call('fine')));
  assert.match(errorOf(result), /same `flaky` call failed 3 times/);
});

test('calls that a person or a rule refuses count as failed', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('fine')] }) });
  const policy = { decide: async () => ({ kind: 'refuse', reason: 'no', message: 'no' }) as const };
  const { agent } = agentOn(server, { tools: [fine], policy });
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 4);
  assert.match(errorOf(result), /same `fine` call failed 3 times/);
});

test('the same look with the same result is stopped after five, the same action after ten', async () => {
  const looking = testTool('fine', () => 'ok', { traits: { idempotent: true } });
  const looks = await looping(() => call('fine'), [looking]);
  assert.equal(looks.server.requests.length, 6);
  assert.match(lastResult(looks.server, 2), /idempotent_no_progress_warning; count=2/);
  const acts = await looping(() => call('fine'));
  assert.equal(acts.server.requests.length, 11);
  assert.match(errorOf(acts.result), /brought the same result 10 times/);
});

test('waiting for something is no loop, and neither is trying again after a new step', async () => {
  const waits = testTool('fine', () => 'ok', {
    execute: async () => ({ content: '{"exit_code":1}', isError: true, details: { awaits: true } }),
  });
  const { result } = await looping(() => call('fine'), [waits]);
  assert.equal(result.ended, 'budget');
  const guard = new LoopGuard();
  const failed = { name: 'build', args: {}, outcome: 'error', details: {}, result: 'x' } as const;
  for (let step = 0; step < 5; step += 1) {
    guard.note(failed, { idempotent: false });
    guard.note(failed, { idempotent: false });
    assert.equal(guard.block({ name: 'build', args: {}, idempotent: false }), undefined);
    guard.note({ ...failed, name: 'edit', args: { step }, outcome: 'ok' }, { idempotent: false });
  }
});

test('memory that cannot be written is left alone after three failures, and the turn goes on; a model that goes on is stopped', async () => {
  const memory = testTool('memory', ({ fits }) => (fits === true ? 'ok' : { error: 'full' }), {
    traits: { learns: 'memory' },
  });
  await using server = await startModelServer();
  const full = (n: number) => ({ toolCalls: [call('memory', { n })] });
  const fits = { toolCalls: [call('memory', { fits: true })] };
  server.enqueue(full(1), full(2), fits, full(3), full(4), full(5), full(6), { text: 'answer' });
  const { agent } = agentOn(server, { tools: [memory] });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'answer');
  assert.match(lastResult(server, 6), /^\{"error":"full"\}/, 'what went well begins the count anew');
  const last = JSON.parse(lastResult(server, 7));
  assert.deepEqual([last.success, last.done], [false, true]);
  assert.match(last.error, /failed 3 times in this turn.*go on with your answer/);
  const endless = await looping((n) => call('memory', { n }), [memory]);
  assert.match(errorOf(endless.result), /`memory` was called 8 times in vain/);
});

test('warnings and stops can each be switched off', () => {
  const failed = { name: 'build', args: {}, outcome: 'error', details: {}, result: 'x' } as const;
  const guard = new LoopGuard({ ...defaultLoopGuard, warnings: false, hardStops: false });
  for (let n = 0; n < 20; n += 1) assert.equal(guard.note(failed, { idempotent: false }), undefined);
  assert.equal(guard.block({ name: 'build', args: {}, idempotent: false }), undefined);
  assert.equal(guard.verdict(), undefined);
});
