/** `HERMES_DUMP_REQUESTS=1`: what was sent to a model, as files, to find out why a provider refuses it. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import type { SentRequest } from '../llm/endpoint.ts';

export interface RequestDumpOptions {
  readonly directory: string;
  /** Hides secrets in the text. */
  readonly mask: (text: string) => string;
  /** Gets what is written as well. */
  readonly print?: (text: string) => void;
  readonly onProblem: (line: string) => void;
}

/** The newest are kept. */
const maxFiles = 200;

/** One file a request, which only its owner can read. */
export class RequestDump {
  readonly #options: RequestDumpOptions;
  #count = 0;

  constructor(options: RequestDumpOptions) {
    this.#options = options;
  }

  /** Never throws. */
  write(request: SentRequest): void {
    const { directory, mask, print, onProblem } = this.#options;
    this.#count += 1;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const at = new Date().toISOString();
      const number = String(this.#count).padStart(5, '0');
      const name = `request_dump_${at.replaceAll(/[:.]/g, '-')}_${process.pid}_${number}.json`;
      const text = mask(`${JSON.stringify({ at, ...request }, null, 2)}\n`);
      print?.(text);
      writeFileAtomic(join(directory, name), text);
      const kept = readdirSync(directory)
        .filter((file) => file.startsWith('request_dump_'))
        .sort();
      for (const old of kept.slice(0, -maxFiles)) rmSync(join(directory, old), { force: true });
    } catch (error) {
      onProblem(`A request could not be written to ${directory}: ${String(error)}`);
    }
  }
}
