/** Settings that are being changed when the process is killed, many times. */
import { test } from 'node:test';
import { surviveKills } from './killed-editor.ts';

test('killed 100 times at different moments, the file is always whole', async (t) => {
  await surviveKills(t, 100);
});
