/** Adds entries to the memory of a home, one after the other; run as processes of their own by the tests. */
import { createMemoryStore } from '../../src/memory/memory-store.ts';

const [homePath = '', prefix = '', count = '0'] = process.argv.slice(2);
const store = createMemoryStore({
  homePath,
  limits: { memory: 1_000_000, user: 1_000_000 },
  enabled: { memory: true, user: true },
});
process.stdout.write('ready\n');
// Writers begin together when they are told to, and not one after the other as they happen to start.
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();
for (let index = 0; index < Number(count); index += 1) {
  const content = `${prefix} ${index} ${'x'.repeat(200)}`;
  const { success } = await store.change({ action: 'add', target: 'memory', content });
  if (!success) process.exitCode = 1;
}
