/** Which backend searches, and which reads pages. */
import type { Config } from '../../../config/schema.ts';
import { UserError } from '../../../lib/errors.ts';
import type { SessionWeb } from '../session-web.ts';
import { webBackends } from './catalogue.ts';
import type { BackendEntry, Capability } from './web-backend.ts';

/**
 * What `web.search_backend` or `web.extract_backend` names and is usable, then `web.backend`, then the first that is set
 * up, then what needs no key. The last only where nothing was named: who named a service does not expect another one to
 * see what is asked. A service for searching that `web.backend` names leaves reading to the others.
 *
 * Throws `UserError` when what was named cannot be used and nothing else is set up.
 */
export function resolveBackend(capability: Capability, { web }: Pick<Config, 'web'>, access: SessionWeb): BackendEntry {
  const all = backendsOf(access);
  const own = named(`web.${capability}_backend`, web[`${capability}_backend`], all);
  if (own !== undefined && !can(own.backend, capability)) throw cannot(own, capability, all);
  const shared = named('web.backend', web.backend, all) ?? (web.use_gateway ? throughGateway(all) : undefined);
  const usable = [own, shared].find((entry) => entry !== undefined && isUsable(entry.backend, capability, access));
  if (usable !== undefined) return usable.backend;
  const wanted = own ?? (shared !== undefined && can(shared.backend, capability) ? shared : undefined);
  const found = all.find(
    (backend) =>
      backend.onlyNamed !== true &&
      (backend.needs !== undefined || wanted === undefined) &&
      isUsable(backend, capability, access),
  );
  if (found !== undefined) return found;
  if (wanted !== undefined) throw notSetUp(wanted);
  throw new UserError(`No web ${capability} provider configured. Set web.${capability}_backend.`);
}

interface Named {
  readonly key: string;
  readonly backend: BackendEntry;
}

/** Who wants the gateway has named what is behind it. */
function throughGateway(all: readonly BackendEntry[]): Named | undefined {
  return named('web.use_gateway', 'firecrawl', all);
}

/** Those of the program, or what a plug-in put in their place, and further ones of plug-ins. */
function backendsOf({ added = [] }: SessionWeb): readonly BackendEntry[] {
  if (added.length === 0) return webBackends;
  const own = webBackends.map((backend) => added.find(({ id }) => id === backend.id) ?? backend);
  return [...own, ...added.filter((backend) => !own.includes(backend))];
}

function can(backend: BackendEntry, capability: Capability): boolean {
  return backend.capabilities.includes(capability);
}

function isUsable(backend: BackendEntry, capability: Capability, access: SessionWeb): boolean {
  return can(backend, capability) && backend.isAvailable(access);
}

function named(key: string, value: string, all: readonly BackendEntry[]): Named | undefined {
  const id = value.trim().toLowerCase();
  if (id === '' || id === 'auto') return undefined;
  const backend = all.find((known) => known.id === id);
  if (backend !== undefined) return { key, backend };
  throw new UserError(`${key} is '${value}', which is no backend.`, {
    hint: `There are ${all.map((known) => known.id).join(', ')}.`,
  });
}

function cannot({ backend }: Named, capability: Capability, all: readonly BackendEntry[]): UserError {
  const able = all.filter((other) => can(other, capability)).map(({ id }) => id);
  const list = `${able.slice(0, -1).join(', ')}, or ${able.at(-1) ?? ''}`;
  return new UserError(
    capability === 'extract'
      ? `${backend.name} is a search-only backend and cannot extract URL content. Set web.extract_backend to ${list}.`
      : `${backend.name} cannot search the web. Set web.search_backend to ${list}.`,
  );
}

function notSetUp({ key, backend }: Named): UserError {
  if (key === 'web.use_gateway') {
    return new UserError('web.use_gateway is true, and nobody is logged in. Log in with `hermes auth add nous`.');
  }
  return new UserError(`${key} is '${backend.id}', and ${backend.needs ?? 'what it needs'} is not set.`);
}
