/** `moa.save_traces`: what each model of a mixture was sent and said, a file for each session and a line for each answer. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../lib/log.ts';
import type { MixtureRecord } from './mixture.ts';

export interface MixtureTraceOptions {
  readonly directory: string;
  /** Hides secrets in the text. */
  readonly mask: (text: string) => string;
  readonly log: Log;
}

/** Files that only their owner can read; they are never read back, and can be deleted. */
export class MixtureTrace {
  readonly #options: MixtureTraceOptions;

  constructor(options: MixtureTraceOptions) {
    this.#options = options;
  }

  /** Never throws: a trace that cannot be written is told in the log. */
  write(record: MixtureRecord): void {
    const { directory, mask, log } = this.#options;
    const name = (record.session_id ?? 'unknown-session').replaceAll(/[^\w.-]/g, '_');
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const line = JSON.stringify({ ts: Date.now() / 1000, ...record });
      appendFileSync(join(directory, `${name}.jsonl`), `${mask(line)}\n`, { mode: 0o600 });
    } catch (error) {
      log.warning(`what a mixture of models said could not be written to ${directory}`, error);
    }
  }
}
