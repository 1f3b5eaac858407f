/** Writers of one memory that are killed again and again. */
import { test } from 'node:test';
import { surviveKills } from './killed-writers.ts';

test('kill -9 of a hundred writers, some of them at once, leaves whole files and holds up nobody', async (t) => {
  await surviveKills(t, 25);
});
