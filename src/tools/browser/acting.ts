/** What is done on a page: loaded with the first of it. */
import * as z from 'zod';
import type { ToolOutcome } from '../../agent/tool.ts';
import { act, browse, type Context } from './browse.ts';
import { NotDone } from './not-done.ts';
import type { OpenTabs } from './browser-command.ts';
import { movedTo } from './moved-to.ts';
import { elementOf, fieldOf } from './refs.ts';

const pointMs = 8000;
const dialogSettleMs = 2000;

export async function click(context: Context, ref: string): Promise<ToolOutcome> {
  return await browse(context, async (open) => await clickOn(open, ref), { ref });
}

export async function type(context: Context, ref: string, text: string): Promise<ToolOutcome> {
  return await browse(context, async (open) => await typeInto(open, ref, text), { ref });
}

export async function press(context: Context, key: string): Promise<ToolOutcome> {
  return await browse(context, async (open) => {
    const moved = movedTo(open);
    await act(open, () => open.tab.page.keyboard.press(key));
    return { pressed: key, ...moved() };
  });
}

export async function scroll(context: Context, direction: 'up' | 'down'): Promise<ToolOutcome> {
  return await browse(context, async (open) => {
    let at: string | undefined;
    await act(open, async () => {
      at = z.string().parse(await open.tab.page.evaluate(scrollScript(direction === 'down' ? 1 : -1)));
    });
    return { scrolled: direction, ...(at === undefined ? {} : { down_to: at }) };
  });
}

export async function back(context: Context): Promise<ToolOutcome> {
  return await browse(context, goBack);
}

export interface DialogAnswer {
  readonly action: 'accept' | 'dismiss';
  readonly prompt_text?: string | undefined;
  readonly dialog_id?: string | undefined;
}

export async function answerDialog(context: Context, answer: DialogAnswer): Promise<ToolOutcome> {
  return await browse(context, async (open) => await respond(open, answer));
}

async function clickOn(open: OpenTabs, ref: string): Promise<object> {
  const element = await elementOf(open.tab.page, ref);
  const moved = movedTo(open);
  await act(open, () => element.click({ timeout: Math.min(pointMs, open.timeoutMs) }));
  return { clicked: ref, ...moved() };
}

async function typeInto(open: OpenTabs, ref: string, text: string): Promise<object> {
  const { field, kind } = await fieldOf(open.tab.page, ref);
  const timeout = Math.min(pointMs, open.timeoutMs);
  const fill = async () => {
    if (kind.tag === 'SELECT') await field.selectOption(text, { timeout });
    else await field.fill(text, { timeout });
  };
  await act(open, fill, { isQuiet: true });
  return { typed: kind.type.toLowerCase() === 'password' ? '••••' : text, element: ref };
}

async function goBack(open: OpenTabs): Promise<object> {
  const { page } = open.tab;
  const before = page.url();
  let answered: unknown;
  await act(open, async () => {
    answered = await page.goBack({ waitUntil: 'domcontentloaded', timeout: open.timeoutMs });
  });
  const moved = answered !== null || page.url() !== before;
  if (!moved && !(await open.tabs.closeCurrent())) throw new NotDone('There is no page before this one.');
  return { url: (open.tabs.current ?? open.tab).page.url() };
}

async function respond(
  { dialogs, tabs, tab, signal }: OpenTabs,
  { action, prompt_text, dialog_id }: DialogAnswer,
): Promise<object> {
  const dialog = await dialogs.answer(action === 'accept', prompt_text, dialog_id);
  if (dialog === undefined) {
    throw new NotDone(
      dialog_id === undefined ? 'No dialog waits for an answer.' : `No dialog ${dialog_id} waits for an answer.`,
    );
  }
  // It may be followed by the next one.
  const over = new AbortController();
  const settled = (tabs.current ?? tab).settling.wait(dialogSettleMs, AbortSignal.any([signal, over.signal]));
  await Promise.race([settled, dialogs.waits(AbortSignal.any([signal, over.signal]))]);
  over.abort();
  return { action, dialog };
}

/** Many applications scroll a box of their own. */
function scrollScript(way: 1 | -1): string {
  return `(() => {
    const boxes = [...document.querySelectorAll('*')].filter((box) => box.clientHeight > 200 &&
      box.scrollHeight > box.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(box).overflowY));
    const whole = document.scrollingElement ?? document.documentElement;
    const area = (box) => box.clientHeight * box.clientWidth;
    const large = boxes.sort((a, b) => area(b) - area(a))[0];
    const box = whole.scrollHeight > whole.clientHeight + 1 || large === undefined ? whole : large;
    box.scrollBy({ top: ${way} * box.clientHeight * 0.9, behavior: 'instant' });
    return Math.min(100, Math.round(((box.scrollTop + box.clientHeight) / box.scrollHeight) * 100)) + ' % of the page';
  })()`;
}
