/** `ha_get_state`: all that is known of one entity. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { refused, refuseEntity } from './names.ts';
import { attributeValues, sourcesOf } from './outside.ts';

const parameters = z.object({ entity_id: z.string().describe('Such as light.kitchen') });

export const haGetStateTool = defineTool<ToolServices, typeof parameters>({
  name: 'ha_get_state',
  toolset: 'homeassistant',
  description: 'State and attributes of one entity of Home Assistant.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '🏠', preview: ({ entity_id }) => entity_id },
  available: ({ state }) => state.homeAssistant !== undefined,
  judge: () => harmless,
  parallel: 'safe',
  async execute(
    { entity_id },
    {
      signal,
      services: {
        state: { homeAssistant },
      },
    },
  ) {
    if (homeAssistant === undefined) return failure({ error: 'HASS_TOKEN is not set.' });
    const problem = refuseEntity(entity_id);
    if (problem !== undefined) return refused(problem);
    try {
      const found = await homeAssistant.state(entity_id, signal);
      if (found === undefined)
        return failure({ error: `There is no entity ${entity_id}: ha_list_entities lists them.` });
      const { state, attributes, last_changed, last_updated } = found;
      const result = { entity_id, state, attributes, last_changed, last_updated };
      return { ...answer({ result }), sources: sourcesOf([state, ...attributeValues(attributes)]) };
    } catch (error) {
      signal.throwIfAborted();
      return failure({ error: `The state of ${entity_id} is not known. ${errorMessage(error)}` });
    }
  },
});
