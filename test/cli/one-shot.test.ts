/** What scripts rely on: which input `-z` reads, and what is told on stderr. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import { hermes, linesOf, makePlace, type Place, shell } from './hermes-process.ts';
import { onlySession } from './stored.ts';

const pong = { text: 'PONG' };
const onLinux = existsSync('/proc/self/fdinfo/0') ? {} : { skip: 'the system does not tell who holds a pipe' };

function lastUserText({ body }: RecordedRequest): string {
  const content = body.messages.findLast((message) => message.role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

async function asked(t: Parameters<typeof makePlace>[0], script: (place: Place) => string): Promise<string[]> {
  await using server: ModelServer = await startModelServer({ respond: () => pong });
  const place = makePlace(t, server);
  const run = await shell(place, script(place));
  assert.deepEqual([run.code, run.stderr], [0, '']);
  return server.requests.map(lastUserText);
}

suite('one-shot', { concurrency: 2 }, () => {
  test('a memory that is full is told on stderr with -z and on the line of the call with chat -q, unless it was mended', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server, 'memory:\n  memory_char_limit: 12\n');
    const add = (content: string) => ({ toolCalls: [{ name: 'memory', arguments: { action: 'add', content } }] });
    server.enqueue(add('this is much too long'), pong);
    const alone = await hermes(place, ['-z', 'remember it']);
    assert.match(alone.stderr, /^hermes: memory full \(0\/12 characters\), not saved$/m);
    server.enqueue(add('this is much too long'), pong);
    assert.match(
      (await hermes(place, ['chat', '-q', 'remember it'])).stdout,
      /\[memory full \(0\/12 characters\), not saved\]/,
    );
    server.enqueue(add('this is much too long'), add('short'), pong);
    assert.equal((await hermes(place, ['-z', 'remember it'])).stderr, '');
  });

  test('an answer after the last step is printed, told on stderr not to be the end, and exits with 1', async (t) => {
    await using server = await startModelServer({
      respond: ({ body, index }) =>
        body.tools === undefined
          ? { text: 'So far.' }
          : {
              toolCalls: [
                { name: 'todo', arguments: { todos: [{ id: `${index}`, content: 'a', status: 'pending' }] } },
              ],
            },
    });
    const place = makePlace(t, server, 'agent:\n  max_turns: 2\n');
    for (const way of [['-z'], ['chat', '-q']]) {
      const run = await hermes(place, [...way, 'work']);
      assert.equal(run.code, 1);
      assert.match(run.stdout, /So far\./);
      assert.match(run.stdout + run.stderr, /Iteration budget reached \(2\/2\)/);
    }
  });

  test('-z in `while read` leaves the input of the loop alone, be it a file or a pipe', onLinux, async (t) => {
    for (const loop of [
      'printf "one\\ntwo\\nthree\\n" > list; while read -r word',
      'printf "one\\ntwo\\nthree\\n" | while read -r word',
    ]) {
      const redirect = loop.includes('list') ? ' < list' : '';
      const questions = await asked(t, () => `${loop}; do "$node" "$main" -z "say $word"; done${redirect}`);
      assert.deepEqual(questions, ['say one', 'say two', 'say three']);
    }
  });

  test('-z reads a file, a pipe, a slow writer, and a pipe that a wrapper passes on', async (t) => {
    const forms = [
      'printf hello > note; "$node" "$main" -z look < note',
      'printf hello | "$node" "$main" -z look',
      '(sleep 1; printf hello) | "$node" "$main" -z look',
      'printf hello | timeout 60 "$node" "$main" -z look',
    ];
    for (const form of forms) assert.deepEqual(await asked(t, () => form), ['look\n\nhello'], form);
  });

  test('-z - takes the prompt from standard input, also in a script that was piped into', async (t) => {
    assert.deepEqual(await asked(t, () => '(sleep 1; printf hello) | bash -c \'"$node" "$main" -z -; true\''), [
      'hello',
    ]);
  });

  test('-z does not wait for an open pipe that nobody writes to, and says so', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const fifo = join(place.work, 'silent');
    const run = await shell(place, `mkfifo ${fifo}; exec 9<>${fifo}; "$node" "$main" -z ping <&9 9>&-`);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(run.stderr, /^hermes: standard input is open, but nothing came .*<\/dev\/null.*\n$/);
    assert.equal(lastUserText(server.lastRequest), 'ping');
  });

  test('where terminal.cwd only says "here", commands and files are where hermes was started', async (t) => {
    for (const cwd of ["''", '.', './', 'auto', 'cwd']) {
      await using server = await startModelServer();
      const place = makePlace(t, server, `terminal:\n  cwd: ${cwd}\n`);
      server.enqueue(
        { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] },
        { toolCalls: [{ name: 'terminal', arguments: { command: 'pwd; ls' } }] },
        pong,
      );
      await hermes(place, ['-z', 'go']);
      const told = JSON.stringify(server.lastRequest.body.messages.at(-1)?.content);
      assert.ok(told.includes(`${place.work}\\\\na.txt`), `${cwd}: ${told}`);
    }
  });

  test('a refusal because nobody can be asked names the switch once', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    writeFileSync(join(place.work, 'keep'), 'x');
    const call = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
    server.enqueue(call('rm -rf ./keep'), call('rm -rf ./keep ./more'), pong);
    const run = await hermes(place, ['-z', 'tidy up']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.equal(linesOf(run.stderr).length, 1, run.stderr);
    assert.match(run.stderr, /terminal.*refused.*--yolo/);
    assert.equal(existsSync(join(place.work, 'keep')), true);
    server.enqueue(call('rm -rf ./keep'), pong);
    const allowed = await hermes(place, ['-z', 'tidy up', '--yolo']);
    assert.deepEqual([allowed.code, allowed.stderr], [0, '']);
    assert.equal(existsSync(join(place.work, 'keep')), false);
  });

  test('what is waited for is told on stderr while it happens', async (t) => {
    for (const args of [
      ['-z', 'hi'],
      ['chat', '-Q', '-q', 'hi'],
    ]) {
      await using server = await startModelServer();
      server.enqueue(
        { fault: 'status', status: 429, headers: { 'retry-after': '1' }, body: { error: { message: 'slow down' } } },
        pong,
      );
      const run = await hermes(makePlace(t, server), args);
      assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
      assert.match(run.stderr, /^hermes: .*slow down.*retry 1 of/);
    }
  });

  test('an answer that was cut is printed, and ends with 1 and the reason', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'half of', finishReason: 'length' }) });
    const run = await hermes(makePlace(t, server), ['-z', 'tell me all']);
    assert.equal(run.code, 1);
    assert.match(run.stdout, /half of/);
    assert.equal(linesOf(run.stderr).length, 1, run.stderr);
  });

  test('chat -Q names the session also when there is no answer', async (t) => {
    await using server = await startModelServer({
      respond: () => ({ fault: 'status', status: 401, body: { error: { message: 'no such key' } } }),
    });
    const place = makePlace(t, server);
    const run = await hermes(place, ['chat', '-Q', '-q', 'hi']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /^hermes: .*no such key[^]*\n\nsession_id: \S+\n$/);
    assert.ok(run.stderr.includes(onlySession(place).id));
  });

  test('codes that steer a terminal are escaped on one, and left alone in a pipe', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'a\u001b[31mred\u0000b' }) });
    const place = makePlace(t, server);
    const piped = await hermes(place, ['-z', 'hi']);
    assert.equal(piped.stdout, 'a\u001b[31mred\u0000b\n');
    const found = await shell(place, 'command -v script');
    if (found.code !== 0) return t.skip('needs the program script');
    const shown = await shell(place, 'script -qec "\\"$node\\" \\"$main\\" -z hi" /dev/null < /dev/null');
    assert.match(shown.stdout, /a\\x1b\[31mred\\x00b/);
  });
});
