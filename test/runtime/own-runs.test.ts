/** What a person runs in a chat themselves stands in the record of decisions too. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastEntries } from '../../src/audit/read-entries.ts';
import { verifyAuditLog } from '../../src/audit/verify.ts';
import { OwnRuns } from '../../src/runtime/own-runs.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openChat } from './support.ts';

test('a command of the person’s own is written down before it runs and after it ended, without its secrets', async (t) => {
  await using server = await startModelServer();
  const { session, program } = await openChat(t, server, '', {
    env: { OPENAI_API_KEY: 'sk-0123456789abcdefghijklmn' },
  });
  const runs = new OwnRuns(program, () => session.id);
  const ended = await runs.begin({ tool: '!command', command: 'deploy --key sk-0123456789abcdefghijklmn' });
  const home = program.options.home.path;
  assert.equal((await lastEntries(home, 10, () => true)).length, 1);
  await ended(3);
  await (await runs.begin({ tool: 'quick_commands', command: 'uptime' }))(undefined);
  const entries = await lastEntries(home, 10, () => true);
  assert.deepEqual(
    entries.map(({ kind, tool, shown, by, decision, outcome, exit }) => [
      kind,
      tool,
      shown ?? outcome,
      by ?? exit,
      decision,
    ]),
    [
      ['decision', '!command', 'deploy --key sk-012...klmn', 'person', 'allowed'],
      ['ended', '!command', 'error', 3, 1],
      ['decision', 'quick_commands', 'uptime', 'person', 'allowed'],
      ['ended', 'quick_commands', 'cancelled', undefined, 3],
    ],
  );
  assert.ok(entries.every((entry) => entry['session'] === session.id));
  assert.deepEqual((await verifyAuditLog(home)).problems, []);
});

test('a record that cannot be written keeps nobody from their own command', async (t) => {
  await using server = await startModelServer();
  const { session, program } = await openChat(t, server, '', {});
  mkdirSync(join(program.options.home.path, 'logs/audit.jsonl'), { recursive: true });
  const runs = new OwnRuns(program, () => session.id);
  await (await runs.begin({ tool: '!command', command: 'ls' }))(0);
});
