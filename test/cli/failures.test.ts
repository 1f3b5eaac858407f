/** What hermes says when a model, a setting or a stream is not in order: one clear line, the right exit code. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { configFor, hasStackTrace, hermes, linesOf, makePlace, type Run, shell, start } from './hermes-process.ts';
import { storedMessages, storedSessions } from './stored.ts';
import { freePort } from '../fakes/free-port.ts';

const pong = { text: 'PONG' };
/** Empty stdout, exit code 1, one line on stderr (and hints below it), no stack trace. */
function assertOneLine(run: Run, expected: RegExp): void {
  assert.deepEqual([run.code, run.stdout], [1, ''], run.stderr);
  assert.match(linesOf(run.stderr)[0] ?? '', expected);
  assert.ok(!hasStackTrace(run.stderr), run.stderr);
  assert.ok(linesOf(run.stderr).length <= 3, run.stderr);
}

suite('no model', { concurrency: 2 }, () => {
  test('without a model and a terminal there is guidance at once', async (t) => {
    const place = makePlace(t);
    await hermes(place, ['--version']);
    for (const args of [
      ['chat', '-q', 'hi'],
      ['-z', 'hi'],
      ['chat', '-Q', '-q', 'hi'],
    ]) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stdout], [1, ''], args.join(' '));
      assert.match(run.stderr, /hermes setup/);
      assert.match(run.stderr, /--provider demo/);
      assert.ok(!hasStackTrace(run.stderr));
    }
    assert.deepEqual(existsSync(join(place.home, 'state.db')) ? storedSessions(place.home) : [], []);
  });

  test('an unknown provider is named together with what there is', async (t) => {
    const run = await hermes(makePlace(t), ['--provider', 'nonsense', '-z', 'hi']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /nonsense/);
    assert.ok(!hasStackTrace(run.stderr));
  });
});

suite('model failures', { concurrency: 2 }, () => {
  test('a wrong key: one line that names the host and not the key', async (t) => {
    await using server = await startModelServer({ apiKey: 'the-right-key' });
    const place = makePlace(t);
    place.write('config.yaml', configFor(server).replace('test-key', 'sk-wrong-0123456789abcdef'));
    for (const args of [
      ['-z', 'ping'],
      ['chat', '-Q', '-q', 'ping'],
    ]) {
      const run = await hermes(place, args);
      assertOneLine(run, new RegExp(`127\\.0\\.0\\.1:${server.port}`));
      assert.doesNotMatch(run.stderr, /0123456789/);
    }
    const shown = await hermes(place, ['chat', '-q', 'ping']);
    assert.equal(shown.code, 1);
    assert.match(shown.stderr, /127\.0\.0\.1/);
    assert.doesNotMatch(shown.stdout + shown.stderr, /0123456789/);
  });

  test('what went wrong is found in the log, with its session and without the key', async (t) => {
    await using server = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'hi']);
    const { stdout } = await hermes(place, ['logs', 'errors']);
    const [session] = storedSessions(place.home);
    assert.match(stdout, new RegExp(`WARNING \\[${session?.id}\\] agent: .*127\\.0\\.0\\.1`));
    assert.match((await hermes(place, ['logs'])).stdout, / INFO .* agent: a turn with test-model of custom: failed/);
    assert.doesNotMatch(stdout, /test-key/);
  });

  test('a TERMINAL_ variable that means nothing is named to the model by each command, and the rest of the turn works', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    server.enqueue(
      { toolCalls: [{ name: 'terminal', arguments: { command: 'touch made' } }] },
      { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] },
      pong,
    );
    const run = await hermes(place, ['-z', 'go'], { env: { TERMINAL_TIMEOUT: '5m' } });
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    const told = server.lastRequest.body.messages.find(({ role }) => role === 'tool');
    assert.match(
      JSON.stringify(told),
      /TERMINAL_TIMEOUT: '5m' is not a number \(write seconds: 300\); no command runs until/,
    );
    assert.deepEqual(readdirSync(place.work), ['a.txt']);
  });

  test('every refusal names model, provider, host and what to do next', async (t) => {
    const next: readonly (readonly [number, RegExp])[] = [
      [400, /hermes model$/],
      [401, /hermes model$/],
      [402, /add credit.*hermes model$/],
      [403, /hermes model$/],
      [404, /hermes model$/],
      [429, /wait.*hermes fallback add$/],
      [500, /try again.*hermes fallback add$/],
    ];
    await using server = await startModelServer();
    const place = makePlace(t, server, 'agent: {api_max_retries: 0}\n');
    for (const [status, step] of next) {
      server.enqueue({ fault: 'status', status, body: { error: { message: 'No.' } } });
      const run = await hermes(place, ['-z', 'ping']);
      assertOneLine(run, /^hermes: test-model via custom \(127\.0\.0\.1:\d+\): HTTP \d+, .*No\. — /);
      assert.match(linesOf(run.stderr)[0] ?? '', step);
    }
  });

  test('-z with a provider and without a model is wrong usage, unless the configuration or the process names one', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const env = { OPENROUTER_API_KEY: 'sk-or-0123456789' };
    for (const args of [
      ['--provider', 'openrouter', '-z', 'ping'],
      ['--provider', 'openrouter', 'chat', '-Q', '-q', 'ping'],
      ['--provider', 'lmstudio', '-z', 'ping'],
    ]) {
      const run = await hermes(place, args, { env: { ...env, LM_BASE_URL: 'http://127.0.0.1:9/v1' } });
      assert.deepEqual([run.code, run.stdout], [2, ''], run.stderr);
      assert.match(run.stderr, /--model/);
      assert.ok(!hasStackTrace(run.stderr));
    }
    const keyless = await hermes(place, ['--provider', 'openrouter', '-z', 'ping']);
    assert.deepEqual([keyless.code, /--model/.test(keyless.stderr)], [2, true], 'also where a key is missing besides');
    const named = await hermes(place, ['--provider', 'custom', '-z', 'ping']);
    assert.deepEqual([named.code, named.stdout], [0, 'PONG\n']);
    place.write('config.yaml', place.read('config.yaml').replace(/ {2}default: .*\n/, ''));
    const bare = await hermes(place, ['--provider', 'custom', '-z', 'ping'], {
      env: { HERMES_INFERENCE_MODEL: 'test-model' },
    });
    assert.deepEqual([bare.code, bare.stdout], [0, 'PONG\n']);
    assert.equal((await hermes(place, ['--provider', 'demo', '-z', 'hello'])).code, 0);
  });

  test('without a key the usual variable is named', async (t) => {
    const run = await hermes(makePlace(t), ['--provider', 'anthropic', '-m', 'claude-opus-4-6', '-z', 'ping']);
    assertOneLine(run, /ANTHROPIC_API_KEY is not set/);
  });

  test('HERMES_DUMP_REQUESTS writes what was sent, for the owner only, without keys', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const directory = join(place.home, 'logs', 'requests');
    const env = { NOTES_API_KEY: 'plain-looking value 77' };
    await hermes(place, ['-z', 'ping'], { env });
    assert.equal(existsSync(directory), false);
    const run = await hermes(place, ['-z', 'ping, plain-looking value 77'], {
      env: { ...env, HERMES_DUMP_REQUESTS: '1', HERMES_DUMP_REQUEST_STDOUT: '1' },
    });
    assert.deepEqual([run.code, run.stderr], [0, '']);
    const [file = '', ...others] = readdirSync(directory);
    assert.deepEqual(others, []);
    const text = readFileSync(join(directory, file), 'utf8');
    assert.equal(run.stdout, `${text}PONG\n`);
    const dumped = JSON.parse(text);
    assert.equal(dumped.provider, 'custom');
    assert.equal(dumped.url, `${server.url}/chat/completions`);
    assert.equal(dumped.body.model, 'test-model');
    assert.match(dumped.body.messages.at(-1).content, /^ping, /);
    assert.doesNotMatch(text, /test-key|plain-looking value/);
    assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600);
  });

  test('an endpoint where nothing listens: a line for every new try, and one for the end', async (t) => {
    const port = await freePort();
    const place = makePlace(t);
    const model = `model: {provider: custom, base_url: "http://127.0.0.1:${port}/v1", default: m}\n`;
    place.write('config.yaml', `${model}agent: {api_max_retries: 2}\n`);
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    const at = `^hermes: m via custom \\(127\\.0\\.0\\.1:${port}\\): .*ECONNREFUSED.*`;
    const lines = linesOf(run.stderr);
    assert.equal(lines.length, 3, run.stderr);
    assert.match(lines[0] ?? '', new RegExp(`${at} — retry 1 of 2 in `));
    assert.match(lines[1] ?? '', new RegExp(`${at} — retry 2 of 2 in `));
    assert.match(lines[2] ?? '', new RegExp(at));
    assert.doesNotMatch(lines[2] ?? '', /retry \d/);
    assert.ok(!hasStackTrace(run.stderr));
  });

  test('a server that always fails: its message in one line, and the question is kept', async (t) => {
    await using server = await startModelServer({
      respond: () => ({ fault: 'status', status: 500, body: { error: { message: 'The backend is on fire' } } }),
    });
    const place = makePlace(t, server, 'agent: {api_max_retries: 1}\n');
    const run = await hermes(place, ['-z', 'ping']);
    assertOneLine(run, /The backend is on fire/);
    assert.equal(server.requests.length, 2);
    assert.deepEqual(
      storedMessages(place.home).map((row) => row.role),
      ['user'],
    );
  });

  test('a server that fails once is asked again: the answer is alone on stdout, stderr says why it took longer', async (t) => {
    await using server = await startModelServer();
    server.enqueue({ fault: 'status', status: 503 }, pong);
    const run = await hermes(makePlace(t, server), ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(run.stderr, /^hermes: [^\n]*HTTP 503[^\n]* — retry 1 of \d+ in [\d.]+ s\.\n$/);
  });

  test('the error page of a proxy is not printed as such', async (t) => {
    await using server = await startModelServer({ respond: () => ({ fault: 'html' }) });
    const run = await hermes(makePlace(t, server, 'agent: {api_max_retries: 0}\n'), ['-z', 'ping']);
    assertOneLine(run, /502/);
    assert.doesNotMatch(run.stderr, /<html|<!DOCTYPE/i);
  });

  test('garbage, cut streams and empty answers end in one line as well', async (t) => {
    const faults = [
      { fault: 'garbage' },
      { fault: 'malformed_json' },
      { fault: 'close_before' },
      { fault: 'reset' },
      { fault: 'error_event' },
      { fault: 'empty_choices' },
    ] as const;
    const settings = 'agent: {api_max_retries: 0}\n';
    for (const fault of faults) {
      await using server = await startModelServer({ respond: () => fault });
      const run = await hermes(makePlace(t, server, settings), ['-z', 'ping'], { env: { HERMES_STREAM_RETRIES: '0' } });
      assert.equal(run.code, 1, `${fault.fault}: ${run.stdout}${run.stderr}`);
      assert.ok(linesOf(run.stderr).length >= 1 && linesOf(run.stderr).length <= 2, `${fault.fault}: ${run.stderr}`);
      assert.ok(!hasStackTrace(run.stderr), `${fault.fault}: ${run.stderr}`);
      assert.ok(!run.stdout.includes('Partial answer'), `${fault.fault}: ${run.stdout}`);
    }
  });

  test('--verbose shows where a failure comes from', async (t) => {
    const place = makePlace(t);
    for (const args of [
      ['-z', 'hi', '--verbose'],
      ['--verbose', '-z', 'hi'],
      ['chat', '-v', '-q', 'hi'],
    ]) {
      const run = await hermes(place, args);
      assert.equal(run.code, 1);
      assert.match(run.stderr, /no model is set up/);
      assert.ok(hasStackTrace(run.stderr), `${args.join(' ')}: ${run.stderr}`);
    }
  });
});

suite('settings', { concurrency: 2 }, () => {
  test('broken YAML: a warning with its place, the defaults, and the file as it was', async (t) => {
    const place = makePlace(t);
    const broken = 'agent:\n  max_turns: 3\n  bad: [1, 2\nmodel: "x\n';
    place.write('config.yaml', broken);
    const run = await hermes(place, ['--provider', 'demo', '-z', 'hello']);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /demo/);
    assert.match(run.stderr, /config\.yaml:\d+:\d+/);
    assert.equal(linesOf(run.stderr).length, 1);
    assert.equal(place.read('config.yaml'), broken);
  });

  test('a wrong value is named by its key, the rest of the file holds', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await hermes(makePlace(t, server, 'agent: {max_turns: many}\n'), ['-z', 'hi']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(run.stderr, /agent\.max_turns/);
    assert.equal(linesOf(run.stderr).length, 1);
  });

  test('a model without room for a prompt is refused before anything is asked; a small one is told of and answers', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t);
    place.write('config.yaml', `${configFor(server)}  context_length: 1500\n`);
    const run = await hermes(place, ['-z', 'hi']);
    assertOneLine(run, /The context of test-model \(custom.*\) holds 1,500 tokens; at least 2,000 are needed/);
    assert.match(run.stderr, /num_ctx.*model\.context_length/);
    assert.equal(server.requests.length, 0);
    place.write('config.yaml', `${configFor(server)}  context_length: 8000\n`);
    const small = await hermes(place, ['-z', 'hi']);
    assert.deepEqual([small.code, small.stdout], [0, 'PONG\n']);
    assert.match(small.stderr, /^test-model has a window of 8,000 tokens .*short with few tools.*shortened early\.\n$/);
    const names = server.lastRequest.body.tools?.map((tool) => tool.function?.name).toSorted();
    assert.deepEqual(names, ['patch', 'read_file', 'search_files', 'terminal', 'write_file']);
    assert.ok(server.lastRequest.rawBody.length < 8000, `${server.lastRequest.rawBody.length} characters`);
  });

  test('a broken line of .env is named by its number, never shown, and the others count', async (t) => {
    await using server = await startModelServer({ respond: () => pong, apiKey: 'from-dotenv' });
    const place = makePlace(t);
    place.write('config.yaml', configFor(server).replace('api_key: test-key', 'key_env: MY_MODEL_KEY'));
    place.write('.env', 'FIRST=1\nthis-is-no-setting-s3cr3t-value\nMY_MODEL_KEY=from-dotenv\n');
    const run = await hermes(place, ['-z', 'hi']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(run.stderr, /\.env:2|line 2/);
    assert.equal(linesOf(run.stderr).length, 1);
    assert.doesNotMatch(run.stderr, /s3cr3t/);
  });
});

suite('streams and directory', { concurrency: 2 }, () => {
  test('a full disk behind stdout is one line', {
    skip: existsSync('/dev/full') ? false : 'needs /dev/full',
  }, async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    for (const args of ['-z hi', '--help', 'chat -q hi']) {
      const run = await shell(place, `exec "$node" "$main" ${args} > /dev/full`);
      assertOneLine(run, /cannot write the output: ENOSPC/);
    }
  });

  test('warnings that nobody reads do not cost the answer', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server, 'agent: {max_turns: many}\n');
    const { child, ended } = start(place, ['-z', 'hi']);
    child.stderr.destroy();
    const run = await ended;
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
  });

  test('closed standard input is no input', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const run = await shell(makePlace(t, server), 'exec "$node" "$main" -z hi <&-');
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  });

  test('a current directory that was removed is named as such', async (t) => {
    const place = makePlace(t);
    const run = await shell(
      place,
      'mkdir gone && cd gone && rmdir ../gone && exec "$node" "$main" --provider demo -z hi',
    );
    assertOneLine(run, /current directory/);
  });
});
