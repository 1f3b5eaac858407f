/** What is not a file in the place of config.yaml or .env is refused in one line; nothing waits for it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hermes, makePlace } from '../cli/hermes-process.ts';

test('a pipe or a folder as config.yaml or .env does not hang anything', {
  skip: process.platform === 'win32',
}, async (t) => {
  for (const name of ['config.yaml', '.env']) {
    for (const kind of ['pipe', 'folder']) {
      const place = makePlace(t);
      const path = join(place.home, name);
      if (kind === 'folder') mkdirSync(path);
      else execFileSync('mkfifo', [path]);
      const run = await hermes(place, ['config', 'get', 'agent.max_turns']);
      assert.equal(run.stdout, '90\n', `${kind} ${name}`);
      const lines = run.stderr.split('\n').filter((line) => line.includes(path));
      assert.equal(lines.length, 1, run.stderr);
      assert.match(run.stderr, /is not a regular file/);
    }
  }
});
