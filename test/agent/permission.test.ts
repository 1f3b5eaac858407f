/** Whatever goes wrong on the way to a decision, the call is refused and the turn goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/agent/clock.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { choiceOf, type Human, headless } from '../../src/agent/human.ts';
import type { Policy, PolicyCall } from '../../src/agent/policy.ts';
import { harmless } from '../../src/safety/finding.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, allowAll, collect, contentOf, instantClock, testTool, type TestAgentOptions } from './support.ts';

interface Refusal {
  readonly ran: number;
  readonly events: readonly AgentEvent[];
  /** What the model read. */
  readonly said: string;
}

/** One call in a turn that must end with an answer. */
async function callUnder(options: TestAgentOptions, judge?: () => never): Promise<Refusal> {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [{ name: 'act', arguments: {} }] }, { text: 'I see.' });
  let ran = 0;
  const tool = testTool('act', () => `ran ${(ran += 1)}`, judge === undefined ? {} : { judge });
  const { agent } = agentOn(server, { tools: [tool], ...options });
  const { events, result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'I see.');
  assert.deepEqual(server.violations, []);
  return { ran, events, said: contentOf(server.lastRequest.body.messages.at(-1)) };
}

function assertRefused({ ran, events, said }: Refusal, why: RegExp): void {
  assert.equal(ran, 0);
  assert.match(said, why);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'tool_finished' ? [event.outcome] : [])),
    ['refused'],
  );
}

const never = new Promise<never>(() => undefined);
/** Deadlines come at once. */
const hurried: Clock = { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

const asking: Policy = {
  decide: async ({ tool }) => ({
    kind: 'ask',
    request: { tool, command: 'act', reasons: ['r'], keys: ['k'], mayRemember: true, sources: [] },
    settle: async (answer) =>
      answer === 'once'
        ? { kind: 'allow', staged: false }
        : { kind: 'refuse', reason: choiceOf(answer), message: `BLOCKED: ${choiceOf(answer)}` },
  }),
};

test('a policy that throws, and one that never answers, refuse the call', async () => {
  const throwing: Policy = { decide: () => Promise.reject(new Error('rules are broken')) };
  assertRefused(await callUnder({ policy: throwing }), /BLOCKED: the call could not be judged \(rules are broken\)/);
  const thrown: Policy = {
    decide: () => {
      throw new Error('at once');
    },
  };
  assertRefused(await callUnder({ policy: thrown }), /at once/);
  assertRefused(
    await callUnder({ policy: { decide: () => never }, clock: hurried }),
    /BLOCKED: the policy gave no answer/,
  );
});

test('a tool that cannot judge its own call does not run', async () => {
  const judging: Policy = {
    async decide(call: PolicyCall) {
      await call.judge();
      return { kind: 'allow', staged: false };
    },
  };
  const judge = (): never => {
    throw new TypeError('no idea');
  };
  assertRefused(await callUnder({ policy: judging }, judge), /could not be judged \(no idea\)/);
  assert.equal((await callUnder({ policy: judging })).ran, 1);
});

test('the policy hears what a tool judges, its arguments, and whether anybody is there', async () => {
  let seen: unknown;
  const policy: Policy = {
    async decide({ tool, args, sessionId, humanPresent, ...call }) {
      seen = { tool, args, sessionId, humanPresent, judgement: await call.judge() };
      return { kind: 'allow', staged: true };
    },
  };
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'act', arguments: { a: 1 } }] }, { text: 'ok' });
  let staged: boolean | undefined;
  const tool = testTool('act', () => 'x', {
    judge: () => harmless,
    execute: async (_args, context) => {
      staged = context.staged;
      return { content: 'kept for approval', isError: false };
    },
  });
  const { agent } = agentOn(server, { tools: [tool], policy });
  await collect(agent.run('go'));
  const sessionId = '20260101_000000_abcdef';
  assert.deepEqual(seen, { tool: 'act', args: { a: 1 }, sessionId, humanPresent: false, judgement: harmless });
  assert.equal(staged, true);
});

test('a person who is asked answers between two events; one who throws has said no', async () => {
  const answering = (approve: Human['approve']): Human => ({ ...headless, present: true, approve });
  const yes = await callUnder({ policy: asking, human: answering(async () => 'once') });
  assert.equal(yes.ran, 1);
  const asked = yes.events.filter(({ type }) => type.startsWith('approval_') || type.startsWith('tool_'));
  assert.deepEqual(
    asked.map(({ type }) => type).filter((type) => type !== 'tool_generating'),
    ['tool_started', 'approval_requested', 'approval_answered', 'tool_finished'],
  );
  const no = await callUnder({ policy: asking, human: answering(() => Promise.reject(new Error('terminal is gone'))) });
  assertRefused(no, /BLOCKED: deny/);
  assert.ok(no.events.some((event) => event.type === 'approval_answered' && event.choice === 'deny'));
});

test('a person who never answers does not hold up an interrupt', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'act', arguments: {} }] });
  const human: Human = { ...headless, present: true, approve: () => never };
  const { agent } = agentOn(server, { tools: [testTool('act', () => 'x')], policy: asking, human, clock: hurried });
  const { result } = await collect(agent.run('go'), (event) => {
    if (event.type === 'approval_requested') agent.interrupt();
  });
  assert.equal(result.ended, 'interrupted');
  assert.match(contentOf(agent.history.at(-1)), /skipped due to user interrupt/);
});

test('two calls that ask at once are heard one after the other, and a failed question is no answer', async () => {
  await using server = await startModelServer();
  const ask = (n: number) => ({ name: 'ask', arguments: { n } });
  server.enqueue({ toolCalls: [ask(1), ask(2), ask(3)] }, { text: 'ok' });
  let [open, peak] = [0, 0];
  const human: Human = {
    ...headless,
    present: true,
    async clarify(question) {
      peak = Math.max(peak, (open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      if (question === '3') throw new Error('closed');
      return { said: `answer ${question}` };
    },
  };
  const tool = testTool('ask', () => '', {
    parallel: 'safe',
    execute: async ({ n }, { human: person, signal }) => {
      const given = await person.clarify(String(n), [], signal);
      return { content: 'said' in given ? given.said : given.unanswered, isError: false };
    },
  });
  const { agent } = agentOn(server, { tools: [tool], human });
  const { events } = await collect(agent.run('go'));
  assert.equal(peak, 1);
  const results = agent.history.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  assert.deepEqual(results, ['answer 1', 'answer 2', 'unasked']);
  const answered = events.flatMap((event) => (event.type === 'question_answered' ? [event.answered] : []));
  assert.deepEqual(answered, [true, true, false]);
});

test('a tool whose descriptions of a call throw is answered all the same', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: ['a', 'b'].map((of) => ({ name: 'odd', arguments: { of } })) }, { text: 'ok' });
  const fails = (): never => {
    throw new Error('cannot say');
  };
  const tool = testTool('odd', ({ of }) => `did ${String(of)}`, {
    parallel: { paths: fails },
    edits: fails,
    sources: fails,
    display: { preview: fails, render: fails },
  });
  const { agent } = agentOn(server, { tools: [tool], policy: allowAll, clock: instantClock() });
  assert.equal((await collect(agent.run('go'))).result.finalResponse, 'ok');
  const results = agent.history.flatMap((message) => (message.role === 'tool' ? [message] : []));
  assert.deepEqual(
    results.map(({ content, sources }) => [content, sources]),
    ['a', 'b'].map((of) => [`did ${of}`, [{ from: 'unknown', name: 'odd' }]]),
  );
});
