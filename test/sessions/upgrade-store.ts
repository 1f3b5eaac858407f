/** Opens a store, and with `compact` shortens its session again and again; says when each is done. */
import { openSessionStore } from '../../src/sessions/open-store.ts';

const [path = '', what = ''] = process.argv.slice(2);
const store = await openSessionStore({ kind: 'sqlite', path });
process.stdout.write('open\n');
const rounds = what === 'compact' ? Number.POSITIVE_INFINITY : 0;
for (let round = 1; round <= rounds; round += 1) {
  const messages = Array.from({ length: 40 }, (_, index) => ({
    role: 'user' as const,
    content: `r${round} m${index}`,
  }));
  await store.messages.compact('s', { messages, systemPrompt: `r${round}` });
  process.stdout.write(`${round}\n`);
}
await store.close();
