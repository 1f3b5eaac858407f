/** The names by which things on a page are meant: `@e5`, in a frame `@f1e3`. */
import type { Locator, Page } from 'playwright-core';
import { NotDone } from './not-done.ts';

/** With or without `@`. Throws `NotDone` for a name that the last snapshot did not give, or whose thing is gone. */
export async function elementOf(page: Page, ref: string): Promise<Locator> {
  const { found, name } = named(page, ref);
  await check(found, name);
  return found;
}

/** As `elementOf`, with what kind of field it is, which is looked at in the same moment. */
export async function fieldOf(page: Page, ref: string): Promise<{ readonly field: Locator; readonly kind: FieldKind }> {
  const { found, name } = named(page, ref);
  const kind = found.evaluate((node) => ({ tag: node.tagName, type: node.getAttribute('type') ?? '' }), undefined, {
    timeout: kindMs,
  });
  // Nobody waits for it where there is no field.
  kind.catch(() => undefined);
  await check(found, name);
  return { field: found, kind: await kind };
}

export interface FieldKind {
  readonly tag: string;
  readonly type: string;
}

const kindMs = 5000;

function named(page: Page, ref: string): { readonly found: Locator; readonly name: string } {
  const name = /^@?((?:f\d+)?e\d+)$/.exec(ref.trim())?.[1];
  if (name === undefined) throw new NotDone(`'${ref.slice(0, 50)}' is no reference: they look like @e5.`);
  return { found: page.locator(`aria-ref=${name}`), name };
}

async function check(found: Locator, name: string): Promise<void> {
  // Not there any more, or of a frame that is gone.
  const count = await found.count().catch(() => 0);
  if (count === 0)
    throw new NotDone(`Nothing on the page is called @${name} now: take a browser_snapshot for the names.`);
}
