/** A model that says what it is about to do and stops: when it is told to go on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import type { ModelServer } from '../fakes/model-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { startResponsesServer } from '../fakes/responses-server.ts';
import { collect, homeWith } from './support.ts';

const promise = { text: "I'll check the server and run its tests." };
const done = { text: 'All is well.' };

async function answerOf(
  t: Parameters<typeof homeWith>[0],
  server: Pick<ModelServer, 'url'>,
  setting: string,
  question = 'go',
) {
  const config = setting === '' ? '' : `agent: {intent_ack_continuation: ${setting}}\n`;
  const session = await (await homeWith(t, server, config)()).openSession({ surface: 'cli', human: headless });
  return (await collect(session.agent.run(question))).result;
}

test('a model that only announces its work is told to do it, twice at most, where that is wanted', async (t) => {
  for (const setting of ['true', 'always', '[other, TEST-mod]']) {
    await using server = await startModelServer({ respond: () => promise });
    server.enqueue(promise, done);
    assert.equal((await answerOf(t, server, setting)).finalResponse, done.text, setting);
    assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /"\[System: You said/);
    assert.deepEqual(server.violations, []);
    const { finalResponse, apiCalls } = await answerOf(t, server, setting);
    assert.deepEqual([finalResponse, apiCalls], [promise.text, 3]);
  }
});

test('in other formats than that of Codex, and where it is not wanted, an announcement is an answer', async (t) => {
  for (const setting of ['', 'auto', 'false', 'never', '[gpt]']) {
    await using server = await startModelServer({ respond: () => promise });
    assert.equal((await answerOf(t, server, setting, 'look at src/')).apiCalls, 1, setting);
  }
});

test('a question, an offer and words behind work are answers', async (t) => {
  await using server = await startModelServer();
  for (const text of ['I will run the tests. Shall I?', 'Let me know what I should check.', 'It runs.']) {
    server.enqueue({ text });
    assert.equal((await answerOf(t, server, 'true')).finalResponse, text);
  }
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, promise);
  assert.equal((await answerOf(t, server, 'true')).finalResponse, promise.text);
});

test('models in the format of Codex are told so by themselves when it is about files', async (t) => {
  await using server = await startResponsesServer({ respond: () => promise });
  const config = `model: {provider: custom, base_url: '${server.url}', default: gpt-5-codex, api_mode: codex_responses, api_key: k}\n`;
  const program = await homeWith(t, undefined, config)();
  const asked = async (question: string) => {
    const session = await program.openSession({ surface: 'cli', human: headless });
    return (await collect(session.agent.run(question))).result.apiCalls;
  };
  assert.equal(await asked('is my repository fine?'), 3);
  assert.equal(await asked('is it fine?'), 1);
});
