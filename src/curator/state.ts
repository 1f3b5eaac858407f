/** `.curator_state`: when the curator ran last, and whether it is paused. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';

export interface CuratorState {
  /** Undefined when it was never looked at. */
  readonly lastRunAt: Date | undefined;
  readonly paused: boolean;
  readonly runCount: number;
  readonly lastSummary: string;
}

/** A missing or damaged file is that of a fresh home. Throws when it cannot be read. */
export function readCuratorState(homePath: string): CuratorState {
  const { last_run_at: last, paused, run_count: runs, last_run_summary: summary } = readRaw(homePath);
  const at = typeof last === 'string' ? new Date(last) : undefined;
  return {
    lastRunAt: at === undefined || Number.isNaN(at.getTime()) ? undefined : at,
    paused: paused === true,
    runCount: typeof runs === 'number' ? runs : 0,
    lastSummary: typeof summary === 'string' ? summary : '',
  };
}

/** Changes some keys and keeps the others, known or not; writes nothing where `change` has nothing to say. */
export async function changeCuratorState(
  homePath: string,
  change: (state: CuratorState) => JsonObject | undefined,
): Promise<void> {
  await withFileLock(join(homePath, 'skills', '.curator.lock'), () => {
    const changed = change(readCuratorState(homePath));
    if (changed === undefined) return;
    writeFileAtomic(pathOf(homePath), `${JSON.stringify({ ...readRaw(homePath), ...changed }, null, 2)}\n`);
  });
}

function pathOf(homePath: string): string {
  return join(homePath, 'skills', '.curator_state');
}

function readRaw(homePath: string): JsonObject {
  const path = pathOf(homePath);
  // Every session asks, and an error costs more than a look.
  if (!existsSync(path)) return {};
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return {};
  }
}
