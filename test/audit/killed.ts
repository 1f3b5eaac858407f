/** Writers of the audit log that are killed while they write. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { lastEntries } from '../../src/audit/read-entries.ts';
import { verifyAuditLog } from '../../src/audit/verify.ts';
import { randomFrom } from '../random.ts';

const script = fileURLToPath(new URL('write-entries.ts', import.meta.url));

/** `writers` write at the same time, and each is killed after some entries, `rounds` times; nothing that was told as written may be gone. */
export async function surviveKills(
  t: TestContext,
  { rounds, writers, seed }: { rounds: number; writers: number; seed: number },
) {
  const home = mkdtempSync(join(tmpdir(), 'hermes-audit-kill-'));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const random = randomFrom(seed);
  let told = 0;
  for (let round = 0; round < rounds; round += 1) {
    const last = await Promise.all(
      Array.from({ length: writers }, (_, at) =>
        killedAfter(home, `writer ${round}.${at}`, 3 + Math.floor(random() * 40)),
      ),
    );
    told = Math.max(told, ...last);
    const { end, problems } = await verifyAuditLog(home);
    assert.deepEqual(problems, [], `round ${round}`);
    assert.ok((end?.seq ?? 0) >= told, `entry ${told} was told as written; the chain ends at ${end?.seq}`);
  }
  const after = new AuditLog({ homePath: home, limits: { maxBytes: 10_000_000, backups: 500 } });
  const seq = await after.write({
    kind: 'ended',
    session: 'after',
    tool: 'terminal',
    outcome: 'ok',
  });
  assert.ok(seq !== undefined && seq > told);
  const { problems, end } = await verifyAuditLog(home);
  assert.deepEqual([problems, end?.seq], [[], seq]);
  assert.equal((await lastEntries(home, 1, () => true))[0]?.['session'], 'after');
}

/** Returns the number of the last entry that it told as written. */
async function killedAfter(home: string, name: string, entries: number): Promise<number> {
  const child = spawn(process.execPath, [script, home, name, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > entries) child.kill('SIGKILL');
  });
  await exited;
  // An entry that had to wait too long for its turn on a busy machine has no number yet.
  const numbers = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => /^\d+$/.test(line));
  return Number(numbers.at(-1) ?? 0);
}
