/** What is offered behind a slash command while it is typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Completing, offersFor } from '../../src/commands/complete.ts';

const questions = [
  { value: '1', description: 'mend bug 99' },
  { value: '2', description: 'tea for 9 people' },
  { value: '19', description: 'hello' },
];
const context = { session: undefined, store: undefined } as unknown as Completing;

async function offered(typed: string, complete = () => questions): Promise<string[]> {
  const offers = await offersFor({ complete }, context, typed, new AbortController().signal);
  return offers.map(({ value }) => value);
}

test('a number that is typed is sent as it is, whatever the offers say of other numbers', async () => {
  assert.deepEqual(await offered('99'), []);
  assert.deepEqual(await offered('9'), []);
  assert.deepEqual(await offered('1'), []);
  assert.deepEqual(await offered('bug'), ['1']);
});

test('a number still finds the names that hold it', async () => {
  const models = () => [{ value: 'llama-70b', description: 'local' }];
  assert.deepEqual(await offered('70', models), ['llama-70b']);
});
