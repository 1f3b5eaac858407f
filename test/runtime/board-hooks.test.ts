/** Hooks hear when a task of a board is done, and when it waits. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, office } from '../tools/kanban/support.ts';

test('a completed and a blocked task are told with the board, the run and the words', async (t) => {
  const place = await office(t);
  const folder = join(place.homePath, 'agent-hooks');
  mkdirSync(folder, { recursive: true });
  const script = join(folder, 'note.sh');
  writeFileSync(script, '#!/bin/sh\ncat >> "$HERMES_HOME/heard"\necho >> "$HERMES_HOME/heard"\n');
  chmodSync(script, 0o755);
  const points = ['kanban_task_completed', 'kanban_task_blocked'];
  const config = `hooks_auto_accept: true\nhooks:\n${points.map((point) => `  ${point}: [{command: ${script}}]\n`).join('')}`;
  const [one, two] = [await place.claimed(), await place.claimed()];
  await call(place, await place.worker(one, { config }), 'kanban_complete', { summary: 'Clean.' });
  await call(place, await place.worker(two, { config }), 'kanban_block', { reason: 'Which soap?' });
  const heard = readFileSync(join(place.homePath, 'heard'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
  const common = { profile_name: 'default', board: 'default', assignee: 'default' };
  assert.deepEqual(
    heard
      .map((payload) => [payload.hook_event_name, payload.extra])
      .map(([point, extra]) => {
        const { task_id, profile_name, board, assignee, run_id, summary, reason } = extra;
        return [point, { task_id, profile_name, board, assignee, run_id, summary, reason }];
      }),
    [
      ['kanban_task_completed', { task_id: one.id, ...common, run_id: 1, summary: 'Clean.', reason: undefined }],
      ['kanban_task_blocked', { task_id: two.id, ...common, run_id: 2, summary: undefined, reason: 'Which soap?' }],
    ],
  );
});
