/** `processes.json`: which background processes run, for people and for whoever cleans up after a crash. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';

/**
 * One running process, with the fields that the original writes and adopts processes by. `session_id` is the process's
 * own id; `started_at` is in seconds since 1970.
 */
export interface ProcessRecord {
  readonly session_id: string;
  readonly command: string;
  readonly pid: number;
  /** Whether the number is one of this machine. */
  readonly pid_scope: 'host' | 'sandbox';
  readonly cwd: string;
  readonly started_at: number;
  readonly task_id: string;
  readonly session_key: string;
  readonly notify_on_complete: boolean;
  readonly watch_patterns: readonly string[];
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
  const others = readRecords(path).filter((record) => isForeign(record, own) && isRunning(record));
  if (others.length === 0 && records.length === 0 && !existsSync(path)) return;
  try {
    writeFileAtomic(path, `${JSON.stringify([...others, ...records.map(written)], null, 2)}\n`);
  } catch (error) {
    // Only information is lost: the processes themselves are supervised without this file.
    log.warning('the list of background processes was not written', error);
  }
}

/** For nobody's chat. */
function written(record: ProcessRecord): JsonObject {
  return {
    ...record,
    watch_patterns: [...record.watch_patterns],
    host_start_time: (record.pid_scope === 'host' ? startTicks(record.pid) : undefined) ?? null,
    watcher_platform: '',
    watcher_chat_id: '',
    watcher_user_id: '',
    watcher_user_name: '',
    watcher_thread_id: '',
    watcher_message_id: '',
    watcher_interval: 0,
  };
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

/** Of a process elsewhere nothing can be asked: its record counts for a day. */
const sandboxRecordSeconds = 24 * 3600;

/** A number that another process has taken over stands for nothing. */
function isRunning({ pid, pid_scope: scope, started_at: since, host_start_time: started }: JsonObject): boolean {
  if (scope === 'sandbox') return typeof since === 'number' && Date.now() / 1000 - since < sandboxRecordSeconds;
  if (!isAlive(pid)) return false;
  return typeof started !== 'number' || startTicks(pid) === started;
}

/** When the kernel began the process, in its ticks since the machine started; undefined where it does not say. */
function startTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 22 (proc_pid_stat(5)). The name in field 2 may hold spaces, so they are counted after its end.
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return Number.isInteger(ticks) ? ticks : undefined;
  } catch {
    // It has ended, or there is no /proc.
    return undefined;
  }
}

function isAlive(pid: unknown): pid is number {
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH, or a process of somebody else that took over the number.
    return false;
  }
}
