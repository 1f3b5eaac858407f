/** `browser_console`: what pages said, and scripts in them. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { judgeScript } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';
import { refusedScript } from './refused-script.ts';

const parameters = z.object({
  clear: z.boolean().default(false),
  expression: z.string().optional().describe('JavaScript to evaluate in the page'),
});

export const browserConsoleTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_console',
  toolset: 'browser',
  description: 'Console messages and errors of the page; or the value of an expression.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '🖥️', preview: ({ expression }) => expression?.slice(0, 80) ?? '' },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge({ expression }, services) {
    if (expression === undefined || expression === '') return harmless;
    const { restrict_evaluate, allow_unsafe_evaluate } = services.config.browser;
    const refused = restrict_evaluate && !allow_unsafe_evaluate ? refusedScript(expression) : undefined;
    if (refused === undefined) return judgeScript(expression, services);
    const message = `Blocked: browser.restrict_evaluate keeps expressions from ${refused}.`;
    return { shown: expression, findings: [], refused: { reason: `the expression uses ${refused}`, message } };
  },
  sources: (_, services) => pageSources(services),
  refusal: (error) => ({ success: false, error }),
  parallel: 'never',
  execute: async ({ clear, expression }, context) => {
    const actions = await actionsOf(context);
    return expression === undefined || expression === ''
      ? await actions.readConsole(context, clear)
      : await actions.evaluate(context, expression);
  },
});
