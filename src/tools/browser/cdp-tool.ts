/** `browser_cdp`: what no other tool of the browser does. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { contactWith, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { refusedAddress } from './check-address.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({
  method: z.string(),
  params: z.record(z.string(), z.json()).default({}),
  target_id: z.string().optional().describe('From Target.getTargets; for methods of pages'),
  frame_id: z.string().optional().describe('A frame of another origin'),
  timeout: z.number().default(30),
});

type CdpArgs = z.infer<typeof parameters>;

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
    const outcome = await (await import('./cdp-command.ts')).runCdp(context, args);
    // Of which page it is cannot be told.
    return { ...outcome, sources: [...(outcome.sources ?? []), { from: 'page', name: 'the browser' }] };
  },
});

/** It reaches everything in a browser that somebody is logged in with. */
function judge({ method, params, target_id: target }: CdpArgs, { redact }: ToolServices): Judgement {
  const shown = escapeForDisplay(`${method} ${JSON.stringify(params)}${target === undefined ? '' : ` on ${target}`}`);
  const address = typeof params['url'] === 'string' ? URL.parse(params['url']) : null;
  const refused = address === null || address.href === 'about:blank' ? undefined : refusedAddress(address, redact);
  if (refused !== undefined)
    return { shown, findings: [], refused: { reason: refused, message: `Blocked: ${refused}.` } };
  const description = `uses ${escapeForDisplay(method.slice(0, 100), { singleLine: true })} of your own browser`;
  return { shown, findings: [{ ...contactWith(method, 'outside'), key: description, description }] };
}
