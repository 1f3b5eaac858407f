/** A page as text: what it says and what can be done on it, each thing with the name by which it is meant. */
import type { Frame, Page } from 'playwright-core';
import { compactTree, fullTree } from './snapshot-lines.ts';

export interface Snapshot {
  readonly text: string;
  /** How many things have a name. */
  readonly elements: number;
}

const maxFrames = 30;
const passwordsMs = 1000;

/** Frames and open shadow trees are part of it. Rejects when the page does not answer in time. */
export async function takeSnapshot(
  page: Page,
  { full, timeoutMs, signal }: { readonly full: boolean; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Snapshot> {
  const [tree, passwords] = await Promise.all([
    page.ariaSnapshot({ mode: 'ai', timeout: timeoutMs, signal }),
    passwordsOf(page),
  ]);
  const lines = full ? fullTree(tree, passwords) : compactTree(tree, passwords);
  return { text: lines.join('\n'), elements: lines.filter((line) => /(?:^|\s)@[a-z]?\d*e\d+/.test(line)).length };
}

/** What stands in password fields is no business of the model. */
async function passwordsOf(page: Page): Promise<ReadonlySet<string>> {
  const found = await Promise.all(page.frames().slice(0, maxFrames).map(passwordsIn));
  return new Set(found.flat());
}

async function passwordsIn(frame: Frame): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), passwordsMs);
  const read = frame
    .locator('input[type=password]')
    .evaluateAll((fields) => fields.flatMap((field) => ('value' in field ? [String(field.value)] : [])))
    // The frame went away.
    .catch(() => []);
  try {
    return (await Promise.race([read, late])).filter((value) => value !== '');
  } finally {
    clearTimeout(timer);
  }
}
