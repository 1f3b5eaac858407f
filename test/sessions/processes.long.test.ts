/** A process on the session database that is killed again and again. */
import { test } from 'node:test';
import { surviveKills } from './killed-appender.ts';

test('killed 200 times while it appends, a process loses and doubles nothing it was promised', async (t) => {
  await surviveKills(t, 200);
});
