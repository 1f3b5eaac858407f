/** Doctor: whether the session database can be read, is sound, and does not drag a long journal along. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../lib/errors.ts';
import { integrityProblems } from '../../sessions/sqlite/integrity.ts';
import { withStore } from '../sessions/with-store.ts';
import type { CheckContext, Finding } from './finding.ts';

/** A journal above this was not merged for a long time. */
const LARGE_JOURNAL_BYTES = 50 * 1024 * 1024;

export async function database({ cli, fix }: CheckContext): Promise<Finding[]> {
  const path = join(cli.home.path, 'state.db');
  if (!existsSync(path)) return [{ status: 'info', text: 'state.db is not there yet' }];
  let found = await look(path);
  if (fix && found.damaged) {
    await rebuild(cli);
    found = await look(path);
  }
  return [found.finding, ...(await journal(path, fix))];
}

/** Only the SQLite library touches the file: reading it otherwise would drop the library's locks. */
async function look(path: string): Promise<{ readonly finding: Finding; readonly damaged: boolean }> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    using opened = new DatabaseSync(path, { readOnly: true, timeout: 2000 });
    const row = opened.prepare('SELECT count(*) AS sessions FROM sessions').get();
    // What is called sound has been read: a damaged page shows nowhere else until it is needed.
    const [damage] = integrityProblems((sql) => opened.prepare(sql).all());
    if (damage !== undefined) return { finding: unreadable(path, `state.db is damaged: ${damage}`), damaged: true };
    const detail = `${String(row?.['sessions'] ?? 0)} sessions`;
    return { finding: { status: 'ok', text: 'state.db', detail }, damaged: false };
  } catch (error) {
    return { finding: unreadable(path, `state.db cannot be read: ${errorMessage(error)}`), damaged: true };
  }
}

/** As `hermes sessions repair` begins; what that does not mend stays a finding. */
async function rebuild(cli: CheckContext['cli']): Promise<void> {
  try {
    await withStore(cli, (store) => store.maintenance.rebuildIndexes());
  } catch (error) {
    cli.log.warning('hermes doctor --fix could not rebuild the indexes of state.db', error);
  }
}

async function journal(path: string, fix: boolean): Promise<Finding[]> {
  const size = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  if (before <= LARGE_JOURNAL_BYTES) return [];
  if (fix) {
    const { DatabaseSync } = await import('node:sqlite');
    try {
      using opened = new DatabaseSync(path, { timeout: 2000 });
      opened.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Somebody reads or writes, or the file is damaged: its size says below that nothing was merged.
    }
  }
  if (size() < before) return [{ status: 'ok', text: `state.db-wal was merged (${megabytes(before)} before)` }];
  return [
    {
      status: 'warn',
      text: `state.db-wal is large (${megabytes(before)})`,
      remedy: 'Run `hermes doctor --fix` while no conversation runs.',
    },
  ];
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

function unreadable(path: string, text: string): Finding {
  return {
    status: 'fail',
    text,
    remedy: `Run \`hermes sessions repair\`: it rebuilds what can be rebuilt of ${path}, or sets it aside by name.`,
  };
}
