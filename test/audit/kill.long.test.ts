/** Writers that are killed many times, at every moment of a write and of a rotation. */
import { test } from 'node:test';
import { surviveKills } from './killed.ts';

for (const seed of [31, 32, 33]) {
  test(`80 writers, four at a time, are killed while they write (seed ${seed})`, async (t) => {
    await surviveKills(t, { rounds: 20, writers: 4, seed });
  });
}
