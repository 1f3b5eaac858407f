/** A process that appends numbered messages and says which ones it was promised are stored; run by the tests. */
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { StoreTranscript } from '../../src/sessions/store-transcript.ts';

const [path = '', session = '', first = '0', count = 'Infinity'] = process.argv.slice(2);
const store = await openSessionStore({ kind: 'sqlite', path });
const transcript = new StoreTranscript({ store, session: { id: session, source: 'cli' }, prompt: async () => '' });
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  // Every third message calls a tool, so that both counters move, and is answered by one of twenty programs.
  if (number % 3 === 0) {
    const call = { id: `c${number}`, type: 'function' as const, function: { name: 'ls', arguments: '{}' } };
    await transcript.append({ role: 'assistant', content: `m${number}`, tool_calls: [call] });
  } else if (number % 3 === 1) {
    const sources = [{ from: 'program' as const, name: `p${number % 20}` }];
    await transcript.append({ role: 'tool', tool_call_id: `c${number - 1}`, content: `m${number}`, sources });
  } else {
    await transcript.append({ role: 'user', content: `m${number}` });
  }
  // Said before the next one is stored, also when whoever listens is slow.
  await new Promise((said) => process.stdout.write(`${number}\n`, said));
}
await store.close();
