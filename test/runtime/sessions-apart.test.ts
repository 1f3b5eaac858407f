/** Sessions of one program share its store and its models, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { chatAt, placeFor, textOf } from './support.ts';

const run = (command: string): Answer => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });

test('todos, approvals, yolo, extra text, sources and the directory of one session are not those of another', async (t) => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'ok' }) });
  const place = placeFor(t, server);
  place.put('a/x', '1');
  place.put('b/x', '1');
  const program = await place.open();
  const one = await chatAt(place, { program, present: true, cwd: `${place.work}/a` });
  const two = await chatAt(place, { program, present: true, cwd: `${place.work}/b` });

  server.enqueue({
    toolCalls: [{ name: 'todo', arguments: { todos: [{ id: '1', content: 'x', status: 'pending' }] } }],
  });
  await one.say('plan');
  assert.deepEqual([one.session.knowledge.todos.read().length, two.session.knowledge.todos.read().length], [1, 0]);

  one.session.prompt.extra = 'Only for one.';
  const page = { from: 'page', name: 'tea.example' } as const;
  await one.session.agent.runConversation({ content: 'sum up', sources: [{ from: 'user' }, page] });
  assert.match(textOf(server.lastRequest.body.messages[0]), /Only for one\.$/);
  await two.say('hello');
  assert.doesNotMatch(textOf(server.lastRequest.body.messages[0]), /Only for one/);

  one.choice = 'session';
  for (const chat of [one, one, two]) {
    server.enqueue(run('rm -rf x'));
    await chat.say('tidy up');
  }
  assert.deepEqual([one.asked.length, two.asked.length], [1, 1], 'a yes for one session is none for another');
  assert.deepEqual([one.asked[0]?.sources, two.asked[0]?.sources], [['the web page tea.example'], []]);

  one.session.yolo = true;
  assert.equal(two.session.yolo, false);
  server.enqueue(run('rm -rf y'), { text: 'ok' }, run('rm -rf y'));
  await one.say('again');
  await two.say('again');
  assert.deepEqual([one.asked.length, two.asked.length], [1, 2]);

  server.enqueue(run('pwd'), { text: 'ok' }, run('pwd'));
  await one.say('where');
  await two.say('where');
  const where = [one, two].map(({ session }) =>
    JSON.stringify(session.agent.history.findLast(({ role }) => role === 'tool')),
  );
  assert.match(where[0] ?? '', /work\/a/);
  assert.match(where[1] ?? '', /work\/b/);

  await one.leave();
  server.enqueue(run('echo still here'));
  await two.say('go on');
  assert.match(JSON.stringify(two.session.agent.history), /still here/);
  assert.deepEqual(server.violations, []);
});

test('turns of two sessions at once get their own answers, and what the program closes is ended', async (t) => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({
    respond: async ({ body }) => {
      await gate.promise;
      return { text: `answer to ${textOf(body.messages.at(-1))}` };
    },
  });
  const place = placeFor(t, server);
  const program = await place.open();
  const chats = [await chatAt(place, { program }), await chatAt(place, { program })];
  const answers = Promise.all(chats.map((chat, index) => chat.say(`question ${index}`)));
  await server.requestArrived(2);
  gate.resolve();
  assert.deepEqual(await answers, ['answer to question 0', 'answer to question 1']);
  const store = await place.open();
  await program.close();
  for (const { session } of chats) assert.equal((await store.store?.sessions.get(session.id))?.end_reason, 'cli_close');
});
