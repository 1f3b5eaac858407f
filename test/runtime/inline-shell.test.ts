/** Commands in skills, run by a real shell where the owner allows it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastEntries } from '../../src/audit/read-entries.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { put } from '../prompt/support.ts';
import { skillText } from '../skills/support.ts';
import { openChat } from './support.ts';

const body = [
  'said: !`echo hi && echo there`',
  'where: !`pwd`',
  'failed: !`echo half; exit 3`',
  'missing: !`no-such-program-at-all`',
  'end',
].join('\n');

/** A loaded machine needs its time for the start of a shell. */
const patient = 'skills: {inline_shell: true, inline_shell_timeout: 50}\n';

test('a skill is served with what its commands print, and how they fail', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', body));
  const { session } = await openChat(t, server, patient, { home: place });
  const answer = await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  const content = String(answer?.['content']);
  assert.match(content, /said: hi\nthere\n/);
  assert.ok(content.includes(`where: ${join(place.home.path, 'skills', 'dev', 'now')}\n`), content);
  assert.match(content, /failed: \[inline-shell error: exit code 3\]\n/);
  assert.match(content, /missing: \[inline-shell error: .*no-such-program-at-all: .*not found\]\nend/);
});

test('a command in a skill that does not end in its time is told, and the skill served without it', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', 'slow: !`sleep 600`\nend\n'));
  const config = 'skills: {inline_shell: true, inline_shell_timeout: 1}\n';
  const { session } = await openChat(t, server, config, { home: place });
  const answer = await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  assert.match(String(answer?.['content']), /slow: \[inline-shell error: timed out after 1 s\]\nend/);
});

test('unless the owner allows it, commands in skills stay text', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', body));
  const { session } = await openChat(t, server, '', { home: place });
  const answer = await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  assert.ok(String(answer?.['content']).includes(body));
});

test('what approvals.deny names is not run from a skill either', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', body));
  const config = `${patient}approvals: {deny: ["pwd*", "Echo HI*"]}\n`;
  const { session } = await openChat(t, server, config, { home: place });
  const answer = await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  const content = String(answer?.['content']);
  assert.match(content, /said: \[inline-shell error: approvals\.deny forbids 'Echo HI\*'\]\n/);
  assert.match(content, /where: \[inline-shell error: approvals\.deny forbids 'pwd\*'\]\n/);
  assert.match(content, /failed: \[inline-shell error: exit code 3\]\n/);
});

test('nobody can be asked about a command in a skill: what would be asked about is not run', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  const lasting = 'copied: !`cp SKILL.md /srv/evil`\nroot: !`rm -rf /`\nagain: !`echo fine`\n';
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', lasting));
  const { session } = await openChat(t, server, 'skills: {inline_shell: true}\n', { home: place });
  const answer = await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  const content = String(answer?.['content']);
  assert.match(content, /copied: \[inline-shell error: needs approval: write outside the workspace\]\n/);
  assert.match(content, /root: \[inline-shell error: recursive delete of the root directory\]\n/);
  assert.match(content, /again: fine\n/);
});

test('what a skill runs stands in the record like any other command: who let it run, and how it ended', async (t) => {
  await using server = await startModelServer();
  const place = temporaryHome(t);
  const text = 'a: !`echo hi`\nb: !`exit 3`\nc: !`cp SKILL.md /srv/evil`\n';
  put(place.home.path, 'skills/dev/now/SKILL.md', skillText('now', 'What is so now', '', text));
  const { session } = await openChat(t, server, 'skills: {inline_shell: true}\n', { home: place });
  await session.knowledge.skills?.view('now', { signal: new AbortController().signal });
  const entries = await lastEntries(place.home.path, 100, () => true);
  assert.deepEqual(
    entries.map(({ kind, tool, shown, decision, by, exit, commands }) => [
      kind,
      tool,
      shown ?? exit,
      by,
      commands ?? decision,
    ]),
    [
      ['decision', 'inline_shell', 'echo hi', 'rules', [['echo', 'hi']]],
      ['ended', 'inline_shell', 0, undefined, 1],
      ['decision', 'inline_shell', 'exit 3', 'rules', [['exit', '3']]],
      ['ended', 'inline_shell', 3, undefined, 3],
      ['decision', 'inline_shell', 'cp SKILL.md /srv/evil', 'nobody', [['cp', 'SKILL.md', '/srv/evil']]],
    ],
  );
  assert.ok(entries.every((entry) => entry['session'] === session.id));
});
