/** `processes.json`: which background processes run, for people and for whoever cleans up after a crash. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';

/** One running process. `session_id` is the process's own id; `started_at` is in seconds since 1970. */
export interface ProcessRecord {
  readonly session_id: string;
  readonly command: string;
  readonly pid: number;
  readonly cwd: string;
  readonly started_at: number;
  readonly task_id: string;
  readonly session_key: string;
  readonly watcher_interval: number;
}

/**
 * Replaces the records of one registry in the file. Those of others stay while their process lives. A home that
 * cannot be written to does not stop anybody from running commands.
 * @param own ids of this registry that the file may hold
 */
export function writeProcessRecords(
  { homePath, log }: { readonly homePath: string; readonly log: Log },
  own: ReadonlySet<string>,
  records: readonly ProcessRecord[],
): void {
  const path = join(homePath, 'processes.json');
  const others = readRecords(path).filter((record) => isForeign(record, own) && isAlive(record['pid']));
  if (others.length === 0 && records.length === 0 && !existsSync(path)) return;
  try {
    writeFileAtomic(path, `${JSON.stringify([...others, ...records], null, 2)}\n`);
  } catch (error) {
    // Only information is lost: the processes themselves are supervised without this file.
    log.warning('the list of background processes was not written', error);
  }
}

function readRecords(path: string): JsonObject[] {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.filter((entry) => isJsonObject(entry)) : [];
  } catch {
    // There is none yet, or it is about to be written anew.
    return [];
  }
}

function isForeign(record: JsonObject, own: ReadonlySet<string>): boolean {
  return typeof record['session_id'] === 'string' && !own.has(record['session_id']);
}

function isAlive(pid: unknown): boolean {
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH, or a process of somebody else that took over the number.
    return false;
  }
}
