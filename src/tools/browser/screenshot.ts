/** Pictures of the page, with marks on what can be used if they are wanted. */
import type { Page } from 'playwright-core';
import type { OpenTabs } from './browser-command.ts';
import { keepScreenshot } from './keep-screenshot.ts';
import { marksIn } from './snapshot-lines.ts';

export interface Screenshot {
  readonly path: string;
  readonly bytes: Buffer;
  /** What the numbers on it mean. */
  readonly marks?: readonly { readonly label: string; readonly ref: string; readonly element: string }[];
}

const maxMarks = 100;

/** What is seen of the page now. Kept in `cache/screenshots/` of the home for a day. */
export async function takeScreenshot(
  open: OpenTabs,
  { annotate }: { readonly annotate: boolean },
): Promise<Screenshot> {
  const { page } = open.tabs.current ?? open.tab;
  const marks = annotate ? await drawMarks(open, page) : undefined;
  let bytes: Buffer;
  try {
    bytes = await page.screenshot({ timeout: open.timeoutMs, signal: open.signal });
  } finally {
    if (annotate) await page.evaluate(`document.getElementById('${markId}')?.remove()`).catch(() => undefined);
  }
  const path = await keepScreenshot(bytes, page.url(), open);
  return { path, bytes, ...(marks === undefined ? {} : { marks }) };
}

const markId = 'hermes-marks';

/** Places within a frame are its own, so only what lies in the page itself is marked. */
async function drawMarks({ signal, timeoutMs }: OpenTabs, page: Page): Promise<NonNullable<Screenshot['marks']>> {
  const tree = await page.ariaSnapshot({ mode: 'ai', boxes: true, timeout: timeoutMs, signal });
  const { width, height } = page.viewportSize() ?? { width: 10_000, height: 10_000 };
  const seen = marksIn(tree)
    .filter(({ box: [x, y, w, h] }) => w > 0 && h > 0 && x < width && y < height && x + w > 0 && y + h > 0)
    .slice(0, maxMarks);
  const drawn = seen.map(({ ref, box }) => ({ label: numberOf(ref), box }));
  await page.evaluate(`(${drawScript})(${JSON.stringify(drawn)}, '${markId}')`);
  return seen.map(({ ref, element }) => ({ label: `[${numberOf(ref)}]`, ref: `@${ref}`, element }));
}

/** Of `f2e5` the 5: the rest is the same for all of a page. */
function numberOf(ref: string): string {
  return ref.replace(/^.*e/, '');
}

/** Boxes that no click and no style sheet of the page reaches. */
const drawScript = `(marks, id) => {
  const host = document.createElement('div');
  host.id = id;
  host.style.cssText = 'all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none';
  const root = host.attachShadow({ mode: 'closed' });
  for (const { label, box: [x, y, w, h] } of marks) {
    const frame = document.createElement('div');
    frame.style.cssText = 'position:absolute;box-sizing:border-box;border:2px solid #e00;left:' + x + 'px;top:' + y + 'px;width:' + w + 'px;height:' + h + 'px';
    const tag = document.createElement('span');
    tag.textContent = label;
    tag.style.cssText = 'position:absolute;left:0;top:0;background:#e00;color:#fff;font:bold 12px sans-serif;padding:0 3px';
    frame.append(tag);
    root.append(frame);
  }
  document.documentElement.append(host);
}`;
