/** `HERMES_DUMP_REQUESTS=1`: what was sent to a model, as files, to find out why a provider refuses it. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import type { JsonObject } from '../lib/json.ts';

export interface DumpedRequest {
  readonly provider: string;
  readonly url: string;
  readonly body: JsonObject;
}

/** Must not throw. Gets no headers, since the key is among them. */
export type DumpRequest = (request: DumpedRequest) => void;

/** The newest are kept. */
const mostFiles = 200;

/** One file a request in `directory`, which only its owner can read. `mask` hides secrets in the text. */
export function createRequestDump(
  directory: string,
  mask: (text: string) => string,
  onProblem: (line: string) => void,
  now: () => Date = () => new Date(),
): DumpRequest {
  let count = 0;
  return (request) => {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const at = now().toISOString();
      const name = `request_dump_${at.replaceAll(/[:.]/g, '-')}_${process.pid}_${String(++count).padStart(5, '0')}.json`;
      writeFileAtomic(join(directory, name), mask(`${JSON.stringify({ at, ...request }, null, 2)}\n`));
      const kept = readdirSync(directory)
        .filter((file) => file.startsWith('request_dump_'))
        .sort();
      for (const old of kept.slice(0, -mostFiles)) rmSync(join(directory, old), { force: true });
    } catch (error) {
      onProblem(`A request could not be written to ${directory}: ${String(error)}`);
    }
  };
}
