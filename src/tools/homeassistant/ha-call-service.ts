/** `ha_call_service`: switches something in the house. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { afterOutsideText, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { refused, refuseEntity, refuseService } from './names.ts';
import { sourcesOf } from './outside.ts';

const parameters = z.object({
  domain: z.string().describe('Such as light'),
  service: z.string().describe('Such as turn_on'),
  entity_id: z.string().optional(),
  data: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('JSON object, such as {"brightness": 128}'),
});

type Request = z.infer<typeof parameters>;

export const haCallServiceTool = defineTool<ToolServices, typeof parameters>({
  name: 'ha_call_service',
  toolset: 'homeassistant',
  description: 'Control a device: call a service of Home Assistant.',
  parameters,
  display: {
    emoji: '🏠',
    preview: ({ domain, service, entity_id }) => [`${domain}.${service}`, entity_id].filter(Boolean).join(' '),
  },
  available: ({ state }) => state.homeAssistant !== undefined,
  judge: judgeCall,
  parallel: 'never',
  async execute(
    request,
    {
      signal,
      services: {
        state: { homeAssistant },
      },
    },
  ) {
    if (homeAssistant === undefined) return failure({ error: 'HASS_TOKEN is not set.' });
    const { domain, service } = request;
    const data = dataOf(request);
    const problem = refuseRequest(request) ?? (typeof data === 'string' ? data : undefined);
    if (problem !== undefined || typeof data === 'string') return refused(problem ?? '');
    try {
      const changed = await homeAssistant.call(domain, service, data, signal);
      const affected = changed.map(({ entity_id, state, attributes: { friendly_name: name } }) => ({
        entity_id,
        state,
        friendly_name: typeof name === 'string' ? name : '',
      }));
      const result = { success: true, service: `${domain}.${service}`, affected_entities: affected };
      return { ...answer({ result }), sources: sourcesOf(affected.map(({ state }) => state)) };
    } catch (error) {
      signal.throwIfAborted();
      return failure({ error: `${domain}.${service} failed. ${errorMessage(error)}` });
    }
  },
});

function refuseRequest({ domain, service, entity_id }: Request): string | undefined {
  return (
    refuseService(domain, service) ??
    (entity_id === undefined || entity_id === '' ? undefined : refuseEntity(entity_id))
  );
}

/** What is sent, or what is wrong with it. An entity named beside the data goes before one within. */
function dataOf({ data, entity_id }: Request): JsonObject | string {
  const wrong = 'Invalid data: it must be a JSON object, such as \'{"brightness": 128}\'';
  let read: unknown = data ?? {};
  if (typeof read === 'string') {
    try {
      read = read.trim() === '' ? {} : JSON.parse(read);
    } catch {
      return wrong;
    }
  }
  if (!isJsonObject(read)) return wrong;
  return { ...read, ...(entity_id === undefined || entity_id === '' ? {} : { entity_id }) };
}

/** Who comes in, and what nobody is to do in the owner's absence because a text said so. */
const guarded: ReadonlySet<string> = new Set([
  'lock',
  'alarm_control_panel',
  'cover',
  'valve',
  'siren',
  'lawn_mower',
  'vacuum',
]);

/** The owner set up the house, so nothing is asked until words of others may have chosen the call. */
function judgeCall(request: Request): Judgement {
  const { domain, service } = request;
  const shown = escapeForDisplay(`${domain}.${service} ${JSON.stringify(dataOf(request))}`, { singleLine: true });
  const problem = refuseRequest(request);
  if (problem !== undefined)
    return { shown, findings: [], refused: { reason: 'not a service to call', message: problem } };
  const found = afterOutsideText(`calls ${domain}.${service} of Home Assistant`);
  return { shown, findings: [{ ...found, mayRemember: !guarded.has(domain), mayHoldForSession: true }] };
}
