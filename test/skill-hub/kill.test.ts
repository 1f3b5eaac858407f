/** An installation that is killed twice; more often in kill.long.test.ts. */
import { test } from 'node:test';
import { surviveKills } from './killed-installation.ts';

test('a killed installation leaves either the whole skill or nothing', async (t) => {
  await surviveKills(t, 2, 1);
});
