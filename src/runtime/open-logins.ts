/** The logins of a home: pools of credentials, findings about providers, and tokens of other programs. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import type { StoredPool } from '../credentials/pool.ts';
import type { KeySeed } from '../credentials/keys.ts';
import type { RouteServices } from '../providers/route-services.ts';
import type { ProgramOptions } from './program.ts';

export interface Logins {
  readonly poolFor: NonNullable<RouteServices['poolFor']>;
  readonly findings: NonNullable<RouteServices['findings']>;
  readonly foreignToken: NonNullable<RouteServices['foreignToken']>;
  close(): Promise<void>;
}

const foreignTokenMs = 5000;
const mostFindings = 200;

/** Reads nothing before it is asked. One pool of a provider serves all sessions of the program. */
export function openLogins({ home, env, config }: Pick<ProgramOptions, 'home' | 'env' | 'config'>): Logins {
  const path = join(home.path, 'auth.json');
  const findingsPath = join(home.path, 'cache', 'provider_findings.json');
  const pools = new Map<string, Promise<StoredPool | undefined>>();

  async function openPool(provider: string, seeds: readonly KeySeed[]): Promise<StoredPool | undefined> {
    const { openPoolOf } = await import('../credentials/open-pool.ts');
    return await openPoolOf({
      path,
      provider,
      seeds,
      env,
      strategy: config.config.credential_pool_strategies[provider] ?? 'fill_first',
    });
  }

  return {
    async poolFor(provider, seeds): Promise<CredentialPool | undefined> {
      // One key and no stored login: the usual case, for which nothing is loaded.
      if (seeds.length < 2 && !existsSync(path)) return undefined;
      const key = JSON.stringify([provider, seeds.map(({ source }) => source)]);
      const known = pools.get(key) ?? openPool(provider, seeds);
      pools.set(key, known);
      const pool = await known;
      // A login that is made later must be found.
      if (pool === undefined) pools.delete(key);
      return pool;
    },
    findings: {
      get: (key) => Promise.resolve(readFindings(findingsPath)[key]),
      async set(key, value) {
        const { [key]: _old, ...others } = readFindings(findingsPath);
        // The newest stand last.
        const kept = Object.fromEntries([...Object.entries(others), [key, value]].slice(-mostFindings));
        mkdirSync(dirname(findingsPath), { recursive: true });
        writeFileAtomic(findingsPath, `${JSON.stringify(kept, null, 2)}\n`);
      },
    },
    async foreignToken(provider, signal) {
      if (provider !== 'copilot') return undefined;
      const { printedBy } = await import('../environments/printed-by.ts');
      return await printedBy(['gh', 'auth', 'token'], env, foreignTokenMs, signal);
    },
    async close() {
      for (const opened of await Promise.allSettled(pools.values())) {
        if (opened.status === 'fulfilled') await opened.value?.close();
      }
    },
  };
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
