/** A process that writes entries: `node write-entries.ts HOME NAME COUNT`; with COUNT 0 until it is killed. */
import { AuditLog } from '../../src/audit/audit-log.ts';

const [, , homePath = '', name = '', count = '0'] = process.argv;
const last = count === '0' ? Infinity : Number(count);
const log = new AuditLog({ homePath, limits: { maxBytes: 40_000, backups: 500 } });
for (let number = 1; number <= last; number += 1) {
  const seq = await log.write({
    kind: 'decision',
    session: name,
    surface: 'cli',
    tool: 'terminal',
    shown: `${name}: ${number}`,
    findings: [],
    sources: [{ from: 'user' }],
    decision: 'allowed',
    by: 'rules',
  });
  if (last === Infinity) process.stdout.write(`${seq}\n`);
  else if (seq === undefined) process.exitCode = 1;
}
