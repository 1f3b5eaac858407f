/** A pool over a real file with a clock that the test turns. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FileAuthStore } from '../../src/credentials/auth-store.ts';
import type { Credential, CredentialPool, Outcome } from '../../src/credentials/credential.ts';
import { StoredCredentialPool, type PoolOptions } from '../../src/credentials/pool.ts';

export const hour = 3_600_000;

export const ok: Outcome = { kind: 'ok' };

export function failed(status: number, more: { exhausted?: boolean; retryAfterMs?: number } = {}): Outcome {
  return { kind: 'failed', status, exhausted: false, reason: `HTTP ${status}`, ...more };
}

export const never = new AbortController().signal;

/** Keys as the environment gives them: `KEY_A` holds `secret-a`. */
export function keys(...names: string[]) {
  return names.map((name) => ({ source: `env:KEY_${name.toUpperCase()}`, secret: `secret-${name}` }));
}

export function setUp(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'pool-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, 'auth.json');
  const clock = { at: Date.UTC(2026, 0, 1), now: () => clock.at };
  return {
    path,
    clock,
    store: new FileAuthStore(path),
    exists: () => existsSync(path),
    text: () => readFileSync(path, 'utf8'),
    /** The stored entries of the provider `test`. */
    stored: () => JSON.parse(readFileSync(path, 'utf8')).credential_pool?.test ?? [],
    write: (pool: unknown[], more: object = {}) =>
      writeFileSync(path, JSON.stringify({ version: 1, credential_pool: { test: pool }, ...more })),
    /** Every call is another process as far as the pool is concerned. */
    pool: (options: Partial<PoolOptions> = {}) =>
      new StoredCredentialPool({
        store: new FileAuthStore(path),
        provider: 'test',
        seeds: keys('a', 'b'),
        clock,
        ...options,
      }),
  };
}

export async function taken(pool: CredentialPool): Promise<Credential> {
  const credential = await pool.take(never);
  if (credential === undefined) throw new Error('the pool gave nothing');
  return credential;
}

/** Takes, reports, and tells which secret it was and what to do. */
export async function use(pool: CredentialPool, outcome: Outcome): Promise<[string, string]> {
  const credential = await taken(pool);
  return [credential.secret, await pool.report(credential, outcome, never)];
}
