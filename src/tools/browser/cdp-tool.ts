/** `browser_cdp`: what no other tool of the browser does. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { contactWith, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { browse, NotDone, pageSources } from './browse.ts';
import { refusedAddress } from './check-address.ts';
import { sendCdp } from './raw-cdp.ts';

const parameters = z.object({
  method: z.string(),
  params: z.record(z.string(), z.json()).default({}),
  target_id: z.string().optional().describe('From Target.getTargets; for methods of pages'),
  frame_id: z.string().optional().describe('A frame of another origin'),
  timeout: z.number().default(30),
});

type Args = z.infer<typeof parameters>;

const maxChars = 50_000;
const maxSeconds = 300;
const docs = 'https://chromedevtools.github.io/devtools-protocol/';

export const browserCdpTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_cdp',
  toolset: 'browser',
  description: 'Send one command of the Chrome DevTools Protocol; the browser tools see to the usual.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '🧪', preview: ({ method }) => method },
  available: ({ state: { browser } }) => browser?.endpoint !== undefined,
  judge,
  sources: (_, services) => [...pageSources(services), { from: 'page', name: 'the browser' }],
  refusal: (error) => ({ success: false, error }),
  parallel: 'never',
  async execute(args, context) {
    const seconds = Math.min(Math.max(args.timeout, 1), maxSeconds);
    const outcome = await browse(context, async ({ signal }) => await send(args, context.services, signal), {
      opens: true,
      seconds,
    });
    // Of which page it is cannot be told.
    return { ...outcome, sources: [...(outcome.sources ?? []), { from: 'page', name: 'the browser' }] };
  },
});

/** It reaches everything in a browser that somebody is logged in with. */
function judge({ method, params, target_id: target }: Args, { redact }: ToolServices): Judgement {
  const shown = escapeForDisplay(`${method} ${JSON.stringify(params)}${target === undefined ? '' : ` on ${target}`}`);
  const address = typeof params['url'] === 'string' ? URL.parse(params['url']) : null;
  const refused = address === null || address.href === 'about:blank' ? undefined : refusedAddress(address, redact);
  if (refused !== undefined)
    return { shown, findings: [], refused: { reason: refused, message: `Blocked: ${refused}.` } };
  const description = `uses ${escapeForDisplay(method.slice(0, 100), { singleLine: true })} of your own browser`;
  return { shown, findings: [{ ...contactWith(method, 'outside'), key: description, description }] };
}

async function send(
  { method, params, target_id, frame_id }: Args,
  { state: { browser } }: ToolServices,
  signal: AbortSignal,
): Promise<object> {
  const endpoint = browser?.endpoint;
  if (endpoint === undefined) throw new NotDone('No browser is connected.');
  const answer = await sendCdp({ endpoint, method, params, target: frame_id ?? target_id, signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw new NotDone(`${explained(error, frame_id)} See ${docs}`);
    },
  );
  const text = JSON.stringify(answer.result);
  if (text.length > maxChars) throw new NotDone(`The result has ${text.length} characters: ask for less.`);
  return {
    method,
    result: answer.result,
    ...(target_id === undefined ? {} : { target_id }),
    ...(frame_id === undefined ? {} : { frame_id }),
    ...(answer.sessionId === undefined ? {} : { session_id: answer.sessionId }),
  };
}

function explained(error: unknown, frame: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  return frame !== undefined && /no target/i.test(message)
    ? 'This frame is of the same origin as its page: use target_id, and Runtime.evaluate with contextId.'
    : message.replace(/\.?$/, '.');
}
