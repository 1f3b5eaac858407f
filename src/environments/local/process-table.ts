/** A look at the processes of this machine: who belongs to whom, and who carries one of our marks. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
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
 * Living processes (zombies and the kernel's own threads are left out). `mark` is one that this process made up: it is looked
 * for in the environment of each that was started later, as far as we may read it.
 */
export function readProcessTable(mark: string): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? readProc(Buffer.from(mark)) : readPs();
}

/**
 * Each has one buffer for all that it reads. `readFile` would take 64 KB for each of these files, whose size it cannot know,
 * and with hundreds of processes that brings about a collection of garbage after every few commands.
 */
const readers = 8;
const bufferBytes = 16 * 1024;
/** PF_KTHREAD: a part of the kernel itself, as half of what a quiet machine shows. */
const kernelThread = 0x200000;

async function readProc(mark: Buffer): Promise<ProcessRow[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows: (ProcessRow | undefined)[] = [];
  const waiting = names.entries();
  const ownStart = Number(readStat('self')?.started ?? 0);
  const read = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(Math.max(bufferBytes, 2 * mark.length));
    for (const [place, name] of waiting) {
      const row = readStat(name);
      if (row === undefined) continue;
      const marked = Number(row.started) >= ownStart && (await isMarked(name, mark, buffer));
      rows[place] = { ...row, marked };
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return rows.filter((row) => row !== undefined);
}

/** This never waits for the process, and a way through other threads would cost several times as much. */
function readStat(name: string): Omit<ProcessRow, 'marked'> | undefined {
  try {
    return parseStat(readFileSync(`/proc/${name}/stat`, 'latin1'));
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

/** The command name in field 2 may hold spaces and parentheses, so fields are counted after the last one. */
function parseStat(stat: string): Omit<ProcessRow, 'marked'> | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session, , , flags] = fields;
  if (state === 'Z' || state === 'X' || state === undefined) return undefined;
  if ((Number(flags) & kernelThread) !== 0) return undefined;
  return {
    pid: Number.parseInt(stat),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
  };
}

async function isMarked(name: string, mark: Buffer, buffer: Buffer): Promise<boolean> {
  try {
    await using file = await open(`/proc/${name}/environ`, 'r');
    // The end of a piece is kept: the mark may go on in the next one.
    for (let kept = 0; ; ) {
      const { bytesRead } = await file.read(buffer, kept, buffer.length - kept);
      const end = kept + bytesRead;
      if (buffer.subarray(0, end).includes(mark)) return true;
      if (bytesRead === 0) return false;
      kept = Math.min(end, mark.length - 1);
      buffer.copyWithin(0, end - kept, end);
    }
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
