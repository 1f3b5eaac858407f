/** The names by which things on a page are meant: `@e5`, in a frame `@f1e3`. */
import type { Locator, Page } from 'playwright-core';
import { NotDone } from './browse.ts';

/** With or without `@`. Throws `NotDone` for a name that the last snapshot did not give, or whose thing is gone. */
export async function elementOf(page: Page, ref: string): Promise<Locator> {
  const name = /^@?((?:f\d+)?e\d+)$/.exec(ref.trim())?.[1];
  if (name === undefined) throw new NotDone(`'${ref.slice(0, 50)}' is no reference: they look like @e5.`);
  const found = page.locator(`aria-ref=${name}`);
  // Not there any more, or of a frame that is gone.
  const count = await found.count().catch(() => 0);
  if (count === 0)
    throw new NotDone(`Nothing on the page is called @${name} now: take a browser_snapshot for the names.`);
  return found;
}
