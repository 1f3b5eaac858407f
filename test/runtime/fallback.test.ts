/** `fallback_providers` as a person writes it: who answers when the model of the conversation does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { collect, errorOf, homeWith } from './support.ts';

const entry = (name: string, url: string): string =>
  `  - {provider: custom, model: ${name}, base_url: ${url}, api_key: key-of-${name}}\n`;

test('a fallback that fails gives way to the next one, and the next turn asks the primary again', async (t) => {
  await using primary = await startModelServer();
  await using broken = await startModelServer({ respond: () => ({ fault: 'status', status: 404 }) });
  await using spare = await startModelServer({ respond: () => ({ text: 'from the spare' }) });
  primary.enqueue({ fault: 'status', status: 401 }, { text: 'from the primary' });
  const chain = `fallback_providers:\n${entry('broken', broken.url)}${entry('spare', spare.url)}`;
  const session = await (await homeWith(t, primary, chain)()).openSession({ surface: 'cli', human: headless });
  const { events, result } = await collect(session.agent.run('one'));
  assert.equal(result.finalResponse, 'from the spare');
  assert.deepEqual([result.provider, result.model, result.baseUrl], ['custom', 'spare', spare.url]);
  assert.ok(events.some((event) => event.type === 'status' && event.kind === 'fallback'));
  // Everybody got the conversation, and the key of nobody else.
  const seen = [primary, broken, spare].map((server) => server.requests.map(({ headers }) => headers.authorization));
  assert.deepEqual(seen, [['Bearer test-key'], ['Bearer key-of-broken'], ['Bearer key-of-spare']]);
  assert.equal(spare.lastRequest.body.model, 'spare');
  assert.equal((await session.agent.runConversation('two')).finalResponse, 'from the primary');
  assert.equal(spare.requests.length, 1);
  assert.deepEqual([...primary.violations, ...spare.violations], []);
});

test('an incomplete entry is passed over, and without one that answers the turn fails', async (t) => {
  await using primary = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
  await using spare = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const half = `fallback_providers:\n  - {provider: custom, base_url: ${spare.url}}\n`;
  const session = await (await homeWith(t, primary, half)()).openSession({ surface: 'cli', human: headless });
  const failed = await session.agent.runConversation('go');
  assert.equal(failed.ended, 'failed');
  assert.match(errorOf(failed) ?? '', /401/);
  assert.equal(spare.requests.length, 0);
});
