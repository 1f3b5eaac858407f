/** `browser_console`: what pages said, and scripts in them. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { parseJson } from '../../lib/json.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, NotDone, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeScript } from './judge-browsing.ts';
import { refusedScript } from './refused-script.ts';

const parameters = z.object({
  clear: z.boolean().default(false),
  expression: z.string().optional().describe('JavaScript to evaluate in the page'),
});

const maxShown = 50;
const maxValueChars = 20_000;

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
  execute: async ({ clear, expression }, context) =>
    await browse(context, async (open) =>
      expression === undefined || expression === '' ? messages(open, clear) : await evaluate(open, expression),
    ),
});

async function messages(open: OpenTabs, clear: boolean): Promise<object> {
  const { log } = open.tabs;
  // Hosts that were refused belong to the errors.
  const news = open.news();
  const said = {
    console_messages: log.messages.slice(-maxShown),
    js_errors: log.errors.slice(-maxShown),
    total_messages: log.messages.length,
    total_errors: log.errors.length,
    ...news,
  };
  if (clear) log.clear();
  return await Promise.resolve(said);
}

async function evaluate(open: OpenTabs, expression: string): Promise<object> {
  let result: unknown;
  let text = 'null';
  await act(open, async () => {
    result = await open.tab.page.evaluate(expression);
    text = JSON.stringify(result ?? null, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  });
  if (text.length <= maxValueChars) return { result: parseJson(text) ?? null };
  throw new NotDone(`The value has ${text.length} characters as JSON, more than ${maxValueChars}: ask for less of it.`);
}
