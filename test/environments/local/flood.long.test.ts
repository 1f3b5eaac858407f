/** The flood of background processes. */
import { test } from 'node:test';
import { floodStaysBounded } from './flood.ts';

test('fifty background processes that write a hundred megabytes each take bounded memory', async () => {
  await floodStaysBounded(50, 100);
});
