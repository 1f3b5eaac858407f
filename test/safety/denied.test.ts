/** `approvals.deny`: what the owner never wants to be run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedBy } from '../../src/safety/commands/denied.ts';
import { globMatch } from '../../src/safety/glob-match.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace } from '../cli/hermes-process.ts';

const place = { userHome: '/home/me', homePath: '/home/me/.hermes', cwd: '/work' };

test('a pattern forbids a command however it is dressed up, and nothing else', () => {
  const denied = (command: string) => deniedBy(command, ['git push*', 'docker [rs]*'], place) !== undefined;
  for (const command of [
    'git push',
    'GIT  push origin main',
    'gi""t push',
    'cd src && sudo git push --force',
    "bash -c 'git push'",
    'docker rm x',
    'ｇit push',
  ]) {
    assert.ok(denied(command), command);
  }
  for (const command of ['git pull', 'echo git push', 'docker ps', 'git']) assert.ok(!denied(command), command);
});

test('patterns are those of fnmatch, and many stars cost no time', () => {
  assert.ok(globMatch('a[!b-d]?*z', 'Axyz') && !globMatch('a[!b-d]?*z', 'abyz') && globMatch('[]', '[]'));
  assert.ok(!globMatch(`${'*a'.repeat(200)}b`, 'a'.repeat(20_000)));
});

test('it is refused with approvals switched off too, and the model is told whose word that is', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'git push' } }] }, { text: 'Not pushed.' });
  const home = makePlace(t, server, 'approvals: {deny: ["git push*"]}\n');
  const run = await hermes(home, ['--yolo', '-z', 'push it']);
  assert.equal(run.stdout, 'Not pushed.\n');
  assert.match(server.lastRequest.rawBody, /the owner of this machine forbids commands like 'git push\*'/);
});
