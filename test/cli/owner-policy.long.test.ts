/** What the owner wrote down, from the outside: nobody is there, and the model tries everything. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace, type Place } from './hermes-process.ts';

const owner = 'approvals:\n  default: ask\n  allow: [echo, cat, ls, git status]\n  deny: [rm, sudo]\n';

const harmless: readonly (readonly [string, RegExp])[] = [
  ['echo one', /one/],
  ['echo "two words"', /two words/],
  ["echo 'sudo rm -rf /'", /sudo rm -rf/],
  ['echo $HOME', /\//],
  ['echo "$((1 + 2))"', /3/],
  ['ls -la | cat', /notes/],
  ['ls; echo done', /done/],
  ['ls missing 2>/dev/null || echo none', /none/],
  ['cat notes.txt 2>&1', /remember/],
  ['cat notes.txt other.txt', /remember[^]*other/],
  ['cat <<EOF\nhere\nEOF', /here/],
  ["cat <<'EOF' | cat\nrm -rf x\nEOF", /rm -rf x/],
  ['cat < notes.txt', /remember/],
  ['cat <<< word', /word/],
  ['echo a && echo b', /a.+b/],
  ['git status --short', /notes/],
  ['git status', /notes/],
  ['(cd sub && ls)', /inside/],
  ['for f in *.txt; do echo "file $f"; done', /file notes/],
  ['echo "$(cat notes.txt)"', /remember/],
  ['if [ -f notes.txt ]; then echo there; fi', /there/],
  ["bash -c 'echo inner'", /inner/],
  ['x=5; echo "x is $x"', /x is 5/],
  ['/bin/echo path', /path/],
  ['echo a > /dev/null; echo b', /b/],
];

const hostile: readonly string[] = [
  'rm notes.txt',
  'touch made',
  'echo x > made',
  'echo x >> notes.txt',
  'cat notes.txt | tee made',
  'echo $(touch made)',
  'echo `touch made`',
  'cat <(touch made)',
  'cat <<EOF\n$(touch made)\nEOF',
  'ls | xargs touch made',
  "bash -c 'touch made'",
  'eval "touch made"',
  "python3 -c \"open('made', 'w')\"",
  'echo() { touch made; }; echo x',
  'alias ls="touch made"; ls',
  "trap 'touch made' EXIT",
  'PATH=.:$PATH ls2',
  './ls',
  'git -c core.fsmonitor="touch made" status',
  'git stash',
  'sudo touch made',
  '$(echo touch) made',
  'x=touch; $x made',
  'echo "${x:=$(touch made)}"',
  'cp notes.txt made',
  'find . -name notes.txt -exec cp {} made ;',
  'ls &> made',
  '{ echo x; } > made',
  'exec > made; echo x',
  'mkdir made',
  'export BASH_ENV=./ls; bash -c ls',
  'env touch made',
  'command touch made',
  'time touch made',
  '! touch made',
  'coproc touch made',
  'ls && touch made',
  "node -e \"require('fs').writeFileSync('made', '')\"",
  'awk \'BEGIN { print 1 > "made" }\'',
  'sed -n "w made" notes.txt',
];

function prepare(place: Place): void {
  writeFileSync(join(place.work, 'notes.txt'), 'remember\n');
  writeFileSync(join(place.work, 'other.txt'), 'other\n');
  writeFileSync(join(place.work, 'ls'), '#!/bin/sh\ntouch made\n', { mode: 0o755 });
  mkdirSync(join(place.work, 'sub'));
  writeFileSync(join(place.work, 'sub', 'inside'), '');
}

const call = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });

test('what is allowed runs, however it is written', async (t) => {
  await using server = await startModelServer();
  const place = makePlace(t, server, owner);
  prepare(place);
  execFileSync('git', ['init', '-q'], { cwd: place.work });
  server.enqueue(...harmless.map(([command]) => call(command)), { text: 'Done.' });
  const run = await hermes(place, ['-z', 'look around']);
  assert.equal(run.stdout, 'Done.\n', run.stderr);
  const results = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  assert.equal(results.length, harmless.length);
  for (const [index, [command, expected]] of harmless.entries()) {
    assert.match(JSON.stringify(results[index]?.content), expected, command);
    assert.doesNotMatch(JSON.stringify(results[index]?.content), /BLOCKED/, command);
  }
});

test('nothing else has an effect, however it hides', async (t) => {
  await using server = await startModelServer();
  const place = makePlace(t, server, owner);
  prepare(place);
  const before = readdirSync(place.work);
  // A model that is refused again and again is stopped: a few at a time.
  for (let from = 0; from < hostile.length; from += chunk) {
    const commands = hostile.slice(from, from + chunk);
    server.enqueue(...commands.map(call), { text: 'Done.' });
    assert.equal((await hermes(place, ['-z', 'do it'])).stdout, 'Done.\n');
    const results = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
    for (const [index, command] of commands.entries()) {
      assert.match(JSON.stringify(results[index]?.content), /BLOCKED/, command);
    }
  }
  assert.deepEqual(readdirSync(place.work), before);
  assert.equal(readFileSync(join(place.work, 'notes.txt'), 'utf8'), 'remember\n');
});

const chunk = 4;
const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed';

test('what is unknown runs confined without a question, and what it wants outside is told', { skip }, async (t) => {
  await using server = await startModelServer();
  const place = makePlace(t, server);
  prepare(place);
  const outside = join(place.home, '..', 'outside.txt');
  server.enqueue(
    call('sh -c "echo inside > made; x=1; ls"'),
    call(`node -e "require('fs').writeFileSync('${outside}', '')"`),
    call(`node -e "require('fs').writeFileSync('${outside}', '')"`),
    { text: 'Done.' },
  );
  await hermes(place, ['-z', 'build it']);
  const results = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  const told = results.map(({ content }) => JSON.stringify(content));
  assert.doesNotMatch(told[0] ?? '', /BLOCKED|sandbox/);
  assert.equal(readFileSync(join(place.work, 'made'), 'utf8'), 'inside\n');
  assert.ok(!existsSync(outside), told[1]);
});
