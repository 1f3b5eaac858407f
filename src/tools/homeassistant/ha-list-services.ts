/** `ha_list_services`: what can be done with the things in the house. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import type { DomainServices } from './home-assistant.ts';

const parameters = z.object({ domain: z.string().optional().describe('Such as light; default: all') });

export const haListServicesTool = defineTool<ToolServices, typeof parameters>({
  name: 'ha_list_services',
  toolset: 'homeassistant',
  description: 'List what Home Assistant can do: services with their fields.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '🏠', preview: ({ domain }) => domain ?? 'all' },
  available: ({ state }) => state.homeAssistant !== undefined,
  judge: () => harmless,
  // The integrations' own descriptions: of the server that the owner runs, as its programs are.
  sources: () => [{ from: 'tool', name: 'homeassistant' }],
  parallel: 'safe',
  async execute(
    { domain },
    {
      signal,
      services: {
        state: { homeAssistant },
      },
    },
  ) {
    if (homeAssistant === undefined) return failure({ error: 'HASS_TOKEN is not set.' });
    try {
      const found = (await homeAssistant.services(signal)).filter(
        (each) => domain === undefined || each.domain === domain,
      );
      return answer({ result: { count: found.length, domains: found.map(describe) } });
    } catch (error) {
      signal.throwIfAborted();
      return failure({ error: `The services could not be listed. ${errorMessage(error)}` });
    }
  },
});

/** Without the selectors of the user interface, which are most of the answer. */
function describe({ domain, services }: DomainServices) {
  const described = Object.entries(services).map(([name, { description, fields }]) => {
    const known = Object.entries(fields).map(([field, about]) => [field, about.description]);
    return [name, { description, ...(known.length === 0 ? {} : { fields: Object.fromEntries(known) }) }];
  });
  return { domain, services: Object.fromEntries(described) };
}
