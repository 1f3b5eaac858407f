/** Walks the corpora: nothing hostile counts as harmless, and nobody is asked about everyday work. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everydayClasses } from './everyday.ts';
import { hostileClasses } from './hostile.ts';
import { verdictOf } from './verdict.ts';

/** Of everyday commands at most this part may be asked about. */
const askedAtMost = 0.02;

describe('hostile commands', () => {
  for (const { name, refused = [], asked = [], contained = [] } of hostileClasses) {
    test(`of the class "${name}" get nowhere unseen`, () => {
      const missed = [
        ...refused.filter((text) => verdictOf(text).verdict !== 'refused'),
        ...asked.filter((text) => !/^(?:asked|refused)$/.test(verdictOf(text).verdict)),
        ...contained.filter((text) => verdictOf(text).verdict === 'harmless'),
      ];
      assert.deepEqual(missed, []);
    });
  }

  test('are many, of many kinds', () => {
    const count = hostileClasses.reduce(
      (sum, { refused = [], asked = [], contained = [] }) => sum + refused.length + asked.length + contained.length,
      0,
    );
    assert.ok(count >= 400 && hostileClasses.length >= 15, `${count} in ${hostileClasses.length} classes`);
  });
});

describe('everyday commands', () => {
  for (const { name, commands } of everydayClasses) {
    test(`of the class "${name}" are not asked about`, () => {
      const asked = commands.filter((text) => /^(?:asked|refused)$/.test(verdictOf(text).verdict));
      assert.deepEqual(asked, []);
    });
  }

  test('are many, and few of them would be asked about', () => {
    const commands = everydayClasses.flatMap((entry) => entry.commands);
    const asked = commands.filter((text) => /^(?:asked|refused)$/.test(verdictOf(text).verdict));
    assert.ok(commands.length >= 400 && everydayClasses.length >= 12);
    assert.ok(asked.length <= commands.length * askedAtMost, asked.join('\n'));
  });
});
