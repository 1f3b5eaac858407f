/** The tools of a house against a real Home Assistant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool, ToolOutcome } from '../../src/agent/tool.ts';
import { fetchOver } from '../../src/lib/fetch-over.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { haCallServiceTool } from '../../src/tools/homeassistant/ha-call-service.ts';
import { haGetStateTool } from '../../src/tools/homeassistant/ha-get-state.ts';
import { haListEntitiesTool } from '../../src/tools/homeassistant/ha-list-entities.ts';
import { haListServicesTool } from '../../src/tools/homeassistant/ha-list-services.ts';
import { homeAssistantAt } from '../../src/tools/homeassistant/home-assistant.ts';
import type { ToolServices } from '../../src/tools/services.ts';
import { jsonOf, runTool } from '../tools/support.ts';
import { startHomeAssistant } from './home-assistant.ts';

function houseAt(url: string, token: string) {
  const homeAssistant = homeAssistantAt({ url, token, fetch: fetchOver({}) });
  return async (tool: Tool<ToolServices>, args: JsonObject): Promise<ToolOutcome> =>
    await runTool(tool, args, { state: { homeAssistant } } as ToolServices);
}

function resultOf(outcome: ToolOutcome): JsonObject {
  const { result } = jsonOf(outcome);
  assert.ok(isJsonObject(result), JSON.stringify(jsonOf(outcome)));
  return result;
}

test('a switch of a real house is found, looked at, switched, and another token is refused', async (t) => {
  const house = await startHomeAssistant(t);
  if (typeof house === 'string') return t.skip(house);
  const ask = houseAt(house.url, house.token);
  let found: JsonObject;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = resultOf(await ask(haListEntitiesTool, { domain: 'input_boolean' }));
  } while (found['count'] !== 2 && !t.signal.aborted);
  assert.deepEqual(found['entities'], [
    { entity_id: 'input_boolean.kitchen', state: 'off', friendly_name: 'Kitchen light' },
    { entity_id: 'input_boolean.porch', state: 'on', friendly_name: 'Porch' },
  ]);
  const services = resultOf(await ask(haListServicesTool, { domain: 'input_boolean' }));
  assert.match(JSON.stringify(services), /"turn_on"/);
  const [domain, entity_id] = ['input_boolean', 'input_boolean.kitchen'];
  const switched = resultOf(await ask(haCallServiceTool, { domain, service: 'turn_on', entity_id }));
  assert.deepEqual(switched, {
    success: true,
    service: 'input_boolean.turn_on',
    affected_entities: [{ entity_id, state: 'on', friendly_name: 'Kitchen light' }],
  });
  assert.equal(resultOf(await ask(haGetStateTool, { entity_id }))['state'], 'on');
  assert.match(JSON.stringify(jsonOf(await ask(haGetStateTool, { entity_id: 'light.nowhere' }))), /no entity/);
  const unknown = await ask(haCallServiceTool, { domain, service: 'explode' });
  assert.match(JSON.stringify(jsonOf(unknown)), /answered 400/);
  const stranger = await houseAt(house.url, 'wrong')(haListEntitiesTool, {});
  assert.match(JSON.stringify(jsonOf(stranger)), /HASS_TOKEN wants/);
});
