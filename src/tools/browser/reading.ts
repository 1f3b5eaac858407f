/** What is read of a page: loaded with the first of it. */
import type { ToolOutcome } from '../../agent/tool.ts';
import { parseJson } from '../../lib/json.ts';
import { act, browse, type Context } from './browse.ts';
import { NotDone } from './not-done.ts';
import type { OpenTabs } from './browser-command.ts';
import { foundImages, imagesScript, maxValueChars, tooLarge } from './page-scripts.ts';
import { showSnapshot } from './show-page.ts';

const maxShown = 50;

export async function snapshot(context: Context, full: boolean): Promise<ToolOutcome> {
  return await browse(context, async (open) => await showSnapshot(open, full));
}

export async function listImages(context: Context): Promise<ToolOutcome> {
  return await browse(context, images);
}

export async function readConsole(context: Context, clear: boolean): Promise<ToolOutcome> {
  return await browse(context, (open) => Promise.resolve(messages(open, clear)));
}

export async function evaluate(context: Context, expression: string): Promise<ToolOutcome> {
  return await browse(context, async (open) => await valueOf(open, expression));
}

async function images({ tab }: OpenTabs): Promise<object> {
  const all = foundImages.parse(await tab.page.evaluate(imagesScript));
  return { images: all, count: all.length };
}

function messages(open: OpenTabs, clear: boolean): object {
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
  return said;
}

async function valueOf(open: OpenTabs, expression: string): Promise<object> {
  let result: unknown;
  let text = 'null';
  const run = async () => {
    result = await open.tab.page.evaluate(expression);
    text = JSON.stringify(result ?? null, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  };
  await act(open, run, { isQuiet: true });
  if (text.length <= maxValueChars) return { result: parseJson(text) ?? null };
  throw new NotDone(tooLarge(text.length));
}
