/** A process that takes a session and appends what it is told to; run by the tests. */
import { createInterface } from 'node:readline';
import { errorMessage } from '../../src/lib/errors.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { StoreTranscript } from '../../src/sessions/store-transcript.ts';

const [path = '', session = ''] = process.argv.slice(2);
const store = await openSessionStore({ kind: 'sqlite', path });
const lease = await store.leases.take(session, 'cli', { ttlMs: 600_000 });
console.log(JSON.stringify(lease));
const transcript = new StoreTranscript({
  store,
  session: { id: session, source: 'cli' },
  prompt: async () => '',
});
if (lease.granted) transcript.fence = lease.fence;
for await (const content of createInterface({ input: process.stdin })) {
  const stored = transcript.append({ role: 'user', content });
  console.log(
    await stored.then(
      () => 'stored',
      (error: unknown) => errorMessage(error),
    ),
  );
}
await store.close();
