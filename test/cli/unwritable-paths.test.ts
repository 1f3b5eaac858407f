/** Paths of the person at which nothing can be made: told, and never waited for. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace } from './hermes-process.ts';

const skip = existsSync('/proc/self') ? false : 'there is no /proc here';

// Its answer to mkdir, ENOENT below a directory that is there, is one that Node's own `recursive` tries again for ever.
test('a file below /proc that is to be written is a failure with its path', { skip }, async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
  const place = makePlace(t, server);
  assert.equal((await hermes(place, ['-z', 'ping'])).code, 0);
  for (const args of [
    ['-z', 'ping', '--usage-file', '/proc/none/usage.json'],
    ['backup', '-o', '/proc/none/home.zip'],
    ['sessions', 'export', '--format', 'md', '--cwd', '/', '--yes', '/proc/none'],
  ]) {
    const run = await hermes(place, args);
    assert.equal(run.code, 1, args.join(' '));
    assert.match(run.stderr, /^hermes: .*ENOENT.*\/proc\/none/m, args.join(' '));
    assert.doesNotMatch(run.stderr, /\n {4}at /);
  }
});
