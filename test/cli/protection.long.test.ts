/** What a model cannot get the program to do or to tell, checked on the running program. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type ModelServer, type RecordedRequest, startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace, type Place } from './hermes-process.ts';

const secret = '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';

/** What the model was told about its calls in a request. */
function results(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter((message) => message.role === 'tool')
    .map((message) => (typeof message.content === 'string' ? message.content : JSON.stringify(message.content)));
}

interface ScriptedCall {
  readonly name: string;
  readonly arguments: object;
}

/** Lets the model make one call after another and returns what it was told about each. */
async function callTools(
  server: ModelServer,
  place: Place,
  calls: readonly ScriptedCall[],
  flags: readonly string[] = [],
): Promise<string[]> {
  for (const call of calls) server.enqueue({ toolCalls: [call] });
  server.enqueue({ text: 'done' });
  const run = await hermes(place, ['-z', 'go', ...flags]);
  assert.deepEqual([run.code, run.stdout], [0, 'done\n'], run.stderr);
  assert.doesNotMatch(run.stderr, /sk-or-v1/);
  assert.deepEqual(server.violations, []);
  return results(server.lastRequest);
}

const terminal = (command: string): ScriptedCall => ({ name: 'terminal', arguments: { command } });

suite('protection', { concurrency: 2 }, () => {
  test('a key in .env is neither in the environment of commands nor in what the model is told', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    place.write('.env', `OPENROUTER_API_KEY=${secret}\n`);
    const [env, value, whole] = await callTools(
      server,
      place,
      [
        terminal('env'),
        terminal('echo "it is ${OPENROUTER_API_KEY:-not there}"; echo ${#OPENROUTER_API_KEY}'),
        terminal(`cat ${place.home}/.env ; true`),
      ],
      ['--yolo'],
    );
    assert.match(env ?? '', /HOME=/);
    assert.doesNotMatch(env ?? '', /OPENROUTER_API_KEY/);
    assert.match(value ?? '', /it is not there\\n0/);
    assert.doesNotMatch(whole ?? '', /0f1e2d3c/);
    for (const request of server.requests) assert.ok(!request.rawBody.includes(secret));
  });

  test('what approvals.deny names is never run, however it is written and also under --yolo', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const config = place.read('config.yaml');
    place.write('config.yaml', `${config}\napprovals: {deny: ["GIT push*", "touch [a-c]?.txt"]}\n`);
    const commands = [
      'git push',
      'gi""t  push',
      'cd . && /usr/bin/git push origin',
      "bash -c 'Git push'",
      'touch b1.txt',
    ];
    const told = await callTools(server, place, [...commands, 'echo "no git push"'].map(terminal), ['--yolo']);
    for (const [at, command] of commands.entries()) assert.match(told[at] ?? '', /BLOCKED.*approvals\.deny/, command);
    assert.match(told.at(-1) ?? '', /no git push/);
    assert.doesNotMatch(told.at(-1) ?? '', /BLOCKED/);
  });

  test('a key that the shell exported is not in the environment of commands', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    server.enqueue({ toolCalls: [terminal('echo "it is ${OPENROUTER_API_KEY:-not there}"')] }, { text: 'done' });
    await hermes(place, ['-z', 'go'], { env: { OPENROUTER_API_KEY: secret } });
    assert.match(results(server.lastRequest)[0] ?? '', /it is not there/);
  });

  test('a variable that terminal.env_passthrough names reaches commands, unless it is the key of a provider', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server, 'terminal: {env_passthrough: [MY_APP_TOKEN, OPENROUTER_API_KEY]}\n');
    const show = 'echo "${#MY_APP_TOKEN} ${#OTHER_TOKEN} ${#OPENROUTER_API_KEY}"';
    server.enqueue({ toolCalls: [terminal(show)] }, { text: 'done' });
    const env = { MY_APP_TOKEN: 'for-the-app', OTHER_TOKEN: 'for-others', OPENROUTER_API_KEY: secret };
    await hermes(place, ['-z', 'go'], { env });
    assert.match(results(server.lastRequest)[0] ?? '', /"output":"11 0 0"/);
  });

  test('the file tools do not open the .env of the home, by whatever path', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    place.write('.env', `OPENROUTER_API_KEY=${secret}\n`);
    const before = place.read('.env');
    const told = await callTools(server, place, [
      { name: 'read_file', arguments: { path: join(place.home, '.env') } },
      { name: 'read_file', arguments: { path: '../home/.hermes/.env' } },
      { name: 'read_file', arguments: { path: '~/.hermes/.env' } },
      { name: 'search_files', arguments: { pattern: 'OPENROUTER', path: place.home } },
    ]);
    for (const text of told) assert.doesNotMatch(text, /0f1e2d3c/);
    for (const text of told.slice(0, 3)) assert.match(text, /error/i);
    assert.equal(place.read('.env'), before);
  });

  test('the file tools do not write the .env of the home, even with --yolo, and the answer says so', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const path = place.write('.env', 'A=1\n');
    server.enqueue({ toolCalls: [{ name: 'write_file', arguments: { path, content: 'A=2\n' } }] }, { text: 'done' });
    const run = await hermes(place, ['-z', 'go', '--yolo']);
    assert.match(run.stdout, /^done\n\n.*NOT modified.*\n.*\.env/);
    assert.match(results(server.lastRequest)[0] ?? '', /error/i);
    assert.equal(place.read('.env'), 'A=1\n');
  });

  test('a dangerous command is refused where nobody can be asked, and does not run', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const precious = join(place.work, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'letter.txt'), 'dear');
    const [told] = await callTools(server, place, [terminal(`rm -rf ${precious}`)]);
    assert.equal((JSON.parse(told ?? '{}') as { status?: string }).status, 'blocked');
    assert.ok(existsSync(join(precious, 'letter.txt')));
  });

  test('--yolo lets a dangerous command run', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const target = join(place.work, 'rubbish');
    mkdirSync(target);
    const [told] = await callTools(server, place, [terminal(`rm -rf ${target}`)], ['--yolo']);
    assert.match(told ?? '', /exit_code[^,]*0/);
    assert.equal(existsSync(target), false);
  });

  test('HERMES_YOLO_MODE does the same as --yolo', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    const target = join(place.work, 'rubbish');
    mkdirSync(target);
    server.enqueue({ toolCalls: [terminal(`rm -rf ${target}`)] }, { text: 'done' });
    const run = await hermes(place, ['-z', 'go'], { env: { HERMES_YOLO_MODE: '1' } });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(existsSync(target), false);
  });

  test('the hardline list holds even with --yolo', async (t) => {
    // Named like a disk but not there: were the call not refused, it could do no harm.
    const absentDisk = '/dev/sdzy';
    assert.equal(existsSync(absentDisk), false);
    await using server = await startModelServer();
    const told = await callTools(
      server,
      makePlace(t, server, 'approvals: {mode: "off"}\n'),
      [terminal(`mkfs.ext4 ${absentDisk}`), terminal(`sudo -n mkfs.ext4 ${absentDisk}`)],
      ['--yolo'],
    );
    for (const text of told) {
      const { status, output } = JSON.parse(text) as { status?: string; output?: string };
      assert.deepEqual([status, output], ['blocked', ''], text);
    }
  });

  test('approvals.headless: approve lets a dangerous command run', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server, 'approvals: {headless: approve}\n');
    const target = join(place.work, 'rubbish');
    mkdirSync(target);
    await callTools(server, place, [terminal(`rm -rf ${target}`)]);
    assert.equal(existsSync(target), false);
  });

  test('control sequences in an answer do not reach the terminal of chat -q', async (t) => {
    await using server = await startModelServer({
      respond: () => ({ text: 'red \x1b[31malert\x1b[0m \x1b]0;owned\x07 end' }),
    });
    const run = await hermes(makePlace(t, server), ['chat', '-q', 'hi']);
    assert.match(run.stdout, /red .*alert.* end/);
    assert.doesNotMatch(run.stdout, /\x1b|\x07/);
  });

  test('a loaded skill gets the variables it declares, masked, and never the key of a provider', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    place.write(
      '.env',
      `OPENROUTER_API_KEY=${secret}\nNOTES_API_KEY=plain-looking value 77\nIDLE_API_KEY=not-declared-1\n`,
    );
    const needs = 'required_environment_variables: [NOTES_API_KEY, OPENROUTER_API_KEY, UNSET_API_KEY]';
    place.write('skills/notes/SKILL.md', `---\nname: notes\ndescription: About notes\n${needs}\n---\nUse it.\n`);
    const show = 'echo "${#NOTES_API_KEY} ${#OPENROUTER_API_KEY} ${#IDLE_API_KEY}"; echo "it is: $NOTES_API_KEY"';
    const [before, , after] = await callTools(server, place, [
      terminal(show),
      { name: 'skill_view', arguments: { name: 'notes' } },
      terminal(show),
    ]);
    assert.match(before ?? '', /"output":"0 0 0\\nit is:"/);
    assert.match(after ?? '', /"output":"22 0 0\\nit is: \S/);
    for (const request of server.requests) assert.ok(!request.rawBody.includes('plain-looking'));
  });
});
