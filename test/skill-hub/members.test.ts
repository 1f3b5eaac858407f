/** Whatever names a skill from outside brings, what is accepted stays inside its folder and apart from each other. */
import assert from 'node:assert/strict';
import { resolve, sep, win32 } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { checkMembers } from '../../src/skill-hub/members.ts';

const part = fc.oneof(
  fc.constantFrom('..', '.', '', 'a', 'A', 'con', 'C:', '~', '\\', 'ａ', 'é', 'e\u0301', '\u202e', 'x ', 'x.', '.git'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));

test('accepted names stay inside, on Windows too, and none is another one in disguise', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(path, { maxLength: 3 }), (paths) => {
      const files = new Map(['SKILL.md', ...paths].map((name) => [name, { length: 1 }]));
      try {
        checkMembers(files);
      } catch {
        return;
      }
      accepted += paths.length;
      const folded = new Set<string>();
      for (const name of files.keys()) {
        assert.ok(resolve('/base', name).startsWith(`/base${sep}`));
        assert.ok(win32.resolve('C:\\base', name).startsWith('C:\\base\\'));
        folded.add(name.normalize('NFKC').toLowerCase());
      }
      assert.equal(folded.size, files.size);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(accepted > 50, `only ${accepted} names were accepted: the test says nothing`);
});
