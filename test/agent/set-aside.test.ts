/** A message that cannot be sent is never lost and never the end of its session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryMessage } from '../../src/llm/message.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, agentWith, collect, compressorWith, errorOf, routeTo, routeWithin } from './support.ts';

const talk = (messages: number): HistoryMessage[] =>
  Array.from({ length: messages }, (_, n) =>
    n % 2 === 0 ? { role: 'user', content: `question ${n}` } : { role: 'assistant', content: `answer ${n}` },
  );

const refusal = {
  fault: 'status',
  status: 400,
  body: { error: { message: 'a message of this kind is not allowed here' } },
} as const;

test('a message that is refused in a long session stays in it, marked, is left out of later requests, and the user reads so', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue(refusal, { text: 'That is better.' });
  const { agent, transcript } = agentOn(server, { history: talk(82) });
  const { result } = await collect(agent.run('the refused words'));
  assert.equal(result.ended, 'failed');
  assert.match(errorOf(result), /not allowed.*set aside: it stays in the conversation and is not sent again/);
  const kept = { role: 'user', content: 'the refused words', setAside: true };
  assert.deepEqual(transcript.messages, [kept]);
  assert.deepEqual(agent.history.at(-1), kept);
  assert.equal((await collect(agent.run('other words'))).result.finalResponse, 'That is better.');
  assert.doesNotMatch(server.lastRequest.rawBody, /the refused words/);
  assert.match(server.lastRequest.rawBody, /question 80.*other words/);
  assert.deepEqual(server.violations, []);
});

test('a message that a content filter refuses is set aside, also in a short session, so that the next one is heard', async () => {
  await using server = await startModelServer({ strict: true });
  const message = 'the prompt triggered the content management policy.';
  server.enqueue(
    { fault: 'status', status: 400, body: { error: { message, code: 'content_filter' } } },
    { text: 'ok' },
  );
  const { agent } = agentOn(server, { history: talk(4) });
  const { result } = await collect(agent.run('the refused words'));
  assert.match(errorOf(result), /content management policy\. Your message was set aside.*not sent again.*other words/);
  assert.equal((await collect(agent.run('other words'))).result.finalResponse, 'ok');
  assert.doesNotMatch(server.lastRequest.rawBody, /the refused words/);
});

test('so does one that is refused with hardly a word', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 400, body: { error: { message: 'Error' } } });
  const { agent } = agentOn(server, { history: talk(82) });
  const { result } = await collect(agent.run('the refused words'));
  assert.match(errorOf(result), /HTTP 400.*set aside/);
  assert.deepEqual(agent.history.at(-1), { role: 'user', content: 'the refused words', setAside: true });
});

test('a short message in a short session is not set aside: the next request carries it', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue(refusal, { text: 'ok' });
  const { agent } = agentOn(server, { history: talk(4) });
  const { result } = await collect(agent.run('a few words'));
  assert.doesNotMatch(errorOf(result), /set aside/);
  await collect(agent.run('again'));
  assert.match(server.lastRequest.rawBody, /a few words/);
});

test('a message larger than the window is refused with a word, nothing is shortened for it, and the session lives', async () => {
  const route = routeWithin(64_000, ({ messages }) => ({ text: `read ${messages.length}` }));
  const { agent, transcript } = agentWith({ route, contextEngine: compressorWith(), history: talk(40) });
  const { result, events } = await collect(agent.run('x'.repeat(400_000)));
  assert.equal(result.ended, 'failed');
  assert.match(errorOf(result), /about 100,0\d\d tokens\) does not fit the model's window.*set aside/);
  assert.ok(!events.some((event) => event.type === 'status' && event.kind === 'compression'));
  assert.deepEqual(agent.history.slice(0, 40), talk(40));
  const next = await collect(agent.run('a short one'));
  assert.equal(next.result.finalResponse, 'read 42', 'system, forty, and the short one');
  assert.ok(!next.events.some((event) => event.type === 'status' && event.kind === 'compression'));
  const fit = await agent.compress();
  assert.equal(fit.compaction?.by, 'summary');
  assert.equal((await collect(agent.run('and now'))).result.ended, 'completed');
  assert.ok(transcript.earlier.flat().some((message) => message.role === 'user' && message.setAside === true));
});

test('a provider that knows no window but refuses one message has it set aside as well', async () => {
  await using server = await startModelServer({
    strict: true,
    respond: ({ rawBody }) =>
      rawBody.length > 300_000
        ? {
            fault: 'status',
            status: 400,
            body: { error: { code: 'context_length_exceeded', message: 'maximum context length is 65536 tokens' } },
          }
        : { text: 'fine' },
  });
  const { agent } = agentWith({ route: routeTo(server), contextEngine: compressorWith(), history: talk(20) });
  const { result } = await collect(agent.run('y'.repeat(350_000)));
  assert.match(errorOf(result), /set aside/);
  assert.equal((await collect(agent.run('short'))).result.finalResponse, 'fine');
  assert.deepEqual(server.violations, []);
});

test('a large first message that was answered does not fill the window for ever', async () => {
  const route = routeWithin(64_000, () => ({ text: 'a'.repeat(4000) }));
  const { agent } = agentWith({ route, contextEngine: compressorWith() });
  assert.equal((await collect(agent.run('b'.repeat(180_000)))).result.ended, 'completed');
  for (let turn = 0; turn < 30; turn += 1) {
    const { result } = await collect(agent.run(`question ${turn} ${'q'.repeat(4000)}`));
    assert.equal(result.ended, 'completed', errorOf(result));
  }
});
