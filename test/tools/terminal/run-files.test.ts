/** The last look at what a command runs, right before it does. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Policy } from '../../../src/agent/policy.ts';
import { textOf } from '../../../src/llm/message.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { runTool } from '../support.ts';
import { makeBench } from './support.ts';

const ways = [
  ['what changed after the answer is not run to its end', false],
  ['what changed after the answer is not run in the background', true],
] as const;

for (const [what, background] of ways) {
  test(what, async (t) => {
    const { directory, services } = makeBench(t);
    const path = join(directory, 'x.sh');
    writeFileSync(path, 'touch made');
    const policy: Policy = {
      decide: () => Promise.resolve({ kind: 'allow', staged: false, runs: [{ path, state: 'what was seen' }] }),
    };
    const outcome = await runTool(terminalTool, { command: 'bash x.sh', background }, services, { policy });
    assert.equal(outcome.isError, true);
    assert.match(textOf(outcome.content), /"Not run: .*x\.sh has changed since this command was approved/);
    assert.ok(!existsSync(join(directory, 'made')));
  });
}
