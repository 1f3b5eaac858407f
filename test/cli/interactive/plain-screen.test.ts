/** What a chat without a drawn screen writes, line by line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainTerminal } from './plain-terminal.ts';

test('while a question stands nothing is said to go on: what is typed must stand behind it', async () => {
  const { screen, written } = plainTerminal();
  const over = new AbortController();
  const choices = [{ label: 'yes', value: 'y' }];
  const asked = screen.choose({ lines: ['Really?'], choices, preselected: 0 }, over.signal);
  screen.setActivity('/personality');
  assert.equal(written(), 'Really?\n  1 yes\nNumber, or Enter for 1: ');
  over.abort();
  assert.equal(await asked, undefined);
  screen.setActivity(undefined);
  screen.setActivity('thinking');
  assert.match(written(), /\nWorking\.\n$/);
  screen.abandon();
});

test('a question that nobody answers in time says that the agent decides', async () => {
  const { screen, human: personWith, written } = plainTerminal();
  const human = personWith({ approvalSeconds: 60, clarifySeconds: 0.05 });
  const long = `one that is longer than a row of the screen, ${'and goes on '.repeat(4)}to its end`;
  const answer = await human.clarify('Which?', ['a', long], new AbortController().signal);
  assert.deepEqual(answer, { unanswered: 'timeout' });
  assert.match(
    written(),
    /^\? Which\?\n {2}1 a\n {2}2 one that .* to its end\n {2}No answer within 0\.05 s lets the agent decide\./,
  );
  assert.match(written(), /⏱ No answer within 0\.05 s — the agent decides/);
  screen.abandon();
});
