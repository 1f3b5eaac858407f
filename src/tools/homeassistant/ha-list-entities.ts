/** `ha_list_entities`: what there is in the house, and how it stands. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import type { EntityState } from './home-assistant.ts';
import { sourcesOf } from './outside.ts';

const parameters = z.object({
  domain: z.string().optional().describe('Such as light, switch, climate, sensor'),
  area: z.string().optional().describe('Room: part of the name'),
});

/** Of the list as text: what is longer would be cut in its middle. */
const maxChars = 80_000;

export const haListEntitiesTool = defineTool<ToolServices, typeof parameters>({
  name: 'ha_list_entities',
  toolset: 'homeassistant',
  description: 'List entities of Home Assistant with their states, by domain or area.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '🏠', preview: ({ domain, area }) => [domain, area].filter(Boolean).join(' ') || 'all' },
  available: ({ state }) => state.homeAssistant !== undefined,
  judge: () => harmless,
  parallel: 'safe',
  async execute(
    { domain, area },
    {
      signal,
      services: {
        state: { homeAssistant },
      },
    },
  ) {
    if (homeAssistant === undefined) return failure({ error: 'HASS_TOKEN is not set.' });
    try {
      const found = (await homeAssistant.states(signal))
        .filter((entity) => isWanted(entity, domain, area))
        .map(describe);
      const shown = firstOf(found);
      const rest = found.length - shown.length;
      const note = rest === 0 ? {} : { note: `${rest} more are not listed here: ask by domain and area.` };
      const result = { count: found.length, entities: shown, ...note };
      return { ...answer({ result }), sources: sourcesOf(shown.map(({ state }) => state)) };
    } catch (error) {
      signal.throwIfAborted();
      return failure({ error: `The entities could not be listed. ${errorMessage(error)}` });
    }
  },
});

function isWanted({ entity_id, attributes }: EntityState, domain = '', area = ''): boolean {
  if (domain !== '' && !entity_id.startsWith(`${domain}.`)) return false;
  const places = [attributes['friendly_name'], attributes['area']].filter((value) => typeof value === 'string');
  return area === '' || places.some((place) => place.toLowerCase().includes(area.toLowerCase()));
}

function describe({ entity_id, state, attributes: { friendly_name: name } }: EntityState) {
  return { entity_id, state, friendly_name: typeof name === 'string' ? name : '' };
}

function firstOf<Item>(items: readonly Item[]): readonly Item[] {
  let chars = 0;
  return items.filter((item) => {
    chars += JSON.stringify(item).length + 1;
    return chars <= maxChars;
  });
}
