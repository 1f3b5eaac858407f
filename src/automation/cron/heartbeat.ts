/** `cron/ticker_heartbeat` and `ticker_last_success`: that somebody looks for due jobs, for those who ask from outside. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import type { Log } from '../../lib/log.ts';

export class Heartbeat {
  readonly #folder: string;
  readonly #log: Log;

  constructor(homePath: string, log: Log) {
    this.#folder = join(homePath, 'cron');
    this.#log = log;
  }

  beat(): void {
    this.#write('ticker_heartbeat');
  }

  succeeded(): void {
    this.#write('ticker_last_success');
  }

  /** A full disk does not keep jobs from running. */
  #write(name: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileAtomic(join(this.#folder, name), String(Date.now() / 1000), { durable: false });
    } catch (error) {
      this.#log.warning(`${name} could not be written`, error);
    }
  }
}

/** When the ticker was last heard of, in milliseconds since 1970; undefined when it never was. */
export function lastBeat(homePath: string): number | undefined {
  try {
    const seconds = Number(readFileSync(join(homePath, 'cron', 'ticker_heartbeat'), 'utf8'));
    return Number.isFinite(seconds) ? seconds * 1000 : undefined;
  } catch {
    // Nobody has ever looked for jobs here.
    return undefined;
  }
}
