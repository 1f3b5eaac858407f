/** A conversation whose commands and files are on another machine, and one whose are in a container. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noSshServer, startSshServer } from '../environments/ssh-server.ts';
import { living, makeDirectory, uniqueSleep, until } from '../environments/support.ts';
import { fakeEngine } from '../fakes/container-engine.ts';
import { startDaytonaServer } from '../fakes/daytona-server.ts';
import { startModalServer } from '../fakes/modal-server.ts';
import { startModelServer, type Step } from '../fakes/model-server.ts';
import { hermes, makePlace, start } from './hermes-process.ts';

const call = (name: string, args: Readonly<Record<string, unknown>>): Step => ({
  toolCalls: [{ name, arguments: args }],
});

const work: readonly Step[] = [
  call('terminal', { command: 'mkdir made; cd made; export SEEN=yes; pwd' }),
  call('write_file', { path: 'note.txt', content: 'from here\n' }),
  call('terminal', { command: 'cat note.txt; echo $SEEN; env | grep -c OPENAI' }),
  call('read_file', { path: '~/made/note.txt' }),
  call('search_files', { pattern: 'from', path: '.' }),
  call('skill_view', { name: 'own' }),
  { text: 'Done.' },
];

/** The results of the calls, as the model got them with its last request. */
function resultsOf(messages: readonly { readonly role: string; readonly content: unknown }[]): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' && typeof content === 'string' ? [content] : []));
}

test('over ssh', noSshServer() === undefined ? {} : { skip: noSshServer() ?? '' }, async (t) => {
  await using server = await startModelServer();
  server.enqueue(...work);
  const scratch = makeDirectory(t);
  const ssh = await startSshServer(t, scratch);
  const place = makePlace(
    t,
    server,
    `terminal: {backend: ssh, ssh_host: 127.0.0.1, ssh_user: ${ssh.user}, ssh_port: ${ssh.port}, ssh_key: ${ssh.key}}\napprovals: {mode: off}\n`,
  );
  const programs = makeDirectory(t);
  // The files of ssh are looked for in the home of the account, whatever HOME says.
  writeFileSync(join(programs, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${ssh.clientArgs.join(' ')} "$@"\n`);
  chmodSync(join(programs, 'ssh'), 0o755);
  mkdirSync(join(place.home, 'skills/own'), { recursive: true });
  writeFileSync(join(place.home, 'skills/own/SKILL.md'), '---\nname: own\ndescription: Mine.\n---\nGo.\n');
  const run = await hermes(place, ['-z', 'go'], {
    env: { PATH: `${programs}:${place.env['PATH']}`, OPENAI_API_KEY: 'k' },
  });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'Done.\n', '']);
  const results = resultsOf(server.requests.at(-1)?.body.messages ?? []);
  assert.match(results[0] ?? '', new RegExp(`"output":\\s*"${ssh.home}/made`));
  assert.match(results[2] ?? '', /from here\\nyes\\n0/);
  assert.match(results[3] ?? '', /from here/);
  assert.match(results[4] ?? '', /note\.txt/);
  assert.match(results[5] ?? '', new RegExp(`"skill_dir":\\s*"${ssh.home}/.hermes/skills/own"`));
  assert.equal(readFileSync(join(ssh.home, 'made/note.txt'), 'utf8'), 'from here\n');
  assert.ok(existsSync(join(ssh.home, '.hermes/skills/own/SKILL.md')));
});

test('in a container, where nobody is asked since it is the boundary', async (t) => {
  await using server = await startModelServer();
  server.enqueue(call('terminal', { command: 'mkdir x; rm -rf x; git push --force; echo $?' }), { text: 'Done.' });
  const inside = makeDirectory(t);
  const engine = fakeEngine(makeDirectory(t), inside);
  const place = makePlace(t, server, `terminal: {backend: docker, cwd: ${inside}}\n`);
  const run = await hermes(place, ['-z', 'go'], { env: { HERMES_DOCKER_BINARY: engine.program } });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'Done.\n', '']);
  const [result = ''] = resultsOf(server.requests.at(-1)?.body.messages ?? []);
  assert.match(result, /"exit_code":\s*0/);
  assert.ok(existsSync(join(place.home, 'sandboxes/docker/default/home')));
});

test('in the cloud, as in a container, with the key in the file of secrets', async (t) => {
  await using server = await startModelServer();
  server.enqueue(call('terminal', { command: 'git push --force; env | grep -c dtn_; pwd' }), { text: 'Done.' });
  const daytona = await startDaytonaServer(t, makeDirectory(t));
  const place = makePlace(t, server, 'terminal: {backend: daytona}\n');
  place.write('.env', `DAYTONA_API_KEY=${daytona.key}\n`);
  const run = await hermes(place, ['-z', 'go'], { env: { DAYTONA_API_URL: daytona.url } });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'Done.\n', '']);
  const [result = ''] = resultsOf(server.requests.at(-1)?.body.messages ?? []);
  assert.match(result, /\\n0\\n/);
  const [sandbox] = daytona.sandboxes;
  assert.ok(result.includes(sandbox?.home ?? 'none'));
  assert.equal(sandbox?.state, 'stopped');
});

test('a script in a container calls the tools of the conversation, without a question', {
  skip: existsSync('/usr/bin/python3') ? false : 'there is no /usr/bin/python3',
}, async (t) => {
  await using server = await startModelServer();
  const code = `import os
from hermes_tools import terminal, write_file
print(terminal("pwd; echo $SEEN")["output"], write_file("b.txt", "tea").get("error"), os.environ.get("SEEN"), os.getcwd())
terminal("rm -rf b.txt")`;
  server.enqueue(
    call('terminal', { command: 'export SEEN=yes; pwd' }),
    call('execute_code', { code }),
    call('execute_code', { code: 'print("x" * 9)', language: 'cobol' }),
    { text: 'Done.' },
  );
  const inside = makeDirectory(t);
  const engine = fakeEngine(makeDirectory(t), inside);
  const place = makePlace(t, server, `terminal: {backend: docker, cwd: ${inside}}\n`);
  const run = await hermes(place, ['-z', 'go'], { env: { HERMES_DOCKER_BINARY: engine.program } });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'Done.\n', '']);
  const [, script = '', unknown = ''] = resultsOf(server.requests.at(-1)?.body.messages ?? []);
  assert.ok(script.includes(`${inside}\\nyes None None ${inside}`), script);
  assert.match(script, /"status":"success".*"tool_calls_made":3/);
  assert.match(unknown, /language/);
  assert.ok(!existsSync(join(inside, 'b.txt')));
});

test('in the cloud of Modal, over its own library, with files that are there the next time', async (t) => {
  await using server = await startModelServer();
  const modal = await startModalServer(t, makeDirectory(t));
  const place = makePlace(t, server, 'terminal: {backend: modal}\n');
  const { tokenId, tokenSecret } = modal.token;
  place.write('.env', `MODAL_TOKEN_ID=${tokenId}\nMODAL_TOKEN_SECRET=${tokenSecret}\n`);
  for (const command of ['echo kept >note; env | grep -c MODAL', 'cat note']) {
    server.enqueue(call('terminal', { command }), { text: 'Done.' });
    const run = await hermes(place, ['-z', 'go'], { env: { MODAL_SERVER_URL: modal.url } });
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'Done.\n', '']);
  }
  const [first, second] = server.requests
    .map(({ body }) => resultsOf(body.messages).at(-1) ?? '')
    .filter((result) => result !== '');
  assert.match(first ?? '', /"output":\s*"0"/);
  assert.match(second ?? '', /"output":\s*"kept"/);
  assert.deepEqual(
    modal.sandboxes.map(({ isRunning }) => isRunning),
    [false, false],
  );
});

test('what runs in a container ends with a program that is killed', {
  skip: process.platform !== 'linux',
}, async (t) => {
  await using server = await startModelServer();
  const marker = uniqueSleep();
  server.enqueue(call('terminal', { command: `${marker}; true` }));
  const engine = fakeEngine(makeDirectory(t), makeDirectory(t));
  const place = makePlace(t, server, `terminal: {backend: docker}\n`);
  const { child, ended } = start(place, ['-z', 'go'], { env: { HERMES_DOCKER_BINARY: engine.program } });
  await until(() => living(marker).length > 0, 'it runs', 30_000);
  child.kill('SIGKILL');
  await ended;
  await until(() => living(marker).length === 0, 'nothing is left');
});
