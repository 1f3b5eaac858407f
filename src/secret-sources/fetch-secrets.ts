/** Asks all secret managers that are switched on; none can stop or delay the start for longer than its time. */
import { errorMessage } from '../lib/errors.ts';
import { SourceCache } from './cache.ts';
import { SourceFailure } from './failure.ts';
import type { Problem, SecretSource } from './source.ts';

/** What one source gave. */
export interface Fetched {
  readonly source: SecretSource;
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  /** Why it gave nothing. */
  readonly failure?: SourceFailure;
  /** Seconds since it was asked, when the values were still there from before. */
  readonly age?: number;
  /** Why the values could not be kept for the next start. */
  readonly notKept?: string;
}

export interface FetchOptions {
  readonly homePath: string;
  /** Ask even when there are values from before. */
  readonly fresh?: boolean;
  /** Default: what was fetched is kept for the next start. */
  readonly keep?: boolean;
  readonly now?: () => number;
}

/** Side by side; never rejects. */
export function fetchSecrets(sources: readonly SecretSource[], options: FetchOptions): Promise<readonly Fetched[]> {
  return Promise.all(sources.map((source) => fetchFrom(source, options)));
}

async function fetchFrom(source: SecretSource, options: FetchOptions): Promise<Fetched> {
  const { homePath, fresh = false, keep = true, now } = options;
  const cache = new SourceCache(homePath, source.cacheFile, now);
  const { cacheKey, cacheSeconds } = source;
  if (cacheSeconds > 0 && cacheKey !== undefined && !fresh) {
    const cached = cache.read(cacheKey);
    if (cached !== undefined && cached.age < cacheSeconds) {
      return { source, values: cached.values, problems: [], age: cached.age };
    }
  }
  const asked = await askInTime(source);
  const notKept = keep ? keepFor(cache, asked) : undefined;
  return notKept === undefined ? asked : { ...asked, notKept };
}

async function askInTime(source: SecretSource): Promise<Fetched> {
  const signal = AbortSignal.timeout(source.timeoutSeconds * 1000);
  try {
    const { values, problems } = await source.ask(signal);
    return { source, values, problems };
  } catch (error) {
    const failure = error instanceof SourceFailure ? error : new SourceFailure('internal', errorMessage(error));
    return { source, values: new Map(), problems: [], failure };
  }
}

/** A fetch that lacks something is asked for again with the next start. Returns why the values could not be kept. */
function keepFor(cache: SourceCache, { source, values, problems, failure }: Fetched): string | undefined {
  try {
    if (source.cacheSeconds === 0 || source.cacheKey === undefined) cache.remove();
    else if (failure === undefined && problems.length === 0) cache.write(source.cacheKey, values);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
