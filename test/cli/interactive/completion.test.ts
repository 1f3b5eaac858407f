/** Lists that open while somebody types. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePlace } from '../hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('an @ finds files that git does not ignore, and what is chosen reaches the model', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'Read it.' });
  const place = makePlace(t, server);
  execFileSync('git', ['init', '-q'], { cwd: place.work });
  mkdirSync(join(place.work, 'deep', 'down'), { recursive: true });
  writeFileSync(join(place.work, 'deep', 'down', 'chapter one.md'), 'It was a dark night.');
  writeFileSync(join(place.work, 'chapter.log'), 'ignored');
  writeFileSync(join(place.work, '.gitignore'), '*.log');
  const pane = openPane(t, place, [], { columns: 40 });
  await pane.sees(/Type a message/);
  pane.type('read @chap');
  assert.doesNotMatch(await pane.sees(/→ deep\/down\/chapter one\.md/), /chapter\.log/);
  pane.keys('Enter');
  await pane.sees(/read @file:"deep\/down\/chapter\s+one\.md"/);
  pane.keys('Enter');
  await pane.sees(/Read it\./);
  assert.match(server.lastRequest.rawBody, /It was a dark night/);
});

test('a command shows what can stand behind it; Enter alone sends it as it is', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('/busy ');
  await pane.sees(/→ interrupt[\s\S]*queue[\s\S]*steer/);
  pane.keys('Enter');
  await pane.sees(/While the agent works, Enter will stop it/);
  pane.type('/busy ');
  await pane.sees(/→ interrupt/);
  pane.keys('Down', 'Enter');
  await pane.sees(/❯ \/busy queue/);
  pane.keys('Enter');
  await pane.sees(/Enter will hold your message/);
});

test('Enter behind the beginning of several commands runs none of them, unless one was gone to', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Done.' }) });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('hello');
  await pane.sees(/Done\./);
  const before = server.requests.length;
  pane.type('/re');
  await pane.sees(/→ \/retry/);
  pane.keys('Enter');
  await pane.sees(/Ambiguous command: \/re\nDid you mean: .*\/retry/);
  pane.type('/');
  await pane.sees(/→ \/\w+/);
  pane.keys('Enter');
  await pane.sees(/Unknown command: \/\n/);
  pane.type('/stat');
  await pane.sees(/→ \/\w+/);
  pane.keys('Enter');
  await pane.sees(/❯ \/stat\nModel:/);
  pane.type('/st');
  await pane.sees(/→ \/\w+/);
  pane.keys('Down', 'Enter');
  await pane.sees(/❯ \/(?!stat|st\n)\w+\n/);
  assert.equal(server.requests.length, before);
});

test('the rest of what was typed before stands behind the cursor; Tab takes it, Enter does not', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Done.' }) });
  const place = makePlace(t, server);
  place.write(
    '.hermes_history',
    '\n# 2026-01-01 00:00:00\n+explain the whole build\n\n# 2026-01-01 00:00:01\n+explain /etc\n',
  );
  const pane = openPane(t, place, [], { columns: 60 });
  await pane.sees(/Type a message/);
  const sent = (): unknown => server.lastRequest.body.messages.at(-1)?.content;
  pane.type('expl');
  await pane.sees(/❯ explain \/etc\n/);
  pane.type('ain the');
  await pane.sees(/❯ explain the whole build\n/);
  pane.keys('Tab', 'Enter');
  await pane.sees(/❯ explain the whole build\n[^]*Done\./);
  assert.equal(sent(), 'explain the whole build');
  pane.type('explain');
  await pane.sees(/❯ explain the whole build\n─/);
  pane.keys('Enter');
  await pane.sees(/❯ explain\n\n Done\./);
  assert.equal(sent(), 'explain');
});
