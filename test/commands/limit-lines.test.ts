/** How `/usage` tells what an account has left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitLines } from '../../src/commands/info/limit-lines.ts';

test('windows say what is left and when they are full again, facts stand in the same column', () => {
  const now = Date.UTC(2026, 0, 1);
  const minutes = (count: number) => now + count * 60_000;
  const lines = limitLines(
    {
      plan: 'plus',
      windows: [
        { name: 'Session', usedPercent: 34.4, resetsAt: minutes(125) },
        { name: 'Week', usedPercent: 104, resetsAt: minutes(2 * 1440 + 61) },
        { name: 'Key', usedPercent: 60, detail: '$4.00 of $10.00 left', resetsAt: minutes(-1) },
      ],
      facts: ['Credit: $12.50', 'Extra usage: 3.00 of 50.00 USD'],
    },
    'openai-codex',
    now,
  );
  assert.deepEqual(lines, [
    'Account:  openai-codex (plus)',
    'Session:  66% left, 34% used, full again in 2 h 5 min',
    'Week:     0% left, 104% used, full again in 2 d 1 h',
    'Key:      40% left, 60% used, $4.00 of $10.00 left, full again now',
    'Credit:   $12.50',
    'Extra usage: 3.00 of 50.00 USD',
  ]);
});
