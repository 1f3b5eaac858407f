/** Writers that are killed leave a chain that is whole. */
import { test } from 'node:test';
import { surviveKills } from './killed.ts';

test('three writers that are killed while they write leave a chain in which nothing is missing', async (t) => {
  await surviveKills(t, { rounds: 2, writers: 3, seed: 4 });
});
