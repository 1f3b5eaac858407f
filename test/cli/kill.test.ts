/** `kill -9` at three moments of a turn; all the others are in kill.long.test.ts. */
import { test } from 'node:test';
import { survive } from './killed-conversation.ts';

test('a conversation survives three deaths', async (t) => {
  await survive(t, 20_251, [{ at: 'streaming', request: 2 }, { at: 'running', request: 2 }, { at: 'answered' }]);
});
