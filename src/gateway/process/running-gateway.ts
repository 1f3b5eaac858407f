/** Which gateway runs in a home: the lock that decides it, and the record that tells others who it is. */
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { tryFileLock } from '../../lib/file-lock.ts';
import { parseJson } from '../../lib/json.ts';
import { isRunning } from '../../lib/is-running.ts';
import { isAlive, ownRecord, type ProcessRecord } from './process-record.ts';

/** As it stands in `gateway.pid` and `gateway.lock`, which the original reads and writes too. */
export interface GatewayRecord extends ProcessRecord {
  readonly kind: 'hermes-gateway';
  readonly argv: readonly string[];
  /** The profile whose gateway serves this home too. */
  readonly served_by?: string;
}

/** What is known of a gateway from outside. */
export interface RunningGateway extends ProcessRecord {
  /** The profile whose gateway serves this home beside its own. */
  readonly servedBy?: string | undefined;
}

const stored = z.union([
  z.number().transform((pid) => ({ pid, start_time: null, argv: [] as string[], served_by: undefined })),
  z.looseObject({
    pid: z.number(),
    start_time: z
      .number()
      .nullish()
      .transform((ticks) => ticks ?? null),
    argv: z.array(z.string()).default([]),
    served_by: z.string().optional().catch(undefined),
  }),
]);

export function pidFile(homePath: string): string {
  return join(homePath, 'gateway.pid');
}

export function gatewayRecord(): GatewayRecord {
  const { pid, start_time } = ownRecord();
  return { pid, kind: 'hermes-gateway', argv: process.argv.slice(1), start_time };
}

/** The gateway that runs in this home; a record of one that does not is removed. */
export function runningGateway(homePath: string): RunningGateway | undefined {
  const record = readRecord(pidFile(homePath));
  if (record === undefined) return undefined;
  if (record.pid !== process.pid && isAlive(record) && isGateway(record))
    return { pid: record.pid, start_time: record.start_time, servedBy: record.served_by };
  // Somebody else may have begun meanwhile; their record stays.
  if (readRecord(pidFile(homePath))?.pid === record.pid) rmSync(pidFile(homePath), { force: true });
  return undefined;
}

export interface GatewayLock {
  /** The lock goes with the process too, but its record of who runs only here. */
  release(): void;
}

/**
 * Undefined while another gateway holds it, whatever its record says. Nothing else in this process may open the file: its
 * closing would give the lock back (https://www.sqlite.org/howtocorrupt.html, section 2.2). `servedBy`: the profile whose
 * gateway serves this home too.
 */
export function lockGateway(homePath: string, servedBy?: string): GatewayLock | undefined {
  const path = join(homePath, 'gateway.lock');
  // The first attempt may only have emptied what the last gateway wrote.
  const lock = tryFileLock(path) ?? tryFileLock(path);
  if (lock === undefined) return undefined;
  const record = servedBy === undefined ? gatewayRecord() : { ...gatewayRecord(), served_by: servedBy };
  const text = `${JSON.stringify(record)}\n`;
  const file = openSync(path, 'r+');
  ftruncateSync(file);
  writeSync(file, text);
  writeFileAtomic(pidFile(homePath), text);
  return {
    release() {
      if (readRecord(pidFile(homePath))?.pid === process.pid) rmSync(pidFile(homePath), { force: true });
      lock.close();
      closeSync(file);
    },
  };
}

function readRecord(path: string): z.infer<typeof stored> | undefined {
  try {
    return stored.safeParse(parseJson(readFileSync(path, 'utf8'))).data;
  } catch {
    // There is none.
    return undefined;
  }
}

/** By what the system says of the process, else by what it wrote of itself: a number is soon somebody else's. */
function isGateway({ pid, argv }: ProcessRecord & { readonly argv: readonly string[] }): boolean {
  const words = commandLine(pid) ?? argv;
  if (words.length === 0) return isRunning(pid);
  return words.some((word) => word === 'gateway' || /hermes[-_]gateway|gateway[/.]run/.test(word));
}

function commandLine(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .filter((word) => word !== '');
  } catch {
    // No such file system here, or it belongs to somebody else.
    return undefined;
  }
}
