/** Ending a command with everything it started, also what hid in sessions of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessRow, readProcessTable } from './process-table.ts';

/** How to recognise what belongs to a command. */
export interface TreeMatch {
  /** Leaders of the sessions that were started. */
  readonly leaders: readonly number[];
  /** Text in the environment of every process of the tree. */
  readonly mark: string;
  /** Killed outright before anything else, so that a shell cannot go on with the rest of its command line. */
  readonly killFirst?: number;
  /** The process to kill first only leads to the one that is meant: its child. */
  readonly isLed?: boolean;
  /** Between asking and force, default 1000; with 0 it is left at asking. */
  readonly graceMs?: number;
}

const defaultGraceMs = 1000;
const killRounds = 40;

/** SIGTERM to all, SIGKILL after `graceMs` to what is left. Resolves when all are gone, or only asked to go. */
export async function killTree(match: TreeMatch): Promise<void> {
  const members = new Map<number, ProcessRow>();
  const graceMs = match.graceMs ?? defaultGraceMs;
  const deadline = Date.now() + (graceMs === 0 ? defaultGraceMs : graceMs);
  const notified = new Set<string>();
  let fresh = await findMembers(match, members);
  const led = fresh.filter((row) => match.isLed === true && row.parent === match.killFirst);
  for (const row of led) signal(row.pid, 'SIGKILL');
  if (match.killFirst !== undefined) signal(match.killFirst, 'SIGKILL');
  for (const leader of match.leaders) if (members.has(leader)) signal(-leader, 'SIGTERM');
  for (let wait = 4; fresh.length > 0; wait = Math.min(wait * 2, 50)) {
    if (Date.now() >= deadline) break;
    for (const row of fresh.filter((row) => !notified.has(identity(row)))) {
      notified.add(identity(row));
      signal(row.pid, 'SIGTERM');
    }
    await sleep(wait);
    fresh = await findMembers(match, members);
  }
  if (graceMs === 0) return;
  // Whoever forks while being killed is found in the next round; a process stuck in the kernel is given up on.
  for (let round = 0; fresh.length > 0 && round < killRounds; round++) {
    for (const row of fresh) signal(row.pid, 'SIGKILL');
    await sleep(10);
    fresh = await findMembers(match, members);
  }
}

/** The living members, parents before children. Adds them to `known`, so that orphans are not lost. */
async function findMembers(match: TreeMatch, known: Map<number, ProcessRow>): Promise<ProcessRow[]> {
  // Without a look at the processes only whole groups can be ended, and at once.
  const rows = await readProcessTable(match.mark).catch(() => undefined);
  if (rows === undefined) {
    for (const leader of match.leaders) signal(-leader, 'SIGKILL');
    return [];
  }
  const leaders = new Set(match.leaders);
  const children = Map.groupBy(rows, (row) => row.parent);
  const found = new Set<ProcessRow>();
  const visit = (row: ProcessRow): void => {
    if (found.has(row) || row.pid === process.pid) return;
    found.add(row);
    for (const child of children.get(row.pid) ?? []) visit(child);
  };
  for (const row of rows) {
    const before = known.get(row.pid);
    const same = before !== undefined && before.started === row.started;
    if (same || row.marked || leaders.has(row.pid) || leaders.has(row.session)) visit(row);
  }
  known.clear();
  for (const row of found) known.set(row.pid, row);
  return [...found];
}

function identity(row: ProcessRow): string {
  return `${row.pid}@${row.started}`;
}

/** Signals a process or, with a negative number, a group; one that is gone or not ours is passed over. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: already gone. EPERM: it belongs to another user (sudo), and nobody but root can end it.
  }
}
