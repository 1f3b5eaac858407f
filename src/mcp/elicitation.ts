/** Questions of servers to the person whose conversation calls them: a yes or a no, and no data. */
import * as z from 'zod';
import { choiceOf } from '../agent/human.ts';
import { escapeForDisplay } from '../safety/display.ts';
import { timerMs } from '../lib/timer-limit.ts';
import type { Callers } from './callers.ts';
import type { ServerSettings } from './settings.ts';

const paramsShape = z.looseObject({
  message: z.string(),
  requestedSchema: z
    .looseObject({ properties: z.record(z.string(), z.looseObject({ default: z.unknown().optional() })).optional() })
    .optional(),
});

const maxMessageChars = 2000;
const maxFields = 20;
const proposal = z.union([z.string().max(500), z.number(), z.boolean(), z.array(z.string().max(500)).max(20)]);

/**
 * `accept` for a yes, with what the server itself proposes for its fields and nothing else (SEP-1034), `cancel` when nobody answered in time, `decline` for everything else: a no,
 * nobody there, calls of several conversations at once. Never rejects. That pages are not opened the server is told before.
 */
export function elicitationOf(
  { name, elicitation }: Pick<ServerSettings, 'name' | 'elicitation'>,
  callers: Callers,
): (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>> {
  return async (params, signal) => {
    const read = paramsShape.safeParse(params);
    const caller = callers.only;
    if (!read.success || caller === undefined) return { action: 'decline' };
    const { human, signal: called } = caller.context;
    if (!human.present) return { action: 'decline' };
    const late = AbortSignal.timeout(timerMs(elicitation.timeoutMs));
    const properties = Object.entries(read.data.requestedSchema?.properties ?? {}).slice(0, maxFields);
    const content = Object.fromEntries(
      properties.flatMap(([field, { default: proposed }]) => {
        const { data } = proposal.safeParse(proposed);
        return data === undefined ? [] : [[field, data] as const];
      }),
    );
    const fields = properties.map(([field]) =>
      Object.hasOwn(content, field) ? `${field} (it proposes ${JSON.stringify(content[field])})` : field,
    );
    const sends = Object.keys(content).length === 0 ? 'sends no data' : 'sends back what it proposes itself';
    const asked = human.approve(
      {
        tool: `the tool server ${oneLine(name)}`,
        command: escapeForDisplay(read.data.message.slice(0, maxMessageChars)),
        reasons: [
          `the tool server ${oneLine(name)} asks this; a yes ${sends}`,
          ...(fields.length === 0 ? [] : [`it would like to know: ${oneLine(fields.join(', '))}`]),
        ],
        keys: [],
        mayRemember: false,
        sources: [`the tool server ${oneLine(name)}`],
      },
      AbortSignal.any([signal, called, late]),
    );
    const choice = await Promise.race([asked.then(choiceOf), untilAborted(late)]).catch(() => 'deny' as const);
    if (choice === 'timeout') return { action: 'cancel' };
    return choice === 'deny' ? { action: late.aborted ? 'cancel' : 'decline' } : { action: 'accept', content };
  };
}

async function untilAborted(signal: AbortSignal): Promise<'timeout'> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  return 'timeout';
}

function oneLine(text: string): string {
  return escapeForDisplay(text.slice(0, 500), { singleLine: true });
}
