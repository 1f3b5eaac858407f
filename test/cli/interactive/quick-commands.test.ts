/** Slash commands of the person's own. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { lastEntries } from '../../../src/audit/read-entries.ts';
import { QuickCommands } from '../../../src/commands/quick-commands.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

function quick(commands: JsonObject, timeoutMs = 60_000): QuickCommands {
  const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-secret-value' };
  const mask = (text: string) => text.replaceAll('masked', '***');
  return new QuickCommands({
    commands,
    env,
    cwd: tmpdir(),
    mask,
    timeoutMs,
    record: () => Promise.resolve(() => Promise.resolve()),
    isBuiltIn: (word) => word === 'status',
  });
}

test('one runs a program or stands for another line, without asking the model', { skip: noTmux }, async (t) => {
  await using server = await startModelServer();
  const commands = 'quick_commands:\n  Up: {type: exec, command: echo it is up}\n  st: {type: alias, target: status}\n';
  const place = makePlace(t, server, `${commands}  odd: {type: prompt, command: x}\n`);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('/up');
  await pane.sees(/❯ \/up\nit is up/);
  pane.enter('!echo by hand; exit 3');
  await pane.sees(/by hand\n\[exit code 3\]/);
  const entries = await lastEntries(place.home, 10, () => true);
  assert.deepEqual(
    entries.map(({ kind, tool, shown, by, exit }) => [kind, tool, shown ?? exit, by]),
    [
      ['decision', 'quick_commands', 'echo it is up', 'person'],
      ['ended', 'quick_commands', 0, undefined],
      ['decision', '!command', 'echo by hand; exit 3', 'person'],
      ['ended', '!command', 3, undefined],
    ],
  );
  pane.enter('/st');
  await pane.sees(/Session: {2}\d/);
  pane.enter('/odd');
  await pane.sees(/quick_commands\.odd has the type 'prompt'; there are exec and alias/);
  assert.equal(server.requests.length, 0);
});

test('a program gets no key, its secrets are masked, and it is ended in time with all that it started', async () => {
  const commands = quick({});
  const { signal } = new AbortController();
  assert.equal(await commands.run('echo "$OPENAI_API_KEY" masked', signal), '***');
  assert.equal(await commands.run('echo no >&2; exit 3', signal), 'no\nexit code 3');
  assert.equal(await commands.run('true', signal), 'Command returned no output');
  assert.equal(await quick({}, 500).run('sleep 60 | cat; echo', signal), 'Quick command timed out (0.5s)');
});

test('aliases take their words along; what is wrong with an entry is said; commands of the program come first', () => {
  const commands = quick({
    a: { type: 'alias', target: '/b one' },
    b: { type: 'alias', target: 'status' },
    loop: { type: 'alias', target: 'loop2' },
    loop2: { type: 'alias', target: '/loop' },
    none: { type: 'alias' },
    text: 'ls',
    bare: { type: 'exec' },
    status: { type: 'exec', command: 'x' },
  });
  assert.equal(commands.expand('/a two'), '/status one two');
  assert.equal(commands.programOf('/status'), undefined);
  assert.deepEqual(commands.hidden, ['status']);
  assert.equal(commands.expand('hello /a'), 'hello /a');
  assert.throws(() => commands.expand('/loop'), /leads to itself: loop → loop2 → loop/);
  assert.throws(() => commands.expand('/none'), /has no 'target'/);
  assert.throws(() => commands.expand('/text'), /is not a map/);
  assert.throws(() => commands.programOf('/bare'), /has no 'command'/);
});
