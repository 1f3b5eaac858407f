/**
 * Tokens of Microsoft Entra ID for models on Azure: from an application's secret, or the machine's own identity.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
import { isIPv4 } from 'node:net';
import * as z from 'zod';
import type { EntraVariables } from '../../config/model-variables.ts';
import type { Authorizer } from '../../llm/authorizer.ts';
import { ModelError } from '../../llm/model-error.ts';
import { BearerAuthorizer, type CloudToken, loginFailure } from './cloud-token.ts';

const defaultScope = 'https://ai.azure.com/.default';
const defaultAuthority = 'https://login.microsoftonline.com';
/** Where every virtual machine of Azure finds its identity; nothing answers there on other machines. */
const defaultMachineAuthority = 'http://169.254.169.254';
const machineDeadlineMs = 3000;
const hint =
  'set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or run on Azure with a managed identity, or use AZURE_FOUNDRY_API_KEY';

export interface EntraOptions {
  readonly scope?: string | undefined;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Client credentials when tenant, client and secret are set, else the managed identity of an app service or of a
 * virtual machine; the client alone chooses among several identities.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export function entraAuthorizer(login: EntraVariables, options: EntraOptions = {}): Authorizer {
  const { scope = defaultScope, now = Date.now } = options;
  const { tenant, clientId, secret, identityEndpoint } = login;
  return new BearerAuthorizer(async (deadline) => {
    if (tenant !== '' && clientId !== '' && secret !== '') {
      const authority = login.authority || defaultAuthority;
      return await fromSecret({ authority, tenant, clientId, secret, scope, deadline, now });
    }
    // Half a set is a mistake, and does not mean that something else is wanted.
    if (secret !== '') throw new ModelError('auth', `The login to Azure is incomplete; ${hint}`);
    const asked = { clientId, scope, now };
    if (identityEndpoint !== '') {
      const headers = { 'x-identity-header': login.identityHeader };
      return await fromIdentity({ ...asked, address: identityEndpoint, version: '2019-08-01', headers, deadline });
    }
    const host = login.machineAuthority || defaultMachineAuthority;
    const address = `${host.replace(/\/+$/, '')}/metadata/identity/oauth2/token`;
    const short = AbortSignal.any([deadline, AbortSignal.timeout(machineDeadlineMs)]);
    return await fromIdentity({
      ...asked,
      address,
      version: '2018-02-01',
      headers: { metadata: 'true' },
      deadline: short,
    });
  }, now);
}

interface SecretLogin {
  readonly authority: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly secret: string;
  readonly scope: string;
  readonly deadline: AbortSignal;
  readonly now: () => number;
}

async function fromSecret(login: SecretLogin): Promise<CloudToken> {
  const { authority, tenant, clientId, secret, scope, deadline, now } = login;
  const oauth = await import('oauth4webapi');
  try {
    const issuer = `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenant)}`;
    const url = new URL(`${issuer}/oauth2/v2.0/token`);
    const server = { issuer, token_endpoint: url.href };
    const client = { client_id: clientId };
    // Only this machine may be asked without encryption.
    const insecure = url.protocol === 'http:' && isThisMachine(url.hostname);
    const options = { signal: deadline, ...(insecure ? { [oauth.allowInsecureRequests]: true } : {}) };
    const proof = oauth.ClientSecretPost(secret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, proof, { scope }, options);
    throwIfUnavailable(response);
    const token = await oauth.processClientCredentialsResponse(server, client, response);
    return { value: token.access_token, expiresAtMs: now() + (token.expires_in ?? 0) * 1000 };
  } catch (error) {
    throw loginFailure(`Microsoft Entra did not log in (${explanation(error)})`, error);
  }
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

/** Entra says in `error_description` what is wrong; the library's own message does not. */
function explanation(error: unknown): string {
  const described = z.object({ error_description: z.string() }).safeParse(error);
  if (!described.success) return 'check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET';
  return described.data.error_description.split(/\s*[\r\n]|\s+Trace ID:/)[0]?.slice(0, 200) ?? '';
}

interface IdentityRequest {
  readonly address: string;
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly scope: string;
  readonly deadline: AbortSignal;
  readonly now: () => number;
}

const identitySchema = z.object({
  access_token: z.string().min(1),
  /** Seconds since 1970, or until then. */
  expires_on: z.coerce.number().exactOptional(),
  expires_in: z.coerce.number().exactOptional(),
});

async function fromIdentity(asked: IdentityRequest): Promise<CloudToken> {
  const { scope, clientId, version, headers, deadline, now } = asked;
  try {
    const url = new URL(asked.address);
    url.searchParams.set('api-version', version);
    url.searchParams.set('resource', scope.replace(/\/\.default$/, ''));
    if (clientId !== '') url.searchParams.set('client_id', clientId);
    const response = await fetch(url, { headers, signal: deadline, redirect: 'manual' });
    throwIfUnavailable(response);
    if (!response.ok) throw new Error(`HTTP ${response.status} from ${url.host}`);
    const token = identitySchema.parse(await response.json());
    const expiresAtMs =
      token.expires_on === undefined ? now() + (token.expires_in ?? 0) * 1000 : token.expires_on * 1000;
    return { value: token.access_token, expiresAtMs };
  } catch (error) {
    throw loginFailure(`No login to Azure: there is no managed identity; ${hint}`, error, 'auth');
  }
}

/** A fault of the service says nothing about the login, and may pass. */
function throwIfUnavailable({ status }: Response): void {
  if (status !== 429 && status < 500) return;
  throw new ModelError('network', `Azure cannot log in at the moment (HTTP ${status} from its login service)`, {
    status,
  });
}
