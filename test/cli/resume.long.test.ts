/** Coming back to a conversation: by id, prefix, title or "the last one", with the same prompt and the same past. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startModelServer, type WireMessage } from '../fakes/model-server.ts';
import { configFor, hermes, linesOf, makePlace, shell } from './hermes-process.ts';
import { integrity, onlySession, storedMessages, storedSessions } from './stored.ts';

const pong = { text: 'PONG' };

function textOf(message: WireMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);
}

suite('resume', { concurrency: 2 }, () => {
  test('-c sends the same system prompt bytes and all earlier messages', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    server.enqueue(
      {
        text: 'Let me look.',
        reasoning: 'a file',
        toolCalls: [{ name: 'terminal', arguments: { command: 'echo from-the-tool' } }],
      },
      { text: 'The first answer.' },
      { text: 'The second answer.' },
    );
    await hermes(place, ['-z', 'the first question']);
    place.write('SOUL.md', 'You are somebody else now.\n');
    const again = await hermes(place, ['-c', '-z', 'the second question']);
    assert.deepEqual([again.code, again.stdout, again.stderr], [0, 'The second answer.\n', '']);
    const [first, second, third] = server.requests;
    const prompt = first?.body.messages[0];
    assert.equal(prompt?.role, 'system');
    assert.deepEqual(third?.body.messages[0], prompt);
    assert.deepEqual(third?.body.tools, first?.body.tools);
    const earlier = second?.body.messages ?? [];
    assert.deepEqual(third?.body.messages.slice(0, earlier.length), earlier);
    assert.deepEqual(
      third?.body.messages.slice(earlier.length).map((message) => [message.role, message.content]),
      [
        ['assistant', 'The first answer.'],
        ['user', 'the second question'],
      ],
    );
    assert.deepEqual(server.violations, []);
    assert.equal(onlySession(place).system_prompt, prompt?.content);
    assert.equal(onlySession(place).message_count, 6);
    assert.equal(onlySession(place).tool_call_count, 1);
  });

  test('the todo list of a resumed session is there again', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const todos = [
      { id: '1', content: 'water the plants', status: 'in_progress' },
      { id: '2', content: 'feed the cat', status: 'pending' },
    ];
    server.enqueue({ toolCalls: [{ name: 'todo', arguments: { todos } }] }, pong);
    await hermes(place, ['-z', 'plan my day']);
    server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, pong);
    await hermes(place, ['-c', '-z', 'what is left?']);
    const list = textOf(server.lastRequest.body.messages.at(-1));
    assert.match(list, /water the plants/);
    assert.match(list, /feed the cat/);
    assert.match(list, /in_progress/);
    assert.deepEqual(server.violations, []);
  });

  test('-r and -c find a session by id, by the beginning of an id and by title', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'about the garden']);
    const garden = onlySession(place);
    const renamed = await hermes(place, ['sessions', 'rename', garden.id, 'My', 'garden']);
    assert.equal(renamed.code, 0, renamed.stderr);
    await hermes(place, ['-z', 'about the kitchen']);
    for (const args of [
      ['-r', garden.id],
      [`--resume=${garden.id}`],
      ['-r', garden.id.slice(0, -1)],
      ['-r', 'My garden'],
      ['-c', 'My garden'],
      ['-c', garden.id],
      ['chat', '-c', 'My garden'],
      // Without quotes, up to the next flag or command.
      ['-c', 'My', 'garden'],
      ['--resume', 'My', 'garden'],
      ['-r', 'My', 'garden', 'chat'],
      ['chat', '-r', 'My', 'garden'],
      ['chat', '--resume', garden.id],
    ]) {
      const before = server.requests.length;
      const run = await hermes(place, [...args, '-z', 'go on']);
      assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', ''], args.join(' '));
      assert.equal(textOf(server.requests[before]?.body.messages[1]), 'about the garden', args.join(' '));
    }
    assert.equal(storedSessions(place.home).length, 2);
    assert.deepEqual(server.violations, []);
  });

  test('-c alone takes the newest session of the command line, not one of a tool', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'the older one']);
    await hermes(place, ['-z', 'the newest of the command line']);
    await hermes(place, ['-z', 'by a tool', '--source', 'tool']);
    for (const args of [
      ['-c', '-z', 'go on'],
      ['chat', '-c', '-Q', '-q', 'go on'],
      ['-c', 'chat', '-Q', '-q', 'go on'],
      ['--continue', '-z', 'go on'],
    ]) {
      const run = await hermes(place, args);
      assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`);
      assert.equal(textOf(server.lastRequest.body.messages[1]), 'the newest of the command line', args.join(' '));
    }
    assert.equal(storedSessions(place.home).length, 3);
  });

  test('a session that does not exist is said in so many words, and no model is asked', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    for (const [args, said] of [
      [['-c', '-z', 'hi'], 'No previous CLI session found to continue.'],
      [['-c', 'nosuch', '-z', 'hi'], "No session found matching 'nosuch'."],
      [['-c', 'nosuch'], "No session found matching 'nosuch'."],
      [['-c'], 'No previous CLI session found to continue.'],
      [['-r', 'nosuch', '-z', 'hi'], 'Session not found: nosuch'],
      [['-r', 'nosuch'], 'Session not found: nosuch'],
      [['chat', '-c', 'nosuch', '-q', 'hi'], "No session found matching 'nosuch'."],
    ] as const) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stdout], [1, ''], args.join(' '));
      assert.ok(run.stderr.includes(said), `${args.join(' ')}: ${run.stderr}`);
      assert.match(run.stderr, /hermes sessions list/);
    }
    assert.equal(server.requests.length, 0);
    assert.equal(storedSessions(place.home).length, 0);
  });

  test('-p at either end reaches the same database of the same profile', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const coder = join(place.home, 'profiles', 'coder');
    mkdirSync(coder, { recursive: true });
    writeFileSync(join(coder, 'config.yaml'), configFor(server));
    for (const args of [
      ['chat', '-p', 'coder', '-q', 'one'],
      ['-p', 'coder', 'chat', '-q', 'two'],
      ['chat', '-q', 'three', '--profile=coder'],
    ]) {
      const run = await hermes(place, args);
      assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`);
    }
    assert.deepEqual(
      storedMessages(coder)
        .filter((row) => row.role === 'user')
        .map((row) => row.content),
      ['one', 'two', 'three'],
    );
    assert.equal(existsSync(join(place.home, 'state.db')), false);
    const resumed = await hermes(place, ['-c', '-p', 'coder', '-z', 'four']);
    assert.equal(resumed.stdout, 'PONG\n');
    assert.equal(textOf(server.lastRequest.body.messages[1]), 'three');
  });

  test('session_search reads the conversations of another profile, and says so when there is none of that name', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const coder = join(place.home, 'profiles', 'coder');
    mkdirSync(coder, { recursive: true });
    writeFileSync(join(coder, 'config.yaml'), configFor(server));
    await hermes(place, ['-p', 'coder', 'chat', '-q', 'the ptarmigan is white']);
    for (const [profile, said] of [
      ['coder', /"success":true.*white/],
      ['nobody', /There is no profile 'nobody'/],
    ] as const) {
      server.enqueue({ toolCalls: [{ name: 'session_search', arguments: { query: 'ptarmigan', profile } }] });
      const run = await hermes(place, ['-z', 'what colour is it?']);
      assert.equal(run.code, 0, run.stderr);
      assert.match(textOf(server.lastRequest.body.messages.at(-1)), said);
    }
    assert.equal(storedSessions(coder).length, 1, 'nothing is written there');
  });

  test('sessions export writes JSON lines that head can cut', async (t) => {
    await using server = await startModelServer({
      respond: () => ({ text: 'x'.repeat(100_000), pieceChars: 100_000 }),
    });
    const place = makePlace(t, server);
    for (const question of ['one', 'two', 'three']) await hermes(place, ['-z', question]);
    const run = await shell(place, `"$node" "$main" sessions export - | head -1; echo "status $\{PIPESTATUS[0]}" >&2`);
    assert.equal(run.stderr, 'status 0\n');
    const [line = '', ...more] = linesOf(run.stdout);
    assert.deepEqual(more, []);
    const session = JSON.parse(line) as { id: string; messages: { role: string; content: string }[] };
    assert.deepEqual(
      session.messages.map(({ role }) => role),
      ['user', 'assistant'],
    );
  });

  test('sessions delete without a terminal deletes nothing unless told to', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'hi']);
    const { id } = onlySession(place);
    const asked = await hermes(place, ['sessions', 'delete', id]);
    assert.match(asked.stdout + asked.stderr, /cancel/i);
    assert.equal(onlySession(place).id, id);
    const told = await hermes(place, ['sessions', 'delete', id, '-y']);
    assert.equal(told.code, 0, told.stderr);
    assert.deepEqual(storedSessions(place.home), []);
  });

  test('two conversations at once in one home are both stored whole', async (t) => {
    const both = Promise.withResolvers();
    await using server = await startModelServer({
      respond: ({ body }) =>
        body.messages.length > 8
          ? pong
          : {
              gate: both.promise,
              toolCalls: [
                { id: `call_${server.requests.length}`, name: 'terminal', arguments: { command: 'echo ok' } },
              ],
            },
    });
    const place = makePlace(t, server);
    const runs = ['left', 'right', 'middle'].map((question) => hermes(place, ['-z', question]));
    await server.requestArrived(3);
    both.resolve(undefined);
    for (const run of await Promise.all(runs)) assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    for (const session of storedSessions(place.home)) {
      const rows = storedMessages(place.home).filter((row) => row.session_id === session.id);
      assert.equal(rows.length, session.message_count);
      assert.deepEqual(
        rows.map((row) => row.role),
        ['user', ...Array.from({ length: 4 }, () => ['assistant', 'tool']).flat(), 'assistant'],
      );
    }
    assert.equal(storedSessions(place.home).length, 3);
    assert.equal(integrity(place.home), 'ok');
    assert.deepEqual(server.violations, []);
  });
});
