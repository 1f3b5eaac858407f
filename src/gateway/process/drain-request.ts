/** `.drain_request.json`: while it is there, the gateway stays up and begins nothing new. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';

/** How long what was seen counts without looking again, in milliseconds. */
const freshMs = 1000;

const time = z.union([
  z.number().transform((seconds) => seconds * 1000),
  z.string().transform((text) => Date.parse(text)),
]);
const request = z.looseObject({ requested_at: time.optional().catch(undefined) });

export class DrainRequest {
  readonly #path: string;
  readonly #startedAt: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen: string | undefined;
  #active = false;

  /** `startedAt`: milliseconds since the epoch; what was asked of an earlier gateway is not asked of this one. */
  constructor(homePath: string, startedAt: number) {
    this.#path = join(homePath, '.drain_request.json');
    this.#startedAt = startedAt;
  }

  get active(): boolean {
    if (performance.now() - this.#lookedAt < freshMs) return this.#active;
    this.#lookedAt = performance.now();
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const seen = found === undefined ? undefined : `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (seen !== this.#seen) this.#active = seen !== undefined && this.#isForUs();
    this.#seen = seen;
    return this.#active;
  }

  /** One that cannot be read is an order all the same: whoever wrote it wants no more turns. */
  #isForUs(): boolean {
    const { data } = request.safeParse(readOrNone(this.#path));
    const at = data?.requested_at;
    return at === undefined || Number.isNaN(at) || at >= this.#startedAt;
  }
}

function readOrNone(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
