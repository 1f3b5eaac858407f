/** What sub-agents do in the background for a chat comes into it as a message of its own, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer, type RecordedRequest, type Step } from '../fakes/model-server.ts';
import { goalOf, isChild } from '../runtime/delegation/support.ts';
import { placeFor, textOf } from '../runtime/support.ts';
import { openGateway } from './support.ts';
import { allRoutes } from '../sessions/chat-support.ts';

const config =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
const last = ({ body }: RecordedRequest): string => textOf(body.messages.at(-1));

/** Delegates when a person says so, and answers what comes back with a word. */
function model(child: (goal: string) => Step | Promise<Step>) {
  return async (request: RecordedRequest): Promise<Step> => {
    if (isChild(request)) return await child(goalOf(request));
    const said = last(request);
    if (said.includes('[ASYNC DELEGATION')) return { text: `Heard: ${/fox \d/.exec(said)?.[0] ?? said}` };
    if (said === 'look') return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'find foxes' } }] };
    return { text: said.includes('"dispatched"') ? 'On it.' : 'Yes.' };
  };
}

test('the chat is answered at once, and told when the work is done', async (t) => {
  const gate = Promise.withResolvers<undefined>();
  await using server = await startModelServer({
    respond: model(async () => {
      await gate.promise;
      return { text: 'There is fox 7.' };
    }),
  });
  const { fake, gateway } = await openGateway(t, server, { config });
  await fake.say('look');
  await fake.until(() => fake.texts().at(-1) === 'On it.');
  assert.equal(gateway.chats.find([...(await allRoutes(gateway.routing)).keys()][0] ?? '')?.hasProcesses, true);
  await fake.say('still there?');
  await fake.until(() => fake.texts().at(-1) === 'Yes.');
  gate.resolve(undefined);
  await fake.until(() => fake.texts().at(-1) === 'Heard: fox 7');
  assert.equal(fake.texts().filter((text) => text.startsWith('Heard')).length, 1);
  assert.deepEqual(await gateway.program.store?.delegations.waiting(), []);
  assert.deepEqual(server.violations, []);
});

test('what a stop cut off is told after the next start, in the chat that it was for', async (t) => {
  const never = Promise.withResolvers<undefined>();
  t.after(() => never.resolve(undefined));
  await using server = await startModelServer({
    respond: model(() => ({ text: 'never', gate: never.promise })),
  });
  const place = placeFor(t, server, config);
  const first = await openGateway(t, server, { place });
  await first.fake.say('look');
  await first.fake.until(() => first.fake.texts().at(-1) === 'On it.');
  await first.close();
  const second = await openGateway(t, server, { place });
  await second.fake.until(() => second.fake.texts().some((text) => text.startsWith('Heard')));
  assert.ok(server.requests.some((request) => /status\W+interrupted/.test(last(request))));
  await second.close();
  const third = await openGateway(t, server, { place });
  await third.fake.say('hello', { event_id: 'later' });
  await third.fake.until(() => third.fake.texts().at(-1) === 'Yes.');
  assert.deepEqual(third.fake.texts(), ['Yes.']);
});
