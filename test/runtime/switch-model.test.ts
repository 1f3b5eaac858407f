/** Another model goes on with a conversation: it is told so, and nothing that was sent before changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import { openChat, textOf } from './support.ts';

const messagesOf = ({ body }: RecordedRequest) => body.messages.map((message) => JSON.stringify(message));

test('the next request names the new model behind the cached prefix, and so does the way back', async (t) => {
  await using server = await startModelServer({
    strict: true,
    models: ['test-model', 'gpt-5-mini'],
    respond: () => ({ text: 'ok' }),
  });
  const { session, say, store } = await openChat(t, server);
  await say('one');
  await session.model.switch('gpt-5-mini');
  await say('two');
  await session.model.switch('test-model');
  await say('three');
  const [first, second, third] = server.requests;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.deepEqual(
    server.requests.map(({ body }) => body.model),
    ['test-model', 'gpt-5-mini', 'test-model'],
  );
  for (const [before, after] of [
    [first, second],
    [second, third],
  ] as const) {
    const earlier = messagesOf(before);
    assert.deepEqual(messagesOf(after).slice(0, earlier.length), earlier);
    assert.equal(JSON.stringify(after.body.tools), JSON.stringify(before.body.tools));
  }
  const told = ({ body }: RecordedRequest) => textOf(body.messages.at(-1));
  assert.match(told(second), /you are the model gpt-5-mini of the provider custom[\s\S]*two$/);
  // What holds for models of this family stands in prompts that begin with one.
  assert.match(told(second), /# Tool-use enforcement/);
  assert.match(told(third), /you are the model test-model of the provider custom[\s\S]*three$/);
  const kinds = (await store.messages.conversation(session.id)).map(({ role, kind }) => `${role} ${kind ?? ''}`.trim());
  assert.deepEqual(kinds, ['user', 'assistant', 'user note', 'user', 'assistant', 'user note', 'user', 'assistant']);
});

test('a model that is chosen before the first message is the one that the prompt names', async (t) => {
  await using server = await startModelServer({
    models: ['test-model', 'gpt-5-mini'],
    respond: () => ({ text: 'ok' }),
  });
  const { session, say } = await openChat(t, server);
  await session.model.switch('gpt-5-mini');
  await say('one');
  const [system, ...messages] = server.lastRequest.body.messages;
  assert.match(textOf(system), /gpt-5-mini/);
  assert.doesNotMatch(textOf(system), /test-model/);
  assert.deepEqual(messages.map(textOf), ['one']);
});
