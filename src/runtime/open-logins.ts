/** The logins of a home: pools of credentials, findings about providers, and tokens of other programs. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copilotHost } from '../config/model-variables.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import type { StoredPool } from '../credentials/pool.ts';
import type { KeySeed } from '../credentials/keys.ts';
import type { RouteServices } from '../providers/route-services.ts';
import type { ProgramOptions } from './program-options.ts';

const foreignTokenMs = 5000;
const maxFindings = 200;

export type LoginsOptions = Pick<ProgramOptions, 'home' | 'env' | 'config'> & { readonly log: Log };

/** Reads nothing before it is asked. One pool of a provider serves all sessions of the program. */
export class HomeLogins {
  readonly findings: NonNullable<RouteServices['findings']>;
  readonly #options: LoginsOptions;
  readonly #path: string;
  readonly #pools = new Map<string, Promise<StoredPool | undefined>>();

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.#path = join(options.home.path, 'auth.json');
    this.findings = findingsOf(options.home.path);
  }

  async poolFor(provider: string, seeds: readonly KeySeed[]): Promise<CredentialPool | undefined> {
    // One key and no stored login: the usual case, for which nothing is loaded.
    if (seeds.length < 2 && !existsSync(this.#path)) return undefined;
    const key = JSON.stringify([provider, seeds.map(({ source }) => source)]);
    const known = this.#pools.get(key) ?? this.#openPool(provider, seeds);
    this.#pools.set(key, known);
    const pool = await known;
    // A login that is made later must be found.
    if (pool === undefined) this.#pools.delete(key);
    return pool;
  }

  async foreignToken(provider: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (provider !== 'copilot') return undefined;
    const { printedBy } = await import('../environments/printed-by.ts');
    const { env } = this.#options;
    const host = copilotHost(env);
    const argv = ['gh', 'auth', 'token', ...(host === undefined ? [] : ['--hostname', host])] as const;
    return await printedBy(argv, env, foreignTokenMs, signal);
  }

  async close(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#pools.values())) {
      if (opened.status === 'fulfilled') await opened.value?.close();
    }
  }

  async #openPool(provider: string, seeds: readonly KeySeed[]): Promise<StoredPool | undefined> {
    const { env: variables, config, log } = this.#options;
    const { openPoolOf } = await import('../credentials/open-pool.ts');
    const strategy = config.config.credential_pool_strategies[provider] ?? 'fill_first';
    return await openPoolOf({ path: this.#path, provider, seeds, variables, log, strategy });
  }
}

/** What is found out about providers in this home. */
export function findingsOf(homePath: string): StoredFindings {
  return new StoredFindings(join(homePath, 'cache', 'provider_findings.json'));
}

/** Small facts about providers, in one file of the home. */
class StoredFindings implements NonNullable<RouteServices['findings']> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(readFindings(this.#path)[key]);
  }

  /** How many there were. */
  forget(prefix: string): number {
    const all = Object.entries(readFindings(this.#path));
    const kept = all.filter(([key, value]) => !key.startsWith(prefix) || value === '0');
    if (kept.length < all.length) writeFileAtomic(this.#path, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
    return all.length - kept.length;
  }

  async set(key: string, value: string): Promise<void> {
    const { [key]: _old, ...others } = readFindings(this.#path);
    // The newest stand last.
    const kept = Object.fromEntries([...Object.entries(others), [key, value]].slice(-maxFindings));
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileAtomic(this.#path, `${JSON.stringify(kept, null, 2)}\n`);
  }
}

/** A damaged file holds nothing that cannot be found out again. */
function readFindings(path: string): Readonly<Record<string, string>> {
  if (!existsSync(path)) return {};
  const value = parseJson(readFileSync(path, 'utf8'));
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
