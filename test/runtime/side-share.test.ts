/** What goes on beside a long piece of work costs a small share of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { isReview, isSummary, openChat, summary } from './support.ts';

const turns = 20;
const stepsPerTurn = 20;

const tokensOf = ({ rawBody }: RecordedRequest) => Math.round(rawBody.length / 4);

test('over 400 steps at a window of 64,000 tokens, requests beside the conversation are at most 5% of all tokens', async (t) => {
  let step = 0;
  const answer = (request: RecordedRequest): Answer => {
    if (isSummary(request)) return summary;
    if (isReview(request)) return { text: 'Nothing to save.' };
    step += 1;
    if (step % (stepsPerTurn + 1) === 0) return { text: `Part ${step} is done.` };
    return { toolCalls: [{ name: 'read_file', arguments: { path: `part-${step}.log` } }] };
  };
  await using server = await startModelServer({
    title: 'A title',
    strict: true,
    respond: (request) => ({
      ...answer(request),
      usage: { prompt_tokens: tokensOf(request), completion_tokens: 60 },
    }),
  });
  // The intervals are the usual ones.
  const config = 'agent:\n  max_turns: 100\n';
  const chat = await openChat(t, server, config, { mode: { learns: true } });
  const { agent } = chat.session;
  agent.switchRoute({ ...agent.route, contextLength: 64_000 });
  for (let part = 1; part <= turns * (stepsPerTurn + 1); part += 1) {
    chat.place.put(`part-${part}.log`, `part ${part}: the pump ran at ${part * 7} rpm\n`.repeat(60));
  }
  for (let turn = 1; turn <= turns; turn += 1) await chat.say(`Read the next parts, please. This is request ${turn}.`);
  await chat.leave();
  const beside = server.requests.filter((request) => isReview(request) || isSummary(request));
  const sum = (requests: readonly RecordedRequest[]) => requests.reduce((all, one) => all + tokensOf(one), 0);
  const share = sum(beside) / sum(server.requests);
  const reviews = beside.filter(isReview).length;
  t.diagnostic(
    `${server.requests.length} requests, ${sum(server.requests)} tokens; beside it ${reviews} of reviews and ${beside.length - reviews} of summaries: ${(100 * share).toFixed(2)}%`,
  );
  assert.equal(server.requests.length - beside.length, turns * (stepsPerTurn + 1));
  assert.ok(reviews >= 1, 'there was no review');
  assert.ok(beside.length - reviews >= 3, 'there was no compaction');
  assert.ok(share <= 0.05, `${(100 * share).toFixed(2)}%`);
  assert.deepEqual(server.violations, []);
});
