/** What `hermes proxy` does: runs the proxy until it is ended, and says whose login it could use. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { displayPath } from '../../config/home.ts';
import { loadManagedScope, refusePackagedInstall, refusePinnedVariable } from '../../config/managed.ts';
import { proxyKey, proxyKeyVariable } from '../../config/model-proxy.ts';
import type { Variables } from '../../config/variables.ts';
import { isDead } from '../../credentials/cool-down.ts';
import type { Outcome } from '../../credentials/credential.ts';
import type { Member } from '../../credentials/pool-members.ts';
import { isLoopback } from '../../http/door.ts';
import { startProxy } from '../../http/proxy/start-proxy.ts';
import { findUpstream, type Upstream, upstreams } from '../../http/proxy/upstreams.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { openForwarding } from '../../providers/forwarding.ts';
import { openModelAccess } from '../../runtime/model-access.ts';
import { type Credentials, openCredentials } from '../auth/credentials.ts';
import type { CliContext } from '../command.ts';

export interface ProxyStartOptions {
  readonly provider: string;
  readonly host: string;
  readonly port: number;
}

/** A login that is renewed may take as long as its provider does. */
const readyMs = 90_000;

/** Runs until it is interrupted. Throws `UserError`: 2 for a provider that is unknown or without a login, 1 for a port that is taken. */
export async function start(context: CliContext, options: ProxyStartOptions): Promise<void> {
  const { home, log, io } = context;
  const upstream = upstreamNamed(options.provider);
  const credentials = await openCredentials(context);
  const isSignedIn = () => usable(credentials, upstream).length > 0;
  if (!isSignedIn()) throw notSignedIn(upstream);
  const env = await withKey(context);
  const config = await context.config();
  const models = await openModelAccess({ home, env, config, longLived: true, log });
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const forwarding = await openForwarding(upstream.provider, models.sources, stopping.signal);
    const { host, port } = options;
    const server = await startProxy({ home, config, env, log, host, port, upstream, forwarding, isSignedIn });
    io.stderr.write(
      [
        `Forwarding to ${upstream.title}; listening on ${server.url}/v1`,
        `Programs need the key that stands as ${proxyKeyVariable} in ${displayPath(join(home.path, '.env'), env)}.`,
        ...(isLoopback(host) ? [] : ['Other machines reach it: whoever has the key uses your login, unencrypted.']),
        'Ctrl+C ends it.\n',
      ].join('\n'),
    );
    await untilAborted(stopping.signal);
    await server.stop();
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await models.close();
  }
}

/** Renews a login that is about to expire, as the next request would. */
export async function showStatus(context: CliContext): Promise<void> {
  const { home, env, log, io } = context;
  const credentials = await openCredentials(context);
  const models = await openModelAccess({ home, env, config: await context.config(), log });
  try {
    for (const upstream of upstreams) {
      const state = await stateOf(upstream);
      io.stdout.write(`${upstream.name.padEnd(5)} ${upstream.title}: ${state}\n`);
    }
  } finally {
    await models.close();
  }
  io.stdout.write('Start it with: hermes proxy start [--provider <name>]\n');

  async function stateOf(upstream: Upstream): Promise<string> {
    if (usable(credentials, upstream).length === 0) return 'not logged in';
    try {
      const { credentials: pool } = await openForwarding(upstream.provider, models.sources);
      const signal = AbortSignal.timeout(readyMs);
      const credential = await pool.take(signal);
      if (credential === undefined) return `needs attention (${pool.nothingLeft?.()?.message ?? upstream.login})`;
      await pool.report(credential, notSent, signal);
      const member = usable(credentials, upstream).find(({ entry }) => entry.id === credential.id);
      return member?.expiresAt === undefined ? 'ready' : `ready (until ${new Date(member.expiresAt).toISOString()})`;
    } catch (error) {
      return `needs attention (${maskKeys(errorMessage(error))})`;
    }
  }
}

export function listProviders({ io }: CliContext): void {
  for (const { name, title, paths } of upstreams) {
    io.stdout.write(`${name.padEnd(5)} ${title}: ${paths.map((path) => `/v1${path}`).join(', ')}\n`);
  }
}

const notSent: Outcome = { kind: 'failed', exhausted: false, reason: 'nothing was sent' };

function upstreamNamed(name: string): Upstream {
  const upstream = findUpstream(name);
  if (upstream !== undefined) return upstream;
  throw new UserError(`The proxy cannot forward to '${name}'.`, {
    exitCode: 2,
    hint: `It can to: ${upstreams.map((known) => known.name).join(', ')}.`,
  });
}

function notSignedIn({ title, login }: Upstream): UserError {
  return new UserError(`Not logged in to ${title}.`, { exitCode: 2, hint: `Log in with: ${login}` });
}

/** A login that has ended is none. */
function usable(credentials: Credentials, { provider }: Upstream): readonly Member[] {
  return credentials
    .of(provider)
    .filter(({ entry, secret, refreshToken }) => !isDead(entry) && (secret !== '' || refreshToken !== undefined));
}

/** Makes a key that nobody can guess, unless there is one. */
async function withKey({ home, env, reloadVariables }: CliContext): Promise<Variables> {
  if (proxyKey(env) !== '') return env;
  refusePackagedInstall(home, env);
  refusePinnedVariable(await loadManagedScope(env), proxyKeyVariable);
  const key = randomBytes(32).toString('base64url');
  setEnvValue(join(home.path, '.env'), proxyKeyVariable, key);
  reloadVariables();
  return { ...env, [proxyKeyVariable]: key };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await once(signal, 'abort');
}
