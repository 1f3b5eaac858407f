/** Adds entries to the memory of a home, one after the other; run as processes of their own by the tests. */
import { createMemoryStore } from '../../src/memory/memory-store.ts';

const [homePath = '', prefix = '', count = '0'] = process.argv.slice(2);
const store = createMemoryStore({
  homePath,
  limits: { memory: 100_000, user: 100_000 },
  enabled: { memory: true, user: true },
});
process.stdout.write('ready\n');
for (let index = 0; index < Number(count); index += 1) {
  const { success } = await store.change({
    action: 'add',
    target: 'memory',
    content: `${prefix} ${index} ${'x'.repeat(200)}`,
  });
  if (!success) process.exitCode = 1;
}
