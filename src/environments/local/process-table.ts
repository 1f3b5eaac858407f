/** A look at the processes of this machine: who belongs to whom, and who carries one of our marks. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Tells a process from a later one with the same pid. Empty where the system does not say. */
  readonly started: string;
  /** Whether the environment it was started with contains the mark that was asked for. */
  readonly marked: boolean;
}

/**
 * Living processes (zombies are left out). `mark` is looked for in the environment of each, as far as we may read it.
 */
export function readProcessTable(mark: string): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? readProc(Buffer.from(mark)) : readPs();
}

const batchSize = 64;

async function readProc(mark: Buffer): Promise<ProcessRow[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows: ProcessRow[] = [];
  for (let start = 0; start < names.length; start += batchSize) {
    const batch = await Promise.all(names.slice(start, start + batchSize).map((name) => readProcEntry(name, mark)));
    rows.push(...batch.filter((row) => row !== undefined));
  }
  return rows;
}

async function readProcEntry(name: string, mark: Buffer): Promise<ProcessRow | undefined> {
  try {
    const [stat, marked] = await Promise.all([readFile(`/proc/${name}/stat`, 'latin1'), isMarked(name, mark)]);
    return parseStat(Number(name), stat, marked);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

/** The command name in field 2 may hold spaces and parentheses, so fields are counted after the last one. */
function parseStat(pid: number, stat: string, marked: boolean): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X' || state === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
    marked,
  };
}

async function isMarked(name: string, mark: Buffer): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${name}/environ`);
    return environment.includes(mark);
  } catch {
    // Another user's process.
    return false;
  }
}

/** Elsewhere environments cannot be read, and sessions are not shown by name: the process group stands for them. */
async function readPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { timeout: 5000 });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '' || state === undefined || state.startsWith('Z')) return [];
    const row = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group) };
    return [{ ...row, started: '', marked: false }];
  });
}
