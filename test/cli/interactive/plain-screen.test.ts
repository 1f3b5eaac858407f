/** What a chat without a drawn screen writes, line by line. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { PlainScreen } from '../../../src/cli/interactive/plain-screen.ts';

test('while a question stands nothing is said to go on: what is typed must stand behind it', async () => {
  let written = '';
  const stdout = { columns: 80, write: (text: string) => (written += text) !== '' };
  const screen = new PlainScreen({
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    prompt: () => '❯ ',
    onSubmit: () => undefined,
    onCtrlC: () => undefined,
    onEnd: () => undefined,
  });
  const over = new AbortController();
  const choices = [{ label: 'yes', value: 'y' }];
  const asked = screen.choose({ lines: ['Really?'], choices, preselected: 0 }, over.signal);
  screen.setActivity('/personality');
  assert.equal(written, 'Really?\n  1 yes\nNumber, or Enter for 1: ');
  over.abort();
  assert.equal(await asked, undefined);
  screen.setActivity(undefined);
  screen.setActivity('thinking');
  assert.match(written, /\nWorking\.\n$/);
  screen.abandon();
});
