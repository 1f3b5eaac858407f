/** The file of earlier inputs. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { InputHistory } from '../../../src/cli/interactive/input-history.ts';

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
    const first = new InputHistory(path);
    first.add('one');
    first.add('two\nlines');
    first.add('two\nlines');
    assert.deepEqual(new InputHistory(path).entries, ['one', 'two\nlines']);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });
});

test('the history of the original is read, and goes on in its format', () => {
  inTemporaryFile((path) => {
    writeFileSync(path, '\n# 2026-01-01 10:00:00.000001\n+hello there\n\n# 2026-01-02 10:00:00\n+two\n+\n+lines\n');
    const history = new InputHistory(path);
    assert.deepEqual(history.entries, ['hello there', 'two\n\nlines']);
    history.add('# a comment\n+ a plus');
    assert.match(
      readFileSync(path, 'utf8'),
      /\n\+lines\n\n# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\n\+# a comment\n\+\+ a plus\n$/,
    );
    assert.deepEqual(new InputHistory(path).entries.at(-1), '# a comment\n+ a plus');
  });
});

test('any text comes back as it was typed', () => {
  inTemporaryFile((path) => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '+', '#', ' ', '\n', 'é', '"') }), { maxLength: 5 }),
        (texts) => {
          rmSync(path, { force: true });
          const history = new InputHistory(path);
          for (const text of texts) history.add(text);
          assert.deepEqual(new InputHistory(path).entries, history.entries);
        },
      ),
    );
  });
});

test('only the newest thousand are kept, of a long file only its end is read, and a huge one is cut', () => {
  inTemporaryFile((path) => {
    writeFileSync(path, Array.from({ length: 2500 }, (_, n) => `\n# time\n+entry ${n}\n`).join(''));
    const { size } = statSync(path);
    const { entries } = new InputHistory(path);
    assert.equal(entries.length, 1000);
    assert.equal(entries.at(-1), 'entry 2499');
    assert.equal(statSync(path).size, size);
    const line = 'x'.repeat(2000);
    writeFileSync(path, Array.from({ length: 4500 }, (_, n) => `\n# time\n+${n} ${line}\n`).join(''));
    const long = new InputHistory(path).entries;
    assert.ok(long.length > 400 && long.length < 600);
    for (const entry of long) assert.match(entry, /^\d+ x{2000}$/);
    assert.ok(statSync(path).size < 2_000_000);
  });
});

test('what holds a secret is remembered but not written', () => {
  inTemporaryFile((path) => {
    const history = new InputHistory(path, (text) => text.includes('sk-'));
    history.add('my key is sk-123');
    history.add('hello');
    assert.deepEqual(history.entries, ['my key is sk-123', 'hello']);
    assert.doesNotMatch(readFileSync(path, 'utf8'), /sk-/);
  });
});

test('a file that cannot be read or written does not stop a chat', () => {
  const history = new InputHistory('/proc/no-such-directory/history');
  history.add('still works');
  assert.deepEqual(history.entries, ['still works']);
});
