/** The tools of a house in a whole program. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJsonServer } from '../fakes/json-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor, textOf } from './support.ts';

test('with a token the four tools of a house are offered and work, without one there are none', async (t) => {
  await using house = await startJsonServer({
    'GET /api/states/light.kitchen': { body: { entity_id: 'light.kitchen', state: 'on', attributes: {} } },
  });
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'ha_get_state', arguments: { entity_id: 'light.kitchen' } }] }, { text: 'On.' });
  const there = await chatAt(placeFor(t, server, '', { env: { HASS_TOKEN: 'a-token', HASS_URL: house.url } }));
  await there.say('is the light on?');
  const offered = server.requests[0]?.body.tools?.map((tool) => tool.function.name) ?? [];
  assert.deepEqual(
    offered.filter((name) => name.startsWith('ha_')),
    ['ha_call_service', 'ha_get_state', 'ha_list_entities', 'ha_list_services'],
  );
  const result = server.lastRequest.body.messages.find(({ role }) => role === 'tool');
  assert.deepEqual(JSON.parse(textOf(result)), { result: { entity_id: 'light.kitchen', state: 'on', attributes: {} } });
  assert.equal(house.requests[0]?.headers.authorization, 'Bearer a-token');

  server.enqueue({ text: 'Hello.' });
  const elsewhere = await chatAt(placeFor(t, server));
  assert.ok(!elsewhere.session.tools.some(({ name }) => name.startsWith('ha_')), 'nor shown before the first turn');
  await elsewhere.say('hello');
  const other = server.lastRequest.body.tools?.map((tool) => tool.function.name) ?? [];
  assert.ok(other.length > 5 && !other.some((name) => name.startsWith('ha_')));
});
