/** Transcripts: what the agent says goes into the store while it happens, or nowhere. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import type { HistoryMessage } from '../../src/llm/message.ts';
import { mergeSources, type Source } from '../../src/llm/source.ts';
import { MemoryTranscript } from '../../src/sessions/memory-transcript.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { StoreTranscript, type StoreTranscriptOptions } from '../../src/sessions/store-transcript.ts';
import { call, query, temporaryStore, user } from './support.ts';

const route = { provider: 'openrouter', model: 'm', baseUrl: 'https://x' };
const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1 };
const page: Source = { from: 'page', name: 'example.org' };

function transcriptIn(store: SessionStore, more: Partial<StoreTranscriptOptions> = {}): StoreTranscript {
  return new StoreTranscript({
    store,
    session: { id: 's', source: 'cli', systemPrompt: 'p' },
    prompt: async (id) => `prompt of ${id}`,
    ...more,
  });
}

function result(sources: readonly Source[], content = 'found'): HistoryMessage {
  return { role: 'tool', tool_call_id: 'call_1', content, sources };
}

async function started(
  t: TestContext,
): Promise<{ store: SessionStore & { path: string }; transcript: StoreTranscript }> {
  const store = await temporaryStore(t);
  const transcript = transcriptIn(store);
  await transcript.append(user('look at example.org'));
  await transcript.append(call('fetch', {}));
  await transcript.append(result([page]));
  return { store, transcript };
}

test('a transcript creates its session with the first message and counts every request', async (t) => {
  const store = await temporaryStore(t);
  const transcript = transcriptIn(store);
  await transcript.setAsideLast();
  assert.equal(await store.sessions.get('s'), undefined);
  const first = await transcript.append(user('kept'));
  assert.notEqual(await transcript.append(user('rejected')), first);
  await transcript.setAsideLast();
  await transcript.recordUsage(usage, route);
  await transcript.recordUsage(usage, route);
  assert.deepEqual(await store.messages.conversation('s'), [user('kept'), { ...user('rejected'), setAside: true }]);
  const row = await store.sessions.get('s');
  assert.deepEqual(
    [row?.input_tokens, row?.api_call_count, row?.model, row?.billing_provider, row?.billing_base_url],
    [20, 2, 'm', 'openrouter', 'https://x'],
  );
  assert.equal(row?.system_prompt, 'p');
});

test('the sources of a session are everything that ever entered it, in the transcript and in the store', async (t) => {
  const { store, transcript } = await started(t);
  const all = [{ from: 'user' }, { from: 'agent' }, page];
  assert.deepEqual(transcript.sources, all);
  assert.deepEqual(await store.sessions.sources('s'), all);
  await store.messages.rewrite('s', [user('undone')]);
  assert.deepEqual(await store.sessions.sources('s'), all, 'undoing does not shrink them');
  const resumed = transcriptIn(store, { sources: await store.sessions.sources('s') });
  assert.deepEqual(resumed.sources, all);
});

test('whatever is appended, stored and remembered sources are the same, and never fewer than before', async (t) => {
  const store = await temporaryStore(t);
  const source = fc.record(
    {
      from: fc.constantFrom('file', 'page', 'program', 'server', 'unknown'),
      name: fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['from'] },
  ) as fc.Arbitrary<Source>;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(source, { maxLength: 4 }), { maxLength: 12 }), async (lists) => {
      runs += 1;
      const id = `run ${runs}`;
      const transcript = transcriptIn(store, { session: { id, source: 'cli' } });
      let before = 0;
      for (const sources of lists) {
        await transcript.append(result(sources));
        const stored = await store.sessions.sources(id);
        assert.ok(stored.length >= before);
        before = stored.length;
      }
      const expected = mergeSources(lists.flat().map(wellFormed));
      assert.deepEqual(sorted(await store.sessions.sources(id)), sorted(expected));
      assert.deepEqual(sorted(mergeSources(transcript.sources.map(wellFormed))), sorted(expected));
    }),
    { numRuns: 40 },
  );
});

function wellFormed(source: Source): Source {
  return source.name === undefined
    ? source
    : { ...source, name: source.name.toWellFormed().replaceAll('\0', '\uFFFD') };
}

function sorted(sources: readonly Source[]): string[] {
  return sources.map(({ from, name }) => JSON.stringify([from, name])).sort();
}

test('a compaction moves on to a child that inherits the sources, and both keep their messages', async (t) => {
  const { store, transcript } = await started(t);
  await store.sessions.setTitle('s', 'Pages');
  const summary: HistoryMessage = { role: 'user', content: 'what happened', kind: 'summary' };
  const recap: HistoryMessage = { role: 'user', content: 'to do', kind: 'recap' };
  const carrying = transcriptIn(store, { sources: transcript.sources, carry: (history) => [...history, recap] });
  const next = await carrying.compact([summary]);
  assert.notEqual(next.sessionId, 's');
  assert.equal(carrying.sessionId, next.sessionId);
  assert.equal(next.systemPrompt, `prompt of ${next.sessionId}`);
  assert.deepEqual(next.history, [summary, recap]);
  assert.deepEqual(await store.messages.conversation(next.sessionId), [summary, recap]);
  assert.equal((await store.messages.list('s')).length, 3);
  assert.deepEqual(
    [...(await store.sessions.sources(next.sessionId))].filter(({ from }) => from === 'page'),
    [page],
  );
  assert.equal((await store.sessions.resolve('s'))?.id, next.sessionId);
  await carrying.append(user('and on'));
  assert.deepEqual((await store.messages.conversation(next.sessionId)).at(-1), user('and on'));
});

test('a compaction that cannot be stored changes nothing', async (t) => {
  const { store, transcript } = await started(t);
  const before = query(store.path, 'SELECT * FROM sessions');
  query(
    store.path,
    `CREATE TRIGGER no BEFORE INSERT ON messages WHEN new.content = 'second' BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
  await assert.rejects(transcript.compact([user('first'), user('second')]), /no/);
  assert.equal(transcript.sessionId, 's');
  assert.deepEqual(query(store.path, 'SELECT * FROM sessions'), before);
  await transcript.append(user('goes on'));
  assert.deepEqual((await store.messages.conversation('s')).at(-1), user('goes on'));
});

test('when the prompt of the continuation cannot be made, nothing has changed either', async (t) => {
  const { store } = await started(t);
  const transcript = transcriptIn(store, { prompt: () => Promise.reject(new Error('no prompt')) });
  await assert.rejects(transcript.compact([user('first')]), /no prompt/);
  assert.equal((await store.sessions.get('s'))?.end_reason, null);
});

test('a transcript in memory numbers its messages, keeps its sources, and compacts under the same id', async () => {
  const transcript = new MemoryTranscript({
    sessionId: 's',
    sources: [{ from: 'file', name: 'a' }],
    prompt: async () => 'fresh',
    carry: (history) => [...history, user('more')],
  });
  assert.deepEqual([await transcript.append(user('x')), await transcript.append(result([page]))], ['m1', 'm2']);
  await transcript.setAsideLast();
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  await transcript.recordUsage(usage, { provider: 'p', model: 'm', baseUrl: '' });
  assert.deepEqual(await transcript.compact([user('x')]), {
    sessionId: 's',
    history: [user('x'), user('more')],
    systemPrompt: 'fresh',
  });
  assert.deepEqual(transcript.sources, [{ from: 'file', name: 'a' }, { from: 'user' }, page]);
});
