/** The file of earlier inputs. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openInputHistory } from '../../src/cli/interactive/input-history.ts';

function inTemporaryFile(work: (path: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-history-'));
  try {
    work(join(directory, '.hermes_history'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('what was typed comes back in order, lines and all, and the file is private', () => {
  inTemporaryFile((path) => {
    const first = openInputHistory(path);
    first.add('one');
    first.add('two\nlines');
    first.add('two\nlines');
    assert.deepEqual(openInputHistory(path).entries, ['one', 'two\nlines']);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });
});

test('the history of the original is read', () => {
  inTemporaryFile((path) => {
    writeFileSync(path, '\n# 2026-01-01 10:00:00\n+hello there\n\n# 2026-01-02\n+second\n');
    assert.deepEqual(openInputHistory(path).entries, ['hello there', 'second']);
  });
});

test('the file stays bounded', () => {
  inTemporaryFile((path) => {
    writeFileSync(path, Array.from({ length: 2500 }, (_, n) => `${JSON.stringify(`entry ${n}`)}\n`).join(''));
    assert.equal(openInputHistory(path).entries.length, 1000);
    assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, 1000);
  });
});

test('a file that cannot be read or written does not stop a chat', () => {
  const history = openInputHistory('/proc/no-such-directory/history');
  history.add('still works');
  assert.deepEqual(history.entries, ['still works']);
});
