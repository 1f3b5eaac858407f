/** Requests beside a conversation begin with the bytes of the conversation, so that its provider's cache serves them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { until } from '../environments/support.ts';
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Step } from '../fakes/model-steps.ts';
import { put } from '../prompt/support.ts';
import { type Chat, chatAt, isReview, isSummary, openChat, placeFor, summary, textOf } from './support.ts';

const everyTurn = 'memory:\n  nudge_interval: 1\nskills:\n  creation_nudge_interval: 1\n';
const layers = `prefill_messages_file: prefill.json
agent:
  system_prompt: Answer in rhymes.
compression:
  protect_first_n: 0
  protect_last_n: 1
  target_ratio: 0.1
`;
const filler = 'The quick brown fox looks at the lazy dog and writes it all down. '.repeat(60);

/** Reviews answer what `review` says; the conversation what stands in the queue, else a long text. */
async function startModel(review: () => Step = () => ({ text: 'Nothing to save.' })): Promise<ModelServer> {
  return await startModelServer({
    title: 'A title',
    respond: (request) => (isReview(request) ? review() : isSummary(request) ? summary : { text: `Yes. ${filler}` }),
  });
}

/** Everything of a request but its messages, and each message, as bytes. */
const frameOf = ({ body }: RecordedRequest) => JSON.stringify({ ...body, messages: [] });
const messagesOf = ({ body }: RecordedRequest) => body.messages.map((message) => JSON.stringify(message));

/** The newest review has everything that the newest request of the conversation had, and goes on behind it. */
function assertSharesPrefix(server: ModelServer): void {
  const review = server.requests.findLast(isReview);
  const main = server.requests.findLast((request) => !isReview(request) && !isSummary(request));
  assert.ok(review !== undefined && main !== undefined);
  assert.equal(frameOf(review), frameOf(main));
  const [longer, shorter] = [messagesOf(review), messagesOf(main)];
  assert.ok(longer.length > shorter.length);
  assert.deepEqual(longer.slice(0, shorter.length), shorter);
}

async function sayAndReview({ session }: Pick<Chat, 'session'>, server: ModelServer, text: string): Promise<void> {
  const before = server.requests.filter(isReview).length;
  await session.agent.chat(text);
  await until(() => server.requests.filter(isReview).length > before, 'a review follows');
  // The next one is not begun beside it.
  await server.requests.findLast(isReview)?.closed;
}

test('a review has the prompt, the layers, the tools and all messages of the conversation, also after /compress and in another process', async (t) => {
  await using server = await startModel();
  const place = placeFor(t, server, everyTurn + layers);
  const prefill = [
    { role: 'user', content: 'before' },
    { role: 'assistant', content: 'noted' },
  ];
  put(place.homePath, 'prefill.json', JSON.stringify(prefill));
  const chat = await chatAt(place, { mode: { learns: true } });
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'Done.' });
  await sayAndReview(chat, server, 'plan it');
  assertSharesPrefix(server);
  assert.match(textOf(server.lastRequest.body.messages[0]), /Answer in rhymes\.$/);
  assert.equal(server.lastRequest.body.messages[1]?.content, 'before');

  chat.session.prompt.extra = 'You are a pirate.';
  chat.session.agent.settings.reasoningEffort = 'high';
  for (const text of ['one', 'two', 'three']) await sayAndReview(chat, server, text);
  assertSharesPrefix(server);
  assert.ok((await chat.session.agent.compress()).compaction !== undefined);
  await sayAndReview(chat, server, 'after it was shortened');
  assertSharesPrefix(server);

  const { id } = chat.session;
  await chat.program.close();
  const again = await chatAt(place, { mode: { learns: true }, resume: id });
  await sayAndReview(again, server, 'in another process');
  assertSharesPrefix(server);
  assert.deepEqual(server.violations, []);
});

test('a conversation that is not stored shares its prefix too', async (t) => {
  await using server = await startModel();
  const place = placeFor(t, server, everyTurn);
  put(place.homePath, 'state.db', 'this is not a database, and it is long enough to be seen as none '.repeat(40));
  const program = await place.open();
  assert.equal(program.store, undefined);
  const session = await program.openSession({ surface: 'cli', human: headless, mode: { learns: true } });
  await sayAndReview({ session }, server, 'hi');
  // What a new prompt would say now is not what the conversation began with.
  put(place.homePath, 'SOUL.md', 'You are somebody else.');
  await sayAndReview({ session }, server, 'and again');
  assertSharesPrefix(server);
});

test('a review can use memory and skills alone, and leaves nothing but its cost', async (t) => {
  const steps: Step[] = [
    {
      toolCalls: [
        { name: 'terminal', arguments: { command: 'touch reviewed' } },
        { name: 'write_file', arguments: { path: 'reviewed', content: 'x' } },
        { name: 'session_search', arguments: {} },
      ],
    },
    { toolCalls: [{ name: 'memory', arguments: { action: 'add', content: 'Likes tea.' } }] },
  ];
  await using server = await startModel(() => steps.shift() ?? { text: 'Nothing to save.' });
  const chat = await openChat(t, server, everyTurn, { mode: { learns: true } });
  await chat.say('hi');
  await until(() => chat.learned.length > 0, 'the review is over');
  const [, second] = server.requests.filter(isReview);
  const results = second?.body.messages.filter(({ role }) => role === 'tool').map(textOf) ?? [];
  assert.equal(results.length, 3);
  for (const result of results) assert.match(result, /cannot be used|not available|not allowed/i);
  assert.ok(!existsSync(join(chat.place.work, 'reviewed')));

  const { session, store } = chat;
  assert.equal(session.agent.history.length, 2);
  const stored = await store.messages.conversation(session.id);
  assert.equal(stored.length, 2);
  assert.doesNotMatch(JSON.stringify(stored), /look back|Likes tea/);
  const { calls } = (await session.spent()) ?? { calls: 0 };
  assert.equal(calls, server.requests.length + 1, 'the title is booked as well');
  const main = server.requests.filter((request) => !isReview(request)).length;
  assert.equal(session.agent.tokens.total_tokens, main * (await perRequest(chat)));
});

/** What the fake server reports for each request. */
async function perRequest({ session, store }: Chat): Promise<number> {
  const { tokens, calls } = await store.usage.spent({ sessionId: session.id });
  return tokens / calls;
}

test('a review is asked to think as much as the conversation is, through an aggregator too', async (t) => {
  await using server = await startModel();
  const env = { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_BASE_URL: server.url };
  const model = 'model:\n  provider: ai-gateway\n  default: anthropic/claude-sonnet-4.6\n';
  const chat = await chatAt(placeFor(t, undefined, model + everyTurn, { env }), { mode: { learns: true } });
  chat.session.agent.settings.reasoningEffort = 'high';
  await sayAndReview(chat, server, 'hi');
  assert.deepEqual(server.lastRequest.body['reasoning'], { enabled: true, effort: 'high' });
  assertSharesPrefix(server);
});

test('a review that has an effort of its own is asked with that one, the conversation with its own', async (t) => {
  await using server = await startModel();
  const env = { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_BASE_URL: server.url };
  const model = 'model:\n  provider: ai-gateway\n  default: anthropic/claude-sonnet-4.6\n';
  const review = 'auxiliary:\n  background_review:\n    reasoning_effort: minimal\n';
  const chat = await chatAt(placeFor(t, undefined, model + everyTurn + review, { env }), { mode: { learns: true } });
  await sayAndReview(chat, server, 'hi');
  const efforts = server.requests.map(({ body }) => body['reasoning']);
  assert.deepEqual(efforts, [
    { enabled: true, effort: 'medium' },
    { enabled: true, effort: 'minimal' },
  ]);
});
