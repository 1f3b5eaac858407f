/** Installations that are killed at many moments. */
import { test } from 'node:test';
import { surviveKills } from './killed-installation.ts';

for (const seed of [2, 3]) {
  test(`an installation that is killed 40 times leaves either the whole skill or nothing (seed ${seed})`, async (t) => {
    await surviveKills(t, 40, seed);
  });
}
