/** A question in words outlives the process that asks, and its tool is offered only where it can be put. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ClarifyAnswer, headless, type Human } from '../../src/agent/human.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { query } from '../sessions/support.ts';
import { chatAt, placeFor, textOf } from './support.ts';

const which = { toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?', choices: ['a', 'b'] } }] };

function somebody(clarify: () => Promise<ClarifyAnswer>): Human {
  return { ...headless, present: true, clarifies: true, clarify };
}

test('a question is a row from the moment it is asked, which says how it ended', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  const rows = () =>
    query(join(place.homePath, 'state.db'), 'SELECT tool, shown, person, state FROM approval_requests');
  const answers: ClarifyAnswer[] = [{ said: 'b' }, { unanswered: 'timeout' }, { unanswered: 'cancelled' }];
  const open: unknown[] = [];
  const human = somebody(() => {
    open.push(rows().at(-1)?.['state']);
    return Promise.resolve(answers[open.length - 1] ?? { unanswered: 'unasked' });
  });
  const chat = await chatAt(place, { human, userId: 'ann' });
  for (const _ of answers) {
    server.enqueue(which);
    await chat.say('go on');
  }
  assert.deepEqual(open, ['pending', 'pending', 'pending']);
  const row = { tool: 'clarify', shown: 'Which one?', person: 'ann' };
  assert.deepEqual(
    rows().map((each) => ({ ...each })),
    ['answered', 'timeout', 'deny'].map((state) => ({ ...row, state })),
  );
});

test('what nobody could answer before the program stopped is told once, to the person and to the model', async (t) => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  const path = join(place.homePath, 'state.db');
  const asked = Promise.withResolvers<void>();
  const first = await chatAt(place, {
    human: somebody(() => {
      asked.resolve();
      return new Promise(() => undefined);
    }),
  });
  server.enqueue(which);
  const turn = first.session.agent.chat('go on').catch(() => undefined);
  await asked.promise;
  // As if its process were gone.
  query(path, 'UPDATE approval_requests SET pid = 2147483647');

  const second = await chatAt(place, { resume: first.session.id, human: headless });
  assert.match(second.session.warnings.join('\n'), /^Not answered before the program stopped \(.*\): Which one\?$/);
  await second.say('and now?');
  const result = server.lastRequest.body.messages.find(({ role }) => role === 'tool');
  assert.match(textOf(result), /^\[Not answered — the program stopped before the user answered this question\./);
  assert.deepEqual(server.violations, []);
  const third = await chatAt(place, { resume: first.session.id });
  assert.deepEqual(third.session.warnings, []);
  first.session.agent.interrupt();
  await turn;
});

test('only where somebody can be asked in words is the tool offered', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const place = placeFor(t, server);
  const offered = async (human: Human): Promise<boolean> => {
    await (await chatAt(place, { human })).say('hi');
    return server.lastRequest.body.tools?.some((tool) => tool.function.name === 'clarify') === true;
  };
  assert.equal(await offered(somebody(() => Promise.resolve({ said: 'x' }))), true);
  assert.equal(await offered(headless), false);
  assert.equal(await offered({ ...headless, present: true }), false, 'a surface that shows approvals alone');
});
