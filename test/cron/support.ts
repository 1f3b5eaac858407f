/** A home with jobs, on a clock that stands still until it is moved. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { JobDesk } from '../../src/cron/job-desk.ts';
import { JobStore } from '../../src/cron/job-store.ts';
import { noLog, type Log } from '../../src/lib/log.ts';

export interface Clock {
  now: number;
  zone: string;
}

export function setUp(t: TestContext, { at = '2026-07-20T10:30:00Z', zone = 'UTC' } = {}) {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-cron-'));
  t.after(() => rmSync(homePath, { recursive: true, force: true }));
  const clock: Clock = { now: Date.parse(at), zone };
  const warnings: string[] = [];
  const log: Log = { ...noLog, warning: (line) => void warnings.push(line) };
  const store = new JobStore({ homePath, log, zone: () => clock.zone, now: () => clock.now });
  const desk = new JobDesk({
    store,
    homePath,
    snapshot: () => Promise.resolve({ provider: 'openrouter', model: 'some/model' }),
  });
  const path = join(homePath, 'cron', 'jobs.json');
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(homePath, name)), { recursive: true });
    writeFileSync(join(homePath, name), text);
  };
  return {
    homePath,
    clock,
    warnings,
    store,
    desk,
    path,
    put,
    text: () => readFileSync(path, 'utf8'),
    /** Records as they stand in the file. */
    records: () => JSON.parse(readFileSync(path, 'utf8')).jobs,
    minutes: (count: number) => void (clock.now += count * 60_000),
  };
}
