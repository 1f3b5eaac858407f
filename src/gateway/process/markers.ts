/** Small files by which one process tells the gateway why it is being ended, and one gateway tells the next how it ended. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';

/** `takeover`: another gateway takes its place. `stop`: somebody wants it to end. */
export type PlannedEnd = 'takeover' | 'stop';

const files: Readonly<Record<PlannedEnd, string>> = {
  takeover: '.gateway-takeover.json',
  stop: '.gateway-planned-stop.json',
};
const validMs = 60_000;
const marker = z.looseObject({ target_pid: z.number(), written_at: z.string() });

export function announceEnd(homePath: string, kind: PlannedEnd, pid: number): void {
  const text = JSON.stringify({ target_pid: pid, by_pid: process.pid, written_at: new Date().toISOString() });
  writeFileAtomic(join(homePath, files[kind]), `${text}\n`);
}

/** What was announced to this process lately; it counts once. */
export function takeAnnouncedEnd(homePath: string, now = Date.now()): PlannedEnd | undefined {
  const kinds = (['takeover', 'stop'] as const).filter((kind) => isForUs(join(homePath, files[kind]), now));
  for (const kind of kinds) rmSync(join(homePath, files[kind]), { force: true });
  return kinds[0];
}

/** The last stop was orderly: nothing has to be looked for. */
export function markCleanEnd(homePath: string): void {
  writeFileAtomic(cleanPath(homePath), '');
}

/** True when the last gateway did not end in good order, or there was none. */
export function leftUnclean(homePath: string): boolean {
  return !existsSync(cleanPath(homePath));
}

/** True when the last gateway ended in good order; asked once. */
export function takeCleanEnd(homePath: string): boolean {
  const clean = existsSync(cleanPath(homePath));
  rmSync(cleanPath(homePath), { force: true });
  return clean;
}

function cleanPath(homePath: string): string {
  return join(homePath, '.clean_shutdown');
}

function isForUs(path: string, now: number): boolean {
  try {
    const { target_pid: pid, written_at: at } = marker.parse(parseJson(readFileSync(path, 'utf8')));
    return pid === process.pid && now - Date.parse(at) < validMs;
  } catch {
    return false;
  }
}
