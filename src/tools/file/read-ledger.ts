/** Remembers what a session has read, to stop read loops, repeated content and stale writes. */
import { createHash } from 'node:crypto';

/** Identifies a file's content. */
export interface Fingerprint {
  readonly size: number;
  readonly digest: string;
}

const maxRegions = 2000;
const maxFiles = 1000;

/** One per session. The runtime reports all tools' calls and compressions of the history. */
export class ReadLedger {
  #lastRequest: string | undefined;
  #timesInARow = 0;
  /** The request that was last answered with content, and how often in a row. */
  #shown: { readonly request: string; readonly times: number } | undefined;
  /** Tools that make requests: they do not count as doing something else in between. */
  readonly #readers = new Set<string>();
  readonly #regions = new Map<string, string>();
  readonly #files = new Map<string, Fingerprint>();
  readonly #misses = new Map<string, number>();

  /** How many times in a row this request of a tool has now been made. */
  noteRequest(tool: string, request: string): number {
    this.#readers.add(tool);
    const named = `${tool} ${request}`;
    this.#timesInARow = named === this.#lastRequest ? this.#timesInARow + 1 : 1;
    this.#lastRequest = named;
    if (this.#shown?.request !== named) this.#shown = undefined;
    return this.#timesInARow;
  }

  /** How many times in a row this request has now been answered with content that was new each time. */
  noteShown(tool: string, request: string): number {
    const named = `${tool} ${request}`;
    const times = this.#shown?.request === named ? this.#shown.times + 1 : 1;
    this.#shown = { request: named, times };
    // Asking again for what has changed is no row of asking for the same.
    if (named === this.#lastRequest) this.#timesInARow = 1;
    return times;
  }

  /** To be called for every tool call: a tool that makes no requests ends a row of repeats. */
  noteCall(tool: string): void {
    if (!this.#readers.has(tool)) this.#resetRepeats();
  }

  /** True when exactly this content was shown for this region before; remembers it either way. */
  wasShown(region: string, content: string): boolean {
    const digest = digestOf(content);
    const known = this.#regions.get(region) === digest;
    remember(this.#regions, region, digest, maxRegions);
    return known;
  }

  /** It was not shown after all. */
  forgetShown(region: string): void {
    this.#regions.delete(region);
  }

  /** What the session knows to be in a file, after reading or writing it. `path` is absolute. */
  noteContents(path: string, contents: Uint8Array): void {
    remember(this.#files, path, fingerprint(contents), maxFiles);
  }

  /** `undefined` when this session has neither read nor written the file. */
  lastKnown(path: string): Fingerprint | undefined {
    return this.#files.get(path);
  }

  forgetContents(path: string): void {
    this.#files.delete(path);
  }

  /** How many patches of this file in a row have now missed their place. `path` is absolute. */
  noteMiss(path: string): number {
    const misses = (this.#misses.get(path) ?? 0) + 1;
    remember(this.#misses, path, misses, maxFiles);
    return misses;
  }

  forgetMisses(path: string): void {
    this.#misses.delete(path);
  }

  /**
   * After a compression of the history: what was shown is no longer in view and may be shown again. What files held
   * stays known, so that later writes are still checked.
   */
  clear(): void {
    this.#regions.clear();
    this.#resetRepeats();
  }

  #resetRepeats(): void {
    this.#lastRequest = undefined;
    this.#timesInARow = 0;
    this.#shown = undefined;
  }
}

export function fingerprint(contents: Uint8Array): Fingerprint {
  return { size: contents.byteLength, digest: digestOf(contents) };
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}

/** Sets the newest entry and lets go of the oldest beyond the limit. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > limit && oldest.done !== true) map.delete(oldest.value);
}
