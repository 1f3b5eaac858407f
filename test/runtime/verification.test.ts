/** A session that changed code is asked for a check before it ends a turn. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor, textOf } from './support.ts';

interface Options {
  readonly isWorkspace?: boolean;
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly surface?: string;
}

/** A session in a project whose one check fails while `a.js` holds the word broken. */
async function openVerified(t: TestContext, server: ModelServer, options: Options = {}) {
  const { isWorkspace = true, config = '', env = {}, surface = 'cli' } = options;
  const place = placeFor(t, server, config, { env });
  if (isWorkspace) {
    place.put('package.json', '{}');
    place.put('scripts/run_tests.sh', 'if grep -qs broken a.js; then echo a test failed; exit 1; fi\n');
  }
  const { session } = await chatAt(place, { surface, mode: { yolo: true } });
  return {
    session,
    place,
    requests: () => server.requests.length,
    lastText: (index: number) => textOf(server.requests[index]?.body.messages.at(-1)),
  };
}

const edit = (path: string, content = 'let x = 1;\n') => ({
  toolCalls: [{ name: 'write_file', arguments: { path, content } }],
});
const run = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
const check = run('bash scripts/run_tests.sh');
const done = { text: 'Done.' };

test('an answer after unchecked changes is held, at most twice in a turn, and nothing of the question is stored', async (t) => {
  await using server = await startModelServer();
  const { session, requests, lastText } = await openVerified(t, server);
  server.enqueue(edit('a.js'), { text: 'First.' }, { text: 'Second.' }, { text: 'Third.' });
  const result = await session.agent.runConversation('go');
  assert.deepEqual([result.ended, result.finalResponse, requests()], ['completed', 'Third.', 4]);
  assert.match(lastText(2), /^\[System: You changed code.*unverified.*a\.js.*scripts\/run_tests\.sh/s);
  const answers = session.agent.history.filter(({ role }) => role === 'assistant').slice(1);
  assert.deepEqual(
    answers.map((message) => (message.role === 'assistant' ? [message.content, message.finish_reason] : [])),
    [
      ['First.', 'verification_required'],
      ['Second.', 'verification_required'],
      ['Third.', 'stop'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(session.agent.history), /\[System:/);
  server.enqueue(done);
  assert.equal((await session.agent.runConversation('thanks')).finalResponse, 'Done.');
  assert.equal(requests(), 5, 'a turn without changes asks for nothing');
  assert.deepEqual(server.violations, []);
});

test('a check that passed ends the turn, one that failed or is older than a change does not', async (t) => {
  await using server = await startModelServer();
  const { session, requests, lastText } = await openVerified(t, server);
  server.enqueue(edit('a.js'), check, done);
  await session.agent.runConversation('go');
  assert.equal(requests(), 3);
  server.enqueue(edit('a.js', 'broken\n'), check, done, edit('a.js'), check, { text: 'Mended.' });
  const mended = await session.agent.runConversation('again');
  assert.equal(mended.finalResponse, 'Mended.');
  assert.match(lastText(6), /State: failed.*`scripts\/run_tests\.sh`.*\n> a test failed/s);
  server.enqueue(check, edit('a.js', 'let y;\n'), done, check, done);
  await session.agent.runConversation('once more');
  assert.match(lastText(12), /State: stale/);
  assert.equal(requests(), 14);
  assert.deepEqual(server.violations, []);
});

test('prose, a folder without code, another surface and a switch ask for nothing', async (t) => {
  await using server = await startModelServer({ respond: () => done });
  const places = [
    { edited: 'README.md' },
    { edited: 'a.js', isWorkspace: false },
    { edited: 'a.js', config: 'agent:\n  verify_on_stop: false\n' },
    { edited: 'a.js', config: 'agent:\n  coding_context: off\n' },
    { edited: 'a.js', config: 'agent:\n  verify_on_stop: true\n', env: { HERMES_VERIFY_ON_STOP: '0' } },
    { edited: 'a.js', surface: 'telegram' },
  ];
  for (const { edited, ...options } of places) {
    const { session, requests } = await openVerified(t, server, options);
    const before = requests();
    server.enqueue(edit(edited));
    await session.agent.runConversation('go');
    assert.equal(requests() - before, 2, JSON.stringify(options));
  }
  const forced = await openVerified(t, server, { surface: 'telegram', config: 'agent:\n  verify_on_stop: true\n' });
  const before = server.requests.length;
  server.enqueue(edit('a.js'));
  await forced.session.agent.runConversation('go');
  assert.equal(server.requests.length - before, 4);
});

test('when the steps run out or the model fails meanwhile, the held answer is the reply', async (t) => {
  await using server = await startModelServer();
  const few = await openVerified(t, server, { config: 'agent:\n  max_turns: 3\n' });
  server.enqueue(edit('a.js'), { text: 'Held.' }, run('ls'));
  const result = await few.session.agent.runConversation('go');
  assert.deepEqual([result.ended, result.finalResponse, server.requests.length], ['budget', 'Held.', 3]);
  const failing = await openVerified(t, server);
  server.enqueue(edit('a.js'), { text: 'Held.' }, { fault: 'status', status: 401 });
  const failed = await failing.session.agent.runConversation('go');
  assert.deepEqual([failed.ended, failed.finalResponse], ['partial', 'Held.']);
});

test('without a record that can be written the turn ends as always', async (t) => {
  await using server = await startModelServer();
  const { session, requests, place } = await openVerified(t, server);
  writeFileSync(join(place.homePath, 'verification_evidence.db'), 'this is no database at all. '.repeat(100));
  server.enqueue(edit('a.js'), done);
  assert.equal((await session.agent.runConversation('go')).finalResponse, 'Done.');
  assert.equal(requests(), 2);
});
