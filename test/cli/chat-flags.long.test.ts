/** Flags of bare `hermes` and `hermes chat` that change what one run is. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, linesOf, makePlace, type Place } from './hermes-process.ts';
import { onlySession } from './stored.ts';

const pong = { text: 'PONG' };
/** The smallest PNG there is. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function git({ work }: Place, ...args: string[]): string {
  const identity = ['-c', 'user.email=a@b.c', '-c', 'user.name=n', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: work, encoding: 'utf8' });
}

function makeRepository(place: Place): void {
  git(place, 'init', '-q');
  writeFileSync(join(place.work, 'tracked.txt'), 'tracked\n');
  writeFileSync(join(place.work, '.gitignore'), '.env\n');
  writeFileSync(join(place.work, '.env'), 'A=1\n');
  writeFileSync(join(place.work, '.worktreeinclude'), '# brought along\n.env\n../secret\n');
  writeFileSync(join(place.work, '..', 'secret'), 'not yours\n');
  git(place, 'add', '.');
  git(place, 'commit', '-qm', 'first');
}

function worktreesOf({ work }: Place): string[] {
  return existsSync(join(work, '.worktrees')) ? readdirSync(join(work, '.worktrees')) : [];
}

suite('flags of a chat', { concurrency: 2 }, () => {
  test('--usage-file says what the answer took, in the words of the original', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const path = join(place.work, 'made', 'usage.json');
    const run = await hermes(place, ['-z', 'ping', '--usage-file', path]);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    const { estimated_cost_usd, cost_status, cost_source, ...report } = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual(
      [typeof estimated_cost_usd, typeof cost_status, typeof cost_source],
      ['number', 'string', 'string'],
    );
    assert.deepEqual(report, {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      total_tokens: 15,
      api_calls: 1,
      model: 'test-model',
      provider: 'custom',
      session_id: onlySession(place).id,
      completed: true,
      failed: false,
      service_tier: null,
    });
  });

  test('--checkpoints keeps files as they were, and without it nothing is kept', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    for (const [flags, count] of [
      [[], 0],
      [['--checkpoints'], 1],
    ] as const) {
      server.enqueue({ toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] }, pong);
      assert.equal((await hermes(place, ['chat', '-q', 'write', ...flags])).code, 0);
      const { stdout } = await hermes(place, ['checkpoints', 'list']);
      assert.match(stdout, new RegExp(`Projects: +${count}$`, 'm'));
    }
  });

  test('--usage-file is written when there is no answer too, with the reason', async (t) => {
    await using server = await startModelServer({
      respond: () => ({ fault: 'status', status: 401, body: { error: { message: 'no such key' } } }),
    });
    for (const place of [makePlace(t, server), makePlace(t)]) {
      const path = join(place.work, 'usage.json');
      const run = await hermes(place, ['-z', 'ping', '--usage-file', path]);
      assert.equal(run.code, 1);
      const report = JSON.parse(readFileSync(path, 'utf8'));
      assert.deepEqual([report.completed, report.failed, report.total_tokens], [false, true, 0]);
      assert.match(report.failure, /no such key|no model is set up/);
    }
  });

  test('--image sends the picture behind the question, and says what it cannot send', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    writeFileSync(join(place.work, 'pixel.png'), pixel);
    writeFileSync(join(place.work, 'text.png'), 'not a picture');
    const run = await hermes(place, ['chat', '-Q', '-q', 'what is it?', '--image', 'pixel.png']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.deepEqual(server.lastRequest.body.messages.at(-1)?.content, [
      { type: 'text', text: 'what is it?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel.toString('base64')}` } },
    ]);
    assert.deepEqual(server.violations, []);
    for (const [file, reason] of [
      ['text.png', /no picture|not a picture/],
      ['missing.png', /^hermes: There is no picture 'missing\.png'\.$/m],
      ['.', /'\.' is no picture: it is not a file/],
      ['/dev/zero', /'\/dev\/zero' is no picture: it is not a file/],
    ] as const) {
      const refused = await hermes(place, ['chat', '-Q', '-q', 'and this?', '--image', file]);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, reason);
    }
    assert.equal(server.requests.length, 1);
  });

  test('a model that cannot see says so before anything is sent', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server, '  supports_vision: false\n');
    writeFileSync(join(place.work, 'pixel.png'), pixel);
    const run = await hermes(place, ['-z', 'what is it?', '--image', 'pixel.png']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /test-model cannot see pictures, and no other model is set up to describe them/);
    assert.equal(server.requests.length, 0);
  });

  test('-w works in a git worktree of its own, which is gone afterwards', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    makeRepository(place);
    server.enqueue(
      { toolCalls: [{ name: 'terminal', arguments: { command: 'pwd; ls -A; git branch --show-current' } }] },
      pong,
    );
    const run = await hermes(place, ['chat', '-Q', '-w', '-q', 'look around']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    const seen = JSON.stringify(server.lastRequest.body.messages.at(-1));
    assert.match(seen, /\.worktrees\/hermes-[0-9a-f]{8}.*\.env.*tracked\.txt.*hermes\/hermes-[0-9a-f]{8}/s);
    assert.doesNotMatch(seen, /secret/);
    assert.match(run.stderr, /'\.\.\/secret' is left out/);
    assert.match(JSON.stringify(server.lastRequest.body.messages[0]), /git worktree of its own/);
    assert.deepEqual(worktreesOf(place), []);
    assert.equal(git(place, 'branch', '--format=%(refname:short)'), 'main\n');
    assert.match(readFileSync(join(place.work, '.gitignore'), 'utf8'), /^\.worktrees\/$/m);
    assert.equal(readFileSync(join(place.work, '.env'), 'utf8'), 'A=1\n');
  });

  test('-w keeps a worktree with commits or edits that are nowhere else, and says where', async (t) => {
    for (const [command, reason] of [
      ['echo new > new.txt', /uncommitted changes/],
      [
        'echo new > new.txt; git add -A; git -c user.email=a@b.c -c user.name=n commit -qm new',
        /commits that are nowhere else/,
      ],
    ] as const) {
      await using server = await startModelServer();
      const place = makePlace(t, server);
      makeRepository(place);
      server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command } }] }, pong);
      const run = await hermes(place, ['-z', 'work', '-w', '--yolo']);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stderr, reason);
      assert.equal(worktreesOf(place).length, 1);
    }
  });

  test('-w outside of a repository asks no model', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await hermes(makePlace(t, server), ['chat', '-w', '-q', 'hi']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /git repository/);
    assert.equal(server.requests.length, 0);
  });

  test('toolsets: a name that nobody knows is an error that names the nearest', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const wrong = await hermes(place, ['-z', 'hi', '-t', 'termnal']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /'termnal' \(did you mean 'terminal'\?\)/);
    assert.equal((await hermes(place, ['-z', 'hi', '-t', 'wat'])).code, 2);
    assert.equal(server.requests.length, 0);
    const others = await hermes(place, ['-z', 'hi', '-t', 'hermes-telegram,coding']);
    assert.deepEqual([others.code, others.stderr], [0, '']);
    assert.ok(server.lastRequest.body.tools?.some((tool) => tool.function.name === 'terminal'));
    const empty = await hermes(place, ['-z', 'hi', '-t', 'todo,spotify']);
    assert.equal(empty.code, 0);
    assert.match(empty.stderr, /^toolsets: 'spotify' brings no tools in this build\n$/);
  });

  test('--safe-mode keeps the model that works and drops everything else', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server, 'agent:\n  disabled_toolsets: [terminal]\n');
    place.write('SOUL.md', 'You are a parrot.');
    const run = await hermes(place, ['--safe-mode', '-z', 'hi']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    assert.equal(server.lastRequest.body.model, 'test-model');
    assert.doesNotMatch(JSON.stringify(server.lastRequest.body.messages[0]), /parrot/);
    assert.ok(server.lastRequest.body.tools?.some((tool) => tool.function.name === 'terminal'));
  });

  test('-s may be repeated, and switches of the original that mean nothing here are taken', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const wrong = await hermes(place, ['chat', '-s', 'nope', '-s', 'x', '-q', 'hi']);
    assert.equal(wrong.code, 1);
    assert.match(linesOf(wrong.stderr)[0] ?? '', /nope, x/);
    const run = await hermes(place, ['--cli', '--accept-hooks', '-z', 'hi']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  });

  test('a resumed session says that it works where it left off, and stays here with --no-restore-cwd, before chat or behind it', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'ping']);
    const { id } = onlySession(place);
    const elsewhere = { cwd: dirname(place.work) };
    const pwd = async (...args: string[]): Promise<readonly [string, string]> => {
      server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'pwd' } }] });
      const { stdout } = await hermes(place, args, elsewhere);
      const answered = server.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool')?.content;
      return [
        JSON.parse(typeof answered === 'string' ? answered : '{}').output,
        /^↪ restored workspace dir: (.*)$/m.exec(stdout)?.[1] ?? '',
      ];
    };
    assert.deepEqual(await pwd('chat', '--resume', id, '-q', 'where?'), [place.work, place.work]);
    assert.deepEqual(await pwd('-z', 'where?', '--resume', id), [place.work, '']);
    for (const args of [
      ['chat', '--no-restore-cwd', '--resume', id, '-q', 'where?'],
      ['--no-restore-cwd', 'chat', '--resume', id, '-q', 'where?'],
      ['--no-restore-cwd', '--resume', id, '-z', 'where?'],
    ]) {
      assert.deepEqual(await pwd(...args), [elsewhere.cwd, ''], args.join(' '));
    }
  });

  test('the name of a folder that a resume goes back to cannot write to the terminal', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const odd = join(place.work, 'odd\u001b]0;owned\u0007\u001b[2J name');
    mkdirSync(odd);
    await hermes(place, ['-z', 'ping'], { cwd: odd });
    const { stdout } = await hermes(place, ['chat', '--resume', onlySession(place).id, '-q', 'where?']);
    assert.match(stdout, /^↪ restored workspace dir: .*odd name$/m);
    assert.doesNotMatch(stdout, /\u001b\]0|\u001b\[2J|\u0007/);
  });

  test('what is said behind chat is nearer than what stands before it', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-m', 'far', 'chat', '-m', 'near', '-Q', '-q', 'ping']);
    await hermes(place, ['-m', 'far', 'chat', '-Q', '-q', 'ping']);
    assert.deepEqual(
      server.requests.map(({ body }) => body.model),
      ['near', 'far'],
    );
  });
});
