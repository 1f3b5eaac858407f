/** One question in, one answer out: every way to ask without sitting at a terminal. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import { hermes, linesOf, makePlace, shell, start } from './hermes-process.ts';
import { onlySession, storedMessages, storedSessions } from './stored.ts';

const sessionId = String.raw`\d{8}_\d{6}_[0-9a-f]{6}`;
const pong = { text: 'PONG' };

function lastUserText({ body }: RecordedRequest): string {
  const content = body.messages.findLast((message) => message.role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function toolNames({ body }: RecordedRequest): string[] {
  return (body.tools ?? []).map((tool) => tool.function.name);
}

suite('answers', { concurrency: 2 }, () => {
  test('-z prints the answer and nothing else', async (t) => {
    await using server = await startModelServer({ respond: () => pong, apiKey: 'test-key' });
    const place = makePlace(t, server);
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    assert.equal(lastUserText(server.lastRequest), 'ping');
    assert.deepEqual(server.violations, []);
    assert.deepEqual(
      storedMessages(place.home).map((row) => [row.role, row.content]),
      [
        ['user', 'ping'],
        ['assistant', 'PONG'],
      ],
    );
    const session = onlySession(place);
    assert.equal(session.source, 'cli');
    assert.notEqual(session.end_reason, null);
  });

  test('chat -z is the same', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await hermes(makePlace(t, server), ['chat', '-z', 'ping']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  });

  test('chat -Q -q prints the answer, and on stderr a blank line and the session id', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const run = await hermes(place, ['chat', '-Q', '-q', 'ping']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(run.stderr, new RegExp(`^\\nsession_id: ${sessionId}\\n$`));
    assert.equal(run.stderr.trim().split(' ').at(-1), onlySession(place).id);
  });

  test('chat -q shows the question, a line for each tool call, the answer and how to resume', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    writeFileSync(join(place.work, 'note.txt'), 'the note\n');
    server.enqueue(
      { toolCalls: [{ name: 'read_file', arguments: { path: 'note.txt' } }] },
      { toolCalls: [{ name: 'terminal', arguments: { command: 'exit 3' } }] },
      pong,
    );
    const run = await hermes(place, ['chat', '-q', 'what does the note say?']);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.doesNotMatch(run.stdout, /\x1b/);
    const order = ['what does the note say?', 'note.txt', 'exit 3', 'PONG', 'hermes --resume'].map((text) =>
      run.stdout.indexOf(text),
    );
    assert.ok(!order.includes(-1), run.stdout);
    assert.deepEqual(
      order,
      [...order].sort((left, right) => left - right),
    );
    assert.match(JSON.stringify(server.requests[1]?.body.messages.at(-1)), /the note/);
    assert.match(JSON.stringify(server.requests[2]?.body.messages.at(-1)), /exit_code[^,]*3/);
    assert.deepEqual(server.violations, []);
  });

  test('files that a failed patch left as they were are listed once under the answer, whichever way it is printed', async (t) => {
    const patch = '*** Begin Patch\n*** Update File: sub/__init__.py\n@@\n-not there\n+new\n*** End Patch';
    for (const args of [
      ['-z', 'go'],
      ['chat', '-q', 'go'],
      ['chat', '-Q', '-q', 'go'],
    ]) {
      await using server = await startModelServer();
      const place = makePlace(t, server);
      server.enqueue({ toolCalls: [{ name: 'patch', arguments: { mode: 'patch', patch } }] }, pong);
      const { stdout } = await hermes(place, args);
      const footer =
        'PONG\n\n⚠️ File-mutation verifier: 1 file(s) were NOT modified this turn\n- `sub/__init__.py` (error)\n';
      assert.equal(stdout.split(footer).length, 2, stdout);
      assert.equal(stdout.split('NOT modified').length, 2, stdout);
    }
  });

  test('piped text is added to the prompt of -z', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await hermes(makePlace(t, server), ['-z', 'summarise'], { stdin: 'line one\nline ünö 🦊\n' });
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(lastUserText(server.lastRequest), /^summarise\n\nline one\nline ünö 🦊\n?$/);
  });

  test('text piped into bare hermes is the question', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await shell(makePlace(t, server), 'echo hi | "$node" "$main"');
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /PONG/);
    assert.equal(lastUserText(server.lastRequest).trim(), 'hi');
  });

  test('standard input that is not UTF-8 is refused in one clear line before any request', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    for (const args of [['-z', 'what is this?'], []]) {
      const run = await hermes(makePlace(t, server), args, { stdin: Buffer.from([0x66, 0xff, 0xfe, 0x80, 0x0a]) });
      assert.deepEqual([run.code, run.stdout], [1, '']);
      assert.match(linesOf(run.stderr)[0] ?? '', /standard input is not UTF-8/);
    }
    assert.equal(server.requests.length, 0);
  });

  test('without a terminal, a question or input there is a hint instead of a hang', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await hermes(makePlace(t, server), []);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /hermes -z/);
    assert.equal(server.requests.length, 0);
  });

  test('a reader that goes away early ends the program quietly', async (t) => {
    const longAnswer = 'a line of the answer\n'.repeat(50_000);
    await using server = await startModelServer({ respond: () => ({ text: longAnswer, pieceChars: 100_000 }) });
    const place = makePlace(t, server);
    for (const args of ['-z hi', 'chat -q hi']) {
      const run = await shell(place, `"$node" "$main" ${args} | head -1; echo "status $\{PIPESTATUS[0]}"`);
      assert.equal(run.stderr, '');
      assert.equal(linesOf(run.stdout).at(-1), 'status 0');
    }
  });

  test('the model comes from -m, then HERMES_INFERENCE_MODEL, then the settings', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'one']);
    await hermes(place, ['-z', 'two'], { env: { HERMES_INFERENCE_MODEL: 'env-model' } });
    await hermes(place, ['-m', 'flag-model', '-z', 'three'], { env: { HERMES_INFERENCE_MODEL: 'env-model' } });
    await hermes(place, ['chat', '-Q', '-q', 'four', '--model', 'late-model']);
    assert.deepEqual(
      server.requests.map((request) => request.body.model),
      ['test-model', 'env-model', 'flag-model', 'late-model'],
    );
    assert.equal(place.read('config.yaml').includes('flag-model'), false);
  });

  test('-t chooses the toolsets of this run and warns about names it does not know', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'hi']);
    const all = toolNames(server.lastRequest);
    assert.ok(
      ['terminal', 'read_file', 'todo'].every((name) => all.includes(name)),
      all.join(' '),
    );
    assert.deepEqual(all, [...all].sort());
    const fewer = await hermes(place, ['-z', 'hi', '-t', 'todo']);
    assert.deepEqual([fewer.stdout, fewer.stderr], ['PONG\n', '']);
    assert.deepEqual(toolNames(server.lastRequest), ['todo']);
    await hermes(place, ['-z', 'hi', '-t', '']);
    assert.deepEqual(toolNames(server.lastRequest), all);
    const unknown = await hermes(place, ['-z', 'hi', '-t', 'todo, ,nonsense']);
    assert.deepEqual([unknown.code, unknown.stdout], [0, 'PONG\n']);
    assert.match(unknown.stderr, /nonsense/);
    assert.equal(linesOf(unknown.stderr).length, 1);
    assert.deepEqual(toolNames(server.lastRequest), ['todo']);
  });

  test('--max-turns ends a run that never stops calling tools with a summary', async (t) => {
    await using server = await startModelServer({
      respond: ({ body }) =>
        (body.tools ?? []).length === 0
          ? { text: 'I got this far.' }
          : { toolCalls: [{ name: 'terminal', arguments: { command: `echo ${body.messages.length}` } }] },
    });
    const run = await hermes(makePlace(t, server), ['-z', 'go', '--max-turns', '2']);
    assert.equal(run.stdout, 'I got this far.\n');
    assert.equal(server.requests.length, 3);
    assert.deepEqual(server.violations, []);
  });

  test('--provider demo answers offline, says that it is a demo, and really uses the tools', async (t) => {
    const place = makePlace(t);
    mkdirSync(join(place.work, 'inner'));
    writeFileSync(join(place.work, 'inner', 'unlikely-name-4711.txt'), 'x');
    const run = await hermes(place, ['--provider', 'demo', '-z', 'list files in inner']);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.match(run.stdout, /unlikely-name-4711\.txt/);
    assert.match(run.stdout, /demo/);
    assert.ok(storedMessages(place.home).some((row) => row.role === 'tool'));
    const plain = await hermes(place, ['--provider', 'demo', '-z', 'list files']);
    assert.match(plain.stdout, /inner/);
  });

  test('--source tags the session', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['chat', '-Q', '-q', 'hi', '--source', 'tool']);
    assert.equal(onlySession(place).source, 'tool');
  });

  test('Ctrl+C during an answer ends with 130, an empty stdout and a session that can go on', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const held = Promise.withResolvers();
    server.enqueue({ text: 'half an answer', gateAfterFirst: held.promise });
    const running = start(place, ['-z', 'the first question']);
    const request = await server.requestArrived(1);
    running.child.kill('SIGINT');
    const run = await running.ended;
    assert.deepEqual([run.code, run.signal, run.stdout, run.stderr], [130, null, '', '']);
    assert.equal(await request.closed, true);
    held.resolve(undefined);
    server.enqueue(pong);
    const next = await hermes(place, ['-c', '-z', 'and now?']);
    assert.deepEqual([next.code, next.stdout], [0, 'PONG\n']);
    assert.match(JSON.stringify(server.lastRequest.body.messages), /the first question/);
    assert.deepEqual(server.violations, []);
    assert.equal(storedSessions(place.home).length, 1);
  });

  test('Ctrl+C during a tool stops the tool and answers its call, so that the session can go on', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const flag = join(place.work, 'began');
    server.enqueue({
      toolCalls: [
        { id: 'call_slow', name: 'terminal', arguments: { command: `echo x > ${flag}; sleep 600; echo done > ended` } },
      ],
    });
    const running = start(place, ['-z', 'work']);
    while (!existsSync(flag)) await new Promise((resolve) => setTimeout(resolve, 10));
    running.child.kill('SIGINT');
    const run = await running.ended;
    assert.deepEqual([run.code, run.stdout], [130, '']);
    server.enqueue(pong);
    const next = await hermes(place, ['-c', '-z', 'and now?']);
    assert.equal(next.stdout, 'PONG\n');
    const answer = server.lastRequest.body.messages.find((message) => message.tool_call_id === 'call_slow');
    assert.match(JSON.stringify(answer), /cancelled|interrupted/i);
    assert.deepEqual(server.violations, []);
    assert.equal(existsSync(join(place.work, 'ended')), false);
  });

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} ends an answer like Ctrl+C does, and the conversation is closed`, async (t) => {
      await using server = await startModelServer();
      server.enqueue({ fault: 'hang' });
      const place = makePlace(t, server);
      const running = start(place, ['chat', '-Q', '-q', 'hi']);
      await server.requestArrived(1);
      running.child.kill(signal);
      const run = await running.ended;
      assert.deepEqual([run.code, run.signal, run.stdout], [130, null, '']);
      assert.match(run.stderr, /\nsession_id: \S+\n$/);
      assert.equal(onlySession(place).end_reason, 'cli_close');
    });
  }
});
