/** What every environment keeps to, whatever is behind it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Environment, RunOptions, RunResult } from '../../src/environments/environment.ts';

export interface Place {
  readonly environment: Environment;
  /** An empty directory inside the environment, where the first command starts; absolute, without links. */
  readonly directory: string;
  /** Living processes there whose command line contains the text, also after the environment was closed. */
  readonly living: (text: string) => Promise<readonly string[]>;
}

export interface ConformanceOptions {
  readonly skip?: string;
}

/** Puts the whole suite under the name of an environment; `open` makes a fresh one for each test, closed after it. */
export function conformance(
  name: string,
  open: (t: TestContext) => Promise<Place>,
  options: ConformanceOptions = {},
): void {
  const check = (what: string, body: (place: Place & Runner, t: TestContext) => Promise<void>): void => {
    test(`${name}: ${what}`, options.skip === undefined ? {} : { skip: options.skip }, async (t) => {
      const place = await open(t);
      const run = (command: string, more: Partial<RunOptions> = {}): Promise<RunResult> =>
        place.environment.run(command, { timeoutMs: 60_000, signal: new AbortController().signal, ...more });
      await body({ ...place, run }, t);
    });
  };

  check('output and exit code come back as they are', async ({ run }) => {
    const result = await run('printf a; printf b >&2; exit 3');
    assert.deepEqual(result, { output: 'ab', totalChars: 2, exitCode: 3, ended: 'exit' });
    assert.equal((await run('false')).exitCode, 1);
    assert.equal((await run('kill -9 $$')).exitCode, 137);
    assert.equal((await run('exec printf done')).output, 'done');
    assert.equal((await run("trap 'true' EXIT; exit 4")).exitCode, 4);
  });

  check('directory, exports, functions and aliases are kept; options are not', async ({ run, environment }) => {
    await run(`cd /usr; export KEPT='a "b" $c\nd'; greet() { echo "hi $1"; }; alias twice='greet greet;greet'`);
    assert.equal(environment.cwd, '/usr');
    assert.equal(
      (await run('pwd; echo "$KEPT"; greet x; twice y')).output,
      '/usr\na "b" $c\nd\nhi x\nhi greet\nhi y\n',
    );
    assert.match((await run('set -euxo pipefail; true')).output, /^\++ true\n$/);
    assert.equal((await run('false | true; echo "[$UNSET]"')).output, '[]\n');
    await run('unset KEPT; exit 0');
    assert.equal((await run('echo "[${KEPT-}]"; pwd')).output, '[]\n/usr\n');
  });

  check('text reaches the shell byte for byte, and bytes that are no text do no harm', async ({ run }) => {
    const text = 'gr\u00fc\u00df \u4f60\u597d \u{1f600} \u0001\u001e\u001f "$(id)" `id` \\ $HOME !';
    assert.equal((await run(`printf %s '${text}'`)).output, text);
    assert.equal((await run(`printf '\\377\\000\\200x'`)).output.at(-1), 'x');
    const long = 'y'.repeat(300_000);
    assert.equal((await run(`x='${long}'; echo \${#x}`)).output, '300000\n');
  });

  check('a here-document needs no line after its end, and a syntax error is a result', async ({ run }) => {
    assert.equal((await run("cat <<'E'\nhi\nE")).output, 'hi\n');
    assert.match((await run("cat <<'E'\nhi")).output, /hi\n$/);
    for (const broken of ['echo "open', 'if true', 'done', '(', 'case x in']) {
      const result = await run(broken);
      assert.notEqual(result.exitCode, 0, broken);
      assert.match(result.output, /syntax error|unexpected/, broken);
    }
    assert.equal((await run('echo next # comment')).output, 'next\n');
  });

  check('standard input is empty unless given, and then it is exact', async ({ run }) => {
    assert.equal((await run('cat; read x; echo "got:$x"')).output, 'got:\n');
    const input = 'line \u00e9\n'.repeat(20_000);
    assert.equal((await run('wc -c', { stdin: input })).output.trim(), String(Buffer.byteLength(input)));
    assert.equal((await run('true', { stdin: input })).exitCode, 0, 'input that nobody reads is no failure');
  });

  check('output is bounded, its head and tail are kept and all of it is counted', async ({ run }) => {
    const result = await run(`printf start; head -c 200000 /dev/zero | tr '\\0' x; printf end`);
    assert.equal(result.totalChars, 200_008);
    assert.ok(result.output.length < 51_000);
    assert.match(
      result.output,
      /^startx+\n\n\.\.\. \[OUTPUT TRUNCATED - \d+ chars omitted out of 200008 total\] \.\.\.\n\nx+end$/,
    );
  });

  check('output is seen while the command runs', async ({ run }) => {
    const seen = Promise.withResolvers<undefined>();
    const stop = new AbortController();
    const running = run('echo early; sleep 60', {
      signal: stop.signal,
      onOutput: (chunk) => chunk.includes('early') && seen.resolve(undefined),
    });
    await seen.promise;
    stop.abort();
    assert.equal((await running).ended, 'interrupt');
  });

  check('after a timeout nothing of the command is left, and the next one works', async ({ run, living }) => {
    const marker = uniqueSleep();
    await run('export KEPT=1');
    const result = await run(`echo begun; (setsid ${marker} &) ; ${marker} & ${marker}; echo never`, {
      timeoutMs: 1000,
    });
    assert.deepEqual([result.exitCode, result.ended, result.output], [124, 'timeout', 'begun\n']);
    assert.deepEqual(await living(marker), []);
    assert.equal((await run('echo $KEPT')).output, '1\n');
  });

  check('a deadline may be longer than timers can be', async ({ run, environment }) => {
    const timeoutMs = 2 ** 40;
    const signal = new AbortController().signal;
    assert.equal((await run('sleep 0.1; echo done', { timeoutMs })).output, 'done\n');
    const program = ['sh', '-c', 'sleep 0.1; echo done'];
    assert.equal((await environment.runProgram(program, { timeoutMs, signal, maxOutput: 10 })).output, 'done\n');
  });

  check('an interrupt ends the command with everything it started', async ({ run, living }) => {
    const marker = uniqueSleep();
    const stop = new AbortController();
    const running = run(`trap '' TERM; echo begun; ${marker}`, {
      signal: stop.signal,
      onOutput: (chunk) => chunk.includes('begun') && stop.abort(),
    });
    const result = await running;
    assert.deepEqual([result.exitCode, result.ended], [130, 'interrupt']);
    assert.deepEqual(await living(marker), []);
    assert.equal((await run('true', { signal: stop.signal })).exitCode, 130, 'and none is begun');
  });

  check(
    'a process left in the background neither holds the call nor dies with it',
    async ({ run, living, environment }) => {
      const marker = uniqueSleep();
      const { output } = await run(`${marker} & echo $!`);
      assert.equal((await run(`kill -0 ${output.trim()} && echo lives`)).output, 'lives\n');
      await environment.close();
      assert.deepEqual(await living(marker), [], 'closing ends it');
      await assert.rejects(run('true'), /closed/);
    },
  );

  check(
    'a directory for one command does not move the session; a missing one is told',
    async ({ run, directory, environment }) => {
      assert.equal((await run('pwd; cd /', { cwd: '/usr' })).output, '/usr\n');
      await run(`mkdir "it's here"`);
      assert.equal((await run('pwd', { cwd: "it's here" })).output, `${directory}/it's here\n`);
      const missing = await run('touch ran', { cwd: `${directory}/none` });
      assert.equal(missing.exitCode, 1);
      assert.match(missing.output, /no directory .*none; the command was not run/);
      assert.equal(environment.cwd, directory);
      assert.equal((await run('pwd')).output, `${directory}\n`);
    },
  );

  check('a working directory that was removed is told and left', async ({ run, directory, environment }) => {
    await run('mkdir -p a/b && cd a/b');
    await run('rm -rf a', { cwd: directory });
    const removed = await run('touch ran');
    assert.equal(removed.exitCode, 1);
    assert.match(removed.output, /a\/b no longer exists; the command was not run\. The working directory is now/);
    assert.equal(environment.cwd, directory);
    assert.equal((await run('pwd; ls')).output, `${directory}\n`);
  });

  check('the search path of the caller is kept', async ({ run, directory, environment }) => {
    await run(
      `mkdir bin && printf '#!/bin/sh\\necho mine\\n' >bin/mine && chmod +x bin/mine && export PATH="$PWD/bin:$PATH"`,
    );
    assert.equal((await run('mine; echo "${PATH%%:*}"')).output, `mine\n${directory}/bin\n`);
    assert.match((await environment.findProgram('bash')) ?? '', /^\/.*bash$/);
    assert.equal(await environment.findProgram('no-such-program-here'), undefined);
  });

  check('commands given at once run one after another', async ({ run }) => {
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    await Promise.all(numbers.map((number) => run(`export x="$x ${number}"`)));
    assert.equal((await run('echo $x')).output, `${numbers.join(' ')}\n`);
  });

  check('a program runs without the shell, with both outputs apart', async ({ environment, directory }) => {
    const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 10 };
    const script = 'printf "%s" "$1"; pwd >&2; exit 3';
    const result = await environment.runProgram(['sh', '-c', script, 'sh', "a'b $HOME"], options);
    assert.deepEqual(result, { output: "a'b $HOME", stderr: `${directory}\n`, exitCode: 3, truncated: false });
    const long = await environment.runProgram(['printf', '%s', '0123456789abc'], options);
    assert.deepEqual([long.output, long.truncated], ['0123456789', true]);
    await assert.rejects(environment.runProgram(['no-such-program-here'], options), { code: 'ENOENT' });
    const slow = await environment.runProgram(['sleep', '60'], { ...options, timeoutMs: 300 });
    assert.equal(slow.exitCode, 124);
  });

  check('variables that are provided later are seen by all that starts from then on', async ({ run, environment }) => {
    const value = 'it\'s "$(date)" `id`\n$HOME \\';
    await run('export OTHER=2');
    environment.provide({ GIVEN_KEY: value });
    assert.equal((await run('printf %s "$GIVEN_KEY$OTHER"')).output, `${value}2`);
    await run('export GIVEN_KEY=changed');
    assert.equal((await run(`sh -c 'printf %s "$GIVEN_KEY"'`)).output, 'changed', 'what a command sets is kept');
    const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 500 };
    const program = await environment.runProgram(['sh', '-c', 'printf %s "$GIVEN_KEY"'], options);
    assert.equal(program.output, value);
  });

  check(
    'files are written whole, keep their mode, and make their directories',
    async ({ run, environment, directory }) => {
      const { files } = environment;
      await files.write(files.resolve('~/first'), Buffer.from('before any command'));
      assert.equal((await run('cat ~/first')).output, 'before any command');
      const path = files.resolve('new/deep/file \u00fc.bin');
      assert.equal(path, `${directory}/new/deep/file \u00fc.bin`);
      const bytes = new Uint8Array(100_000).map((_, index) => index % 256);
      const { createdDirectories } = await files.write(path, bytes);
      assert.deepEqual(createdDirectories, [`${directory}/new`, `${directory}/new/deep`]);
      assert.deepEqual(Buffer.from(await files.read(path)), Buffer.from(bytes));
      await run(`chmod 750 '${path}'; ln -s 'new/deep/file \u00fc.bin' link`);
      assert.deepEqual(await files.write(files.resolve('link'), new Uint8Array()), { createdDirectories: [] });
      assert.equal((await files.stat(path))?.size, 0);
      assert.equal(
        (await run(`ls -l '${path}' | cut -c1-10; ls new/deep -A | wc -l`)).output.replaceAll(' ', ''),
        '-rwxr-x---\n1\n',
      );
    },
  );

  check(
    'files are found, listed, renamed and removed, and errors carry codes',
    async ({ run, environment, directory }) => {
      const { files } = environment;
      await run(`mkdir d d/sub; echo hi >d/file; ln -s d/file to-file; ln -s missing/x dangling; ln -s loop loop; touch "d/a
b" d/.hidden`);
      assert.deepEqual([...(await files.list(`${directory}/d`))].sort(), ['.hidden', 'a\nb', 'file', 'sub']);
      assert.deepEqual(await files.list(`${directory}/d/sub`), []);
      const stat = await files.stat(`${directory}/to-file`);
      assert.deepEqual([stat?.kind, stat?.size], ['file', 3]);
      assert.ok(Math.abs((stat?.modifiedMs ?? 0) - Date.now()) < 600_000);
      assert.equal((await files.stat(`${directory}/d`))?.kind, 'directory');
      assert.equal(await files.stat(`${directory}/none/none`), undefined);
      assert.equal(await files.realPath(`${directory}/to-file`), `${directory}/d/file`);
      assert.equal(await files.realPath(`${directory}/dangling`), `${directory}/missing/x`);
      assert.equal(await files.realPath(`${directory}/none/a/b`), `${directory}/none/a/b`);
      await assert.rejects(files.realPath(`${directory}/loop`), { code: 'ELOOP' });
      await files.rename(`${directory}/d/file`, `${directory}/moved`);
      assert.equal(Buffer.from(await files.read(`${directory}/moved`)).toString(), 'hi\n');
      await files.remove(`${directory}/d`);
      assert.equal(await files.stat(`${directory}/d`), undefined);
      await assert.rejects(files.read(`${directory}/none`), { code: 'ENOENT' });
      await assert.rejects(files.read(directory), { code: 'EISDIR' });
      await assert.rejects(files.list(`${directory}/none`), { code: 'ENOENT' });
      await assert.rejects(files.list(`${directory}/moved`), { code: 'ENOTDIR' });
      await assert.rejects(files.write(directory, new Uint8Array()), { code: 'EISDIR' });
      await assert.rejects(files.rename(`${directory}/none`, `${directory}/other`), { code: 'ENOENT' });
      await assert.rejects(files.remove(`${directory}/none`), { code: 'ENOENT' });
    },
  );

  check(
    'a background process is heard, ends with its code, and sees the state of the shell',
    async ({ run, environment }) => {
      await run('export KEPT=yes');
      const started = await environment.spawn('echo $KEPT; cat; echo err >&2; exit 5', { pty: false });
      let output = '';
      started.onOutput((chunk) => (output += chunk));
      assert.equal(await started.exited, 5);
      assert.equal(output, 'yes\nerr\n');
      await assert.rejects(environment.spawn('true', { cwd: '/no/such/place', pty: false }), /no such directory/);
    },
  );

  check('a background process is ended with everything it started', async ({ environment, living }) => {
    const marker = uniqueSleep();
    const started = await environment.spawn(`${marker} & ${marker}`, { pty: false });
    assert.ok(started.pid > 0);
    await until(async () => (await living(marker)).length >= 2);
    await started.kill();
    assert.deepEqual(await living(marker), []);
    assert.ok((await started.exited) > 128);
    const other = uniqueSleep();
    await environment.spawn(other, { pty: false });
    await until(async () => (await living(other)).length >= 1);
    await environment.close();
    assert.deepEqual(await living(other), [], 'closing ends it, too');
  });

  check('a program runs beside the commands, with its files and only the variables it is to have', async (place) => {
    const { run, environment, directory } = place;
    await run('export OUR_SECRET=s3cret');
    environment.provide({ GIVEN_HERE: 'yes' });
    let folder = '';
    const { out, errors, end } = await beside(environment, {
      text: 'cat "$FOLDER/note"; pwd; echo "[${OUR_SECRET-}][${GIVEN_HERE-}][$MINE]"; printf oops >&2; exit 3',
      cwd: directory,
      prepared: (at) => {
        folder = at;
        return { FOLDER: at, MINE: 'a "b" $c' };
      },
    });
    assert.equal(out, `hi\n${directory}\n[][yes][a "b" $c]\n`);
    assert.equal(errors, 'oops');
    assert.deepEqual([end.exitCode, end.ended], [3, 'exit']);
    await assert.rejects(environment.files.read(`${folder}/note`), { code: 'ENOENT' });
    assert.equal((await run('pwd')).output, `${environment.cwd}\n`);
    await assert.rejects(beside(environment, { text: 'true', cwd: '/no/such/place' }), /no such directory/);
  });

  check(
    'a program beside is ended by its deadline and by an interrupt, and leaves nothing',
    async ({ environment, directory, living }) => {
      for (const how of ['timeout', 'interrupt', 'exit'] as const) {
        const marker = uniqueSleep();
        const stop = new AbortController();
        const running = beside(environment, {
          text: how === 'exit' ? `${marker} >/dev/null 2>&1 & exit 0` : `echo begun; ${marker} & ${marker}`,
          cwd: directory,
          timeoutMs: how === 'timeout' ? 1000 : 120_000,
          signal: stop.signal,
          heard: () => how === 'interrupt' && stop.abort(),
        });
        const { end } = await running;
        assert.equal(end.ended, how);
        assert.deepEqual(await living(marker), [], how);
      }
    },
  );

  check('requests of a program beside are answered while commands run', async ({ run, environment, directory }) => {
    const asked: string[] = [];
    const text = `[ -n "\${CALLS-}" ] || { echo sockets; exit; }
for n in 1 2; do
  echo "question $n" >"$CALLS/part"; mv "$CALLS/part" "$CALLS/req-$n"
  until [ -e "$CALLS/res-$n" ]; do sleep 0.05; done
  cat "$CALLS/res-$n"
done`;
    const { out } = await beside(environment, {
      text,
      cwd: directory,
      answer: async (line) => {
        asked.push(line);
        return `${line}: ${(await run('echo answer')).output}`;
      },
    });
    if (out === 'sockets\n') return;
    assert.deepEqual(asked, ['question 1', 'question 2']);
    assert.equal(out, 'question 1: answer\nquestion 2: answer\n');
  });
}

interface Beside {
  /** Of a shell. */
  readonly text: string;
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly prepared?: (folder: string) => Readonly<Record<string, string>>;
  readonly answer?: (line: string) => Promise<string>;
  readonly heard?: () => unknown;
}

async function beside(environment: Environment, job: Beside) {
  let out = '';
  let errors = '';
  const end = await environment.runBeside({
    async prepare(folder, { sockets }) {
      await writeFile(join(folder, 'note'), 'hi\n');
      return {
        argv: ['/bin/sh', '-c', job.text],
        cwd: job.cwd,
        variables: { ...job.prepared?.(folder), ...(sockets ? {} : { CALLS: join(folder, 'calls') }) },
        ...(job.answer === undefined || sockets ? {} : { answer: job.answer }),
      };
    },
    keeps: (name) => /^(?:PATH|HOME)$/.test(name),
    timeoutMs: job.timeoutMs ?? 120_000,
    signal: job.signal ?? new AbortController().signal,
    onOutput: (bytes) => {
      out += Buffer.from(bytes).toString('utf8');
      job.heard?.();
    },
    onErrors: (bytes) => (errors += Buffer.from(bytes).toString('utf8')),
  });
  return { out, errors, end };
}

interface Runner {
  readonly run: (command: string, options?: Partial<RunOptions>) => Promise<RunResult>;
}

function uniqueSleep(): string {
  return `sleep 9${Math.floor(Math.random() * 1e12)}`;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not happen');
}
