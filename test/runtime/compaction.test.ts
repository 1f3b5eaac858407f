/** What a session is after its history was shortened, and which engine shortens it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { UserError } from '../../src/lib/errors.ts';
import type { Session } from '../../src/runtime/session.ts';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import type { Answer, Step } from '../fakes/model-steps.ts';
import { execute, query } from '../sessions/support.ts';
import { chatAt, collect, errorOf, isSummary, openChat, placeFor, summary, textOf } from './support.ts';

const filler = 'The quick brown fox looks at the lazy dog and writes it all down. '.repeat(40);
const answer: Answer = { text: `I see. ${filler}` };
const small = 'compression:\n  protect_first_n: 0\n  protect_last_n: 1\n  target_ratio: 0.1\n';

/** Says how much it was sent, as providers do. */
const respond = (request: RecordedRequest): Answer => ({
  ...(isSummary(request) ? summary : answer),
  usage: { prompt_tokens: Math.round(request.rawBody.length / 4), completion_tokens: 600 },
});

/** The conversation goes on in another session. */
const rotating = '  in_place: false\n';

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    assert.equal(errorOf(await session.agent.runConversation(`question ${turn}`)), undefined);
  }
}

test('the prompt after a compaction names the new session and the time at which the conversation began', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2026, 2, 30, 14, 30) });
  await using server = await startModelServer({ respond });
  const program = await placeFor(t, server, `${small}${rotating}`).open();
  const spec = { surface: 'cli', human: headless, prompt: { passSessionId: true } };
  const session = await program.openSession(spec);
  const promptOf = async (id: string) => (await program.store?.sessions.get(id))?.system_prompt ?? '';
  await talk(session, 4);
  const first = session.id;
  assert.match(await promptOf(first), new RegExp(`2026\nSession ID: ${first}\n`));
  t.mock.timers.tick(3_600_000);
  await session.agent.compress();
  const second = session.id;
  assert.notEqual(second, first);
  assert.match(await promptOf(second), new RegExp(`2026\nSession ID: ${second}\n`));
  await session.close('cli_close');

  // Another process goes on with it, and it grows too long again.
  t.mock.timers.tick(3_600_000);
  const row = await program.store?.sessions.get(second);
  assert.ok(row !== undefined);
  const resumed = await program.openSession({ ...spec, resume: row });
  await talk(resumed, 4);
  await resumed.agent.compress();
  assert.notEqual(resumed.id, second);
  assert.match(await promptOf(resumed.id), new RegExp(`2026\nSession ID: ${resumed.id}\n`));
});

for (const mode of ['', rotating])
  test(`a compaction brings new memory into the prompt, and keeps the open steps but not the done ones ${mode.trim()}`, async (t) => {
    await using server = await startModelServer({ respond });
    const { session, program } = await openChat(t, server, `${small}${mode}`);
    const todos = [
      { id: 'a', content: 'plant the hedge', status: 'in_progress' },
      { id: 'b', content: 'paint the fence', status: 'completed' },
    ];
    server.enqueue(
      {
        toolCalls: [{ name: 'memory', arguments: { action: 'add', target: 'user', content: 'Keeps three capybaras' } }],
      },
      { toolCalls: [{ name: 'todo', arguments: { todos } }] },
      { text: 'Noted.' },
    );
    await talk(session, 5);
    const before = session.id;
    await program.store?.sessions.setTitle(before, 'Garden');
    assert.doesNotMatch(textOf(server.lastRequest.body.messages[0]), /three capybaras/);
    assert.ok((await session.agent.compress()).compaction !== undefined);
    await talk(session, 1);
    const { messages } = server.lastRequest.body;
    assert.match(textOf(messages[0]), /three capybaras/);
    const kept = messages.map((message) => textOf(message)).filter((text) => text.includes('active task list'));
    assert.equal(kept.length, 1);
    assert.match(kept[0] ?? '', /plant the hedge \(in_progress\)/);
    assert.doesNotMatch(kept[0] ?? '', /fence/);
    const [old, now] = [await program.store?.sessions.get(before), await session.row()];
    assert.deepEqual(
      mode === '' ? [now?.id, now?.title] : [now?.parent_session_id, now?.title, old?.end_reason],
      mode === '' ? [before, 'Garden'] : [before, 'Garden #2', 'compression'],
    );
  });

test('a context engine that is not known is told once, and the built-in one does the work', async (t) => {
  await using server = await startModelServer({ respond });
  const { session, warnings } = await openChat(t, server, `context:\n  engine: lcm\n${small}`);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /context\.engine: 'lcm' is not known.*'compressor' is used/);
  await talk(session, 4);
  assert.notEqual((await session.agent.compress()).compaction, undefined);
  assert.equal(warnings.length, 1);
  assert.deepEqual((await openChat(t, server, 'context:\n  engine: compressor\n')).warnings, []);
});

/** A server that refuses whatever is longer than `tokens`, in these words. */
function refusing(tokens: number, message: string) {
  const counts = { refused: 0, answered: 0 };
  const step = (request: RecordedRequest): Step => {
    const { rawBody } = request;
    if (rawBody.length / 4 > tokens && !isSummary(request)) {
      counts.refused += 1;
      return { fault: 'status', status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
    }
    counts.answered += 1;
    return respond(request);
  };
  return { counts, step };
}

/** Grows the conversation until the server has refused it once. */
async function overflow(session: Session): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    assert.equal(errorOf(await session.agent.runConversation(`question ${turn}: ${filler.repeat(8)}`)), undefined);
  }
}

test('a window below 64,000 that a refusal named is kept after the retry and only warned of at the next start', async (t) => {
  const message = "This model's maximum context length is 32768 tokens.";
  const { counts, step } = refusing(32_768, message);
  await using server = await startModelServer({ respond: step });
  const place = placeFor(t, server, small);
  const chat = await chatAt(place);
  assert.deepEqual([chat.program.warnings, chat.session.warnings], [[], []]);
  await overflow(chat.session);
  assert.equal(counts.refused, 1);
  await chat.program.close();
  const key = `test-model@${server.url}`;
  assert.match(place.read('context_length_cache.yaml'), new RegExp(`${key}"?: 32768`));

  const { session } = await chatAt(place);
  assert.equal(session.warnings.length, 1);
  assert.match(session.warnings[0] ?? '', /32,768 tokens only.*64,000.*context_length_cache\.yaml/);
  assert.equal(session.agent.route.contextLength, 32_768);
  await overflow(session);
  assert.equal(counts.refused, 1, 'it is not run into again');
});

test('a refusal after which nothing gets through is not written down', async (t) => {
  const body = { error: { message: 'maximum context length is 32768 tokens' } };
  const refusal: Step = { fault: 'status', status: 400, body };
  let talked = 0;
  await using server = await startModelServer({
    respond(request) {
      if (isSummary(request)) return summary;
      talked += 1;
      return talked <= 8 ? answer : refusal;
    },
  });
  const place = placeFor(t, server, small);
  const { session } = await chatAt(place);
  await talk(session, 8);
  const error = errorOf(await session.agent.runConversation('one more'));
  assert.match(error ?? '', /32768|no longer fits/);
  assert.ok(!existsSync(join(place.homePath, 'context_length_cache.yaml')));
});

test('a refusal without a number goes a step down and writes nothing', async (t) => {
  const { counts, step } = refusing(32_768, 'Your input is too long for the context window of this model.');
  await using server = await startModelServer({ respond: step });
  const place = placeFor(t, server, small);
  await overflow((await chatAt(place)).session);
  assert.ok(counts.refused >= 1);
  assert.ok(!existsSync(join(place.homePath, 'context_length_cache.yaml')));
});

test('a compaction that the store refuses changes nothing: the turn goes on with the whole history, and the user is told', async (t) => {
  await using server = await startModelServer({ strict: true, respond });
  const { session, store } = await openChat(t, server, small);
  await talk(session, 4);
  const { id } = session;
  const [before, prompt] = [session.agent.history, session.agent.history.length];
  const compact = store.messages.compact.bind(store.messages);
  store.messages.compact = () => Promise.reject(new UserError('The disk is full.'));
  const refused = await session.agent.compress();
  assert.equal(refused.compaction, undefined);
  assert.match(refused.notices.join('\n'), /was not compressed.*The disk is full/);
  assert.equal(session.id, id);
  assert.deepEqual(session.agent.history, before);
  await talk(session, 1);
  assert.equal(session.agent.history.length, prompt + 2);
  assert.deepEqual((await store.messages.conversation(id)).length, prompt + 2);
  assert.equal((await session.row())?.end_reason, null);

  store.messages.compact = compact;
  assert.ok((await session.agent.compress()).compaction !== undefined);
  assert.equal(session.id, id);
  assert.deepEqual(await store.messages.conversation(id), session.agent.history);
  assert.deepEqual(server.violations, []);
});

test('a turn that must be shortened and cannot be stored so goes on as it is', async (t) => {
  const wordy: Answer = { text: filler.repeat(10), usage: { prompt_tokens: 60_000, completion_tokens: 10 } };
  await using server = await startModelServer({
    strict: true,
    respond: (request) => (isSummary(request) ? summary : wordy),
  });
  const window = 'compression:\n  threshold: 0.5\n  protect_first_n: 0\n  protect_last_n: 1\n';
  const { session, store } = await openChat(t, server, window);
  await talk(session, 3);
  session.agent.switchRoute({ ...session.agent.route, contextLength: 64_000 });
  store.messages.compact = () => Promise.reject(new UserError('The disk is full.'));
  const { events, result } = await collect(session.agent.run('go on'));
  assert.equal(result.ended, 'completed');
  const warnings = events.flatMap((event) =>
    event.type === 'status' && event.kind === 'warning' ? [event.message] : [],
  );
  assert.match(warnings.join('\n'), /was not compressed.*The disk is full/);
  assert.ok(!events.some(({ type }) => type === 'session_moved'));
  assert.equal(session.agent.history.length, 8);
});

for (const mode of ['', rotating])
  test(`after a failed summary the model is told which session holds the originals, and finds them there ${mode.trim()}`, async (t) => {
    await using server = await startModelServer({
      strict: true,
      respond: (request) => (isSummary(request) ? { fault: 'status', status: 401 } : respond(request)),
    });
    const { session, say } = await openChat(t, server, `${small}${mode}`);
    server.enqueue({ text: `The capybara lives in the third drawer. ${filler}` });
    await say('where is the capybara?');
    await talk(session, 4);
    const parent = session.id;
    const { notices } = await session.agent.compress();
    assert.match(notices.join('\n'), /no summary could be made/);
    const named = /session_search with session_id (\S+) reads them/.exec(JSON.stringify(session.agent.history))?.[1];
    assert.equal(named, parent);
    assert.doesNotMatch(JSON.stringify(session.agent.history), /third drawer/);

    const look = (args: object): Answer => ({ toolCalls: [{ name: 'session_search', arguments: args }] });
    server.enqueue(look({ session_id: named, window: 20 }), look({ query: 'capybara drawer' }), {
      text: 'In the drawer.',
    });
    await say('look it up');
    const results = session.agent.history
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content));
    assert.equal(results.length, 2);
    for (const result of results) assert.match(result, /third drawer/);
  });

test('while the original shortens a conversation it is left as it is; an expired claim is taken over and given back', async (t) => {
  await using server = await startModelServer({ respond });
  const { session, place } = await openChat(t, server, small);
  await talk(session, 4);
  const path = join(place.homePath, 'state.db');
  const before = session.agent.history;
  const asked = server.requests.length;
  const lock = (expires: number) =>
    execute(path, `INSERT OR REPLACE INTO compression_locks VALUES ('${session.id}', 'pid:1', 0, ${expires})`);
  lock(Date.now() / 1000 + 200);
  const { notices, compaction } = await session.agent.compress();
  assert.match(notices.join('\n'), /^Another program is shortening this conversation/);
  assert.equal(compaction, undefined);
  assert.deepEqual([session.agent.history, server.requests.length], [before, asked]);
  lock(Date.now() / 1000 - 1);
  assert.equal((await session.agent.compress()).compaction?.by, 'summary');
  assert.deepEqual(query(path, 'SELECT * FROM compression_locks'), []);
});

test('a failed summary is written down for every program, waited for by the next one, and forgotten after one that succeeds', async (t) => {
  let works = false;
  await using server = await startModelServer({
    respond: (request) => (isSummary(request) && !works ? { fault: 'status', status: 401 } : respond(request)),
  });
  const { session, place } = await openChat(t, server, small);
  await talk(session, 4);
  const path = join(place.homePath, 'state.db');
  const stored = () =>
    query<{ until: number | null; error: string | null; streak: number }>(
      path,
      `SELECT compression_failure_cooldown_until AS until, compression_failure_error AS error,
         compression_fallback_streak AS streak FROM sessions`,
    )[0];
  const started = Date.now() / 1000;
  await session.agent.compress();
  const { until, error, streak } = stored() ?? {};
  assert.ok((until ?? 0) > started + 25 && (until ?? 0) < Date.now() / 1000 + 31, 'half a minute');
  assert.match(error ?? '', /401/);
  assert.equal(streak, 1);
  works = true;
  await talk(session, 4);
  assert.equal((await session.agent.compress()).compaction?.by, 'summary', 'a person asks: it is not waited for');
  assert.deepEqual({ ...stored() }, { until: null, error: null, streak: 0 });
});

test('with compression.abort_on_summary_failure a chat stays whole when no summary can be made, and one line says so', async (t) => {
  await using server = await startModelServer({
    strict: true,
    respond: (request) => (isSummary(request) ? { fault: 'status', status: 401 } : respond(request)),
  });
  const { session } = await openChat(t, server, `${small}  abort_on_summary_failure: true\n`);
  await talk(session, 4);
  const before = session.agent.history;
  const { notices, compaction } = await session.agent.compress();
  assert.equal(compaction, undefined);
  assert.match(notices.join('\n'), /stays as it is, because no summary could be made \(.*abort_on_summary_failure/);
  assert.deepEqual(session.agent.history, before);
});
