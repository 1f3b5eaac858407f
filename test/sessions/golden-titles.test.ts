/** A title is stored as the original stores it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod';
import { cleanTitle } from '../../src/sessions/titles.ts';

const { titles: golden } = z
  .object({
    titles: z.array(z.tuple([z.string().nullable(), z.union([z.string(), z.null(), z.object({ error: z.string() })])])),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/titles.json', import.meta.url), 'utf8')));

test('titles are cleaned, and refused when they are too long, as in the original', () => {
  for (const [title, stored] of golden) {
    if (typeof stored === 'object' && stored !== null) assert.throws(() => cleanTitle(title ?? ''), /too long/i);
    else assert.equal(cleanTitle(title ?? ''), stored, JSON.stringify(title));
  }
});
