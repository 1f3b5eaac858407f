/** A stop must come to an end: what holds it is written down, and the process leaves. */
import { join } from 'node:path';
import { LogFile } from '../../lib/log-file.ts';

/** Ends the process after this time unless what it returns is called. */
export function watchShutdown(homePath: string, afterMs: number, exitCode: number): () => void {
  const timer = setTimeout(() => {
    const held = process.getActiveResourcesInfo();
    const line = { at: new Date().toISOString(), pid: process.pid, after_ms: afterMs, held };
    writeRecord(homePath, 'gateway-shutdown-watchdog.log', line);
    process.exit(exitCode);
  }, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** How the gateway ended, for whoever asks later why. */
export function recordExit(homePath: string, facts: { readonly reason: string; readonly code: number }): void {
  const line = {
    at: new Date().toISOString(),
    pid: process.pid,
    uptime_seconds: Math.round(process.uptime()),
    ...facts,
  };
  writeRecord(homePath, 'gateway-exit-diag.log', line);
}

const limits = { maxBytes: 1024 * 1024, backups: 1 };

function writeRecord(homePath: string, name: string, record: Readonly<Record<string, unknown>>): void {
  const file = new LogFile(join(homePath, 'logs', name), limits);
  file.append(`${JSON.stringify(record)}\n`);
  file.flush();
}
