/** Where requests of other programs are forwarded to, and which credentials travel with them. */
import type { Credential, CredentialPool } from '../credentials/credential.ts';
import type { Network } from '../lib/connections.ts';
import { accessFor } from './access.ts';
import { KeyAuthorizer } from './authorizer.ts';
import { withoutSlash } from './endpoint-address.ts';
import { networkOf } from './endpoint-options.ts';
import type { RouteSources } from './route-services.ts';
import { chooseTarget, withAddress } from './target.ts';

export interface Forwarding {
  /** How the address is reached. */
  readonly network: Network;
  /** Must be told how each request went; one key alone is a pool too, which has no second one. */
  readonly credentials: CredentialPool;
  /** The address for a credential, without a slash at its end. */
  baseUrlFor(credential: Credential): string;
  /** The headers that carry the credential; they hold the secret. */
  headersFor(credential: Credential): Promise<Readonly<Record<string, string>>>;
}

/** Asks the network for nothing. Throws `UserError` without a login or a key for the provider, and without an address. */
export async function openForwarding(
  provider: string,
  sources: RouteSources,
  signal?: AbortSignal,
): Promise<Forwarding> {
  const target = withAddress(chooseTarget({ provider }, sources), sources);
  const access = await accessFor(target, sources, signal);
  if (access.kind === 'cloud') throw new Error(`requests to ${provider} are signed, and cannot be forwarded`);
  const { profile } = target.chosen;
  const usual = withoutSlash(profile.baseUrl);
  const configured = withoutSlash(target.address.baseUrl);
  // Stored logins carry the usual address; only another one says something.
  const baseUrlFor = ({ baseUrl }: Credential): string => {
    const own = baseUrl === undefined ? usual : withoutSlash(baseUrl);
    return own === usual || !target.address.isDefault ? configured : own;
  };
  return {
    network: networkOf(target.chosen, sources),
    credentials: access.kind === 'pool' ? access.pool : loneKey(provider, access.key),
    baseUrlFor,
    headersFor(credential) {
      const use = { profile, apiMode: 'chat_completions', baseUrl: baseUrlFor(credential) } as const;
      return new KeyAuthorizer(credential.secret, use, credential.account).headers();
    },
  };
}

function loneKey(provider: string, secret: string): CredentialPool {
  const only: Credential = { id: provider, label: provider, secret };
  return { take: async () => only, report: async () => 'none' };
}
