/** Where the audit log lies, and making room in it. */
import { existsSync, openSync, readdirSync, readSync, closeSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { maxLineBytes, readLine } from './chain.ts';

export interface AuditFiles {
  /** `audit.jsonl`; older ones are `audit.jsonl.1`, `.2` … */
  readonly log: string;
  readonly directory: string;
  /** Held while one writes. */
  readonly lock: string;
  readonly seal: string;
  /** Outside of the folder of the logs: whoever can write there cannot read it. */
  readonly key: string;
}

export function auditFiles(homePath: string): AuditFiles {
  const directory = join(homePath, 'logs');
  return {
    directory,
    log: join(directory, 'audit.jsonl'),
    lock: join(directory, '.audit.lock'),
    seal: join(directory, 'audit.seal'),
    key: join(homePath, 'audit.key'),
  };
}

/** All files of the log that are there, the oldest first. */
export function filesInOrder({ directory, log }: AuditFiles): readonly string[] {
  const numbers = olderNumbers(directory);
  const older = numbers.map((number) => `${log}.${number}`);
  return existsSync(log) ? [...older, log] : older;
}

/** Descending: the oldest first. */
function olderNumbers(directory: string): readonly number[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .flatMap((name) => /^audit\.jsonl\.([1-9]\d{0,8})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => right - left);
}

/** The number of the first line that stays when all but the newest `keep` files go; undefined when none has to go. */
export function firstAfterRotation(files: AuditFiles, keep: number): number | undefined {
  const all = filesInOrder(files);
  if (all.length <= keep) return undefined;
  const oldest = all[all.length - keep];
  return oldest === undefined ? undefined : firstNumber(oldest);
}

/** Makes room for a new file: every file takes the next number, and what is beyond `keep` older ones goes. */
export function rotate({ directory, log }: AuditFiles, keep: number): void {
  for (const number of olderNumbers(directory)) {
    if (number >= keep) rmSync(`${log}.${number}`, { force: true });
    else renameSync(`${log}.${number}`, `${log}.${number + 1}`);
  }
  if (keep === 0) rmSync(log, { force: true });
  else renameSync(log, `${log}.1`);
}

function firstNumber(path: string): number | undefined {
  const start = readPart(path, 0, maxLineBytes);
  const end = start.indexOf('\n');
  return end === -1 ? undefined : readLine(start.subarray(0, end))?.seq;
}

/** At most `length` bytes from `position` on. */
export function readPart(path: string, position: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const read = readSync(file, buffer, filled, length - filled, position + filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}
