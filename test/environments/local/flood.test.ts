/** The quick version of the flood of background processes. */
import { test } from 'node:test';
import { floodStaysBounded } from './flood.ts';

test('background processes that write much take bounded memory', async () => {
  await floodStaysBounded(8, 40);
});
