/**
 * Tokens of Microsoft Entra ID for models on Azure: from an application's secret, or the machine's own identity.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { ClientAuth } from 'oauth4webapi';
import * as z from 'zod';
import type { EntraVariables } from '../../config/model-variables.ts';
import { errorMessage } from '../../lib/errors.ts';
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
 * Client credentials when tenant, client and a secret or a federated token are set, else the managed identity of an app
 * service, of Azure ML, of Cloud Shell or of a virtual machine; the client alone chooses among several identities.
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
    const tokenFile = login.federatedTokenFile;
    if (tokenFile !== '' && tenant !== '' && clientId !== '') {
      const authority = login.authority || defaultAuthority;
      return await fromFederation({ authority, tenant, clientId, tokenFile, scope, deadline, now });
    }
    // Half a set is a mistake, and does not mean that something else is wanted.
    if (secret !== '') throw new ModelError('auth', `The login to Azure is incomplete; ${hint}`);
    const asked = { clientId, scope, now };
    if (identityEndpoint !== '') {
      const headers = { 'x-identity-header': login.identityHeader };
      return await fromIdentity({ ...asked, address: identityEndpoint, version: '2019-08-01', headers, deadline });
    }
    if (login.msiEndpoint !== '') return await fromOlderIdentity({ ...asked, login, deadline });
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

interface ClientLogin {
  readonly authority: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly scope: string;
  readonly deadline: AbortSignal;
  readonly now: () => number;
}

async function fromSecret(login: ClientLogin & { readonly secret: string }): Promise<CloudToken> {
  const { ClientSecretPost } = await import('oauth4webapi');
  return await asClient(login, ClientSecretPost(login.secret));
}

/** https://learn.microsoft.com/entra/workload-id/workload-identity-federation */
async function fromFederation(login: ClientLogin & { readonly tokenFile: string }): Promise<CloudToken> {
  const assertion = await readToken(login.tokenFile);
  return await asClient(login, (_server, client, body) => {
    body.set('client_id', client.client_id);
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    body.set('client_assertion', assertion);
  });
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new ModelError('auth', `The token of AZURE_FEDERATED_TOKEN_FILE cannot be read (${errorMessage(error)})`);
  }
}

async function asClient(login: ClientLogin, proof: ClientAuth): Promise<CloudToken> {
  const { authority, tenant, clientId, scope, deadline, now } = login;
  const oauth = await import('oauth4webapi');
  try {
    const issuer = `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenant)}`;
    const url = new URL(`${issuer}/oauth2/v2.0/token`);
    const server = { issuer, token_endpoint: url.href };
    const client = { client_id: clientId };
    // Only this machine may be asked without encryption.
    const insecure = url.protocol === 'http:' && isThisMachine(url.hostname);
    const options = { signal: deadline, ...(insecure ? { [oauth.allowInsecureRequests]: true } : {}) };
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
  readonly version?: string;
  /** Default `client_id`. */
  readonly clientField?: string;
  /** The fields are posted instead of standing in the address. */
  readonly form?: boolean;
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

/** Azure ML asks with a secret, Cloud Shell with a form. */
async function fromOlderIdentity(
  asked: Pick<IdentityRequest, 'clientId' | 'scope' | 'deadline' | 'now'> & { readonly login: EntraVariables },
): Promise<CloudToken> {
  const { msiEndpoint: address, msiSecret } = asked.login;
  if (msiSecret === '') return await fromIdentity({ ...asked, address, headers: { metadata: 'true' }, form: true });
  const headers = { secret: msiSecret };
  return await fromIdentity({ ...asked, address, version: '2017-09-01', headers, clientField: 'clientid' });
}

async function fromIdentity(asked: IdentityRequest): Promise<CloudToken> {
  const { scope, clientId, version, headers, deadline, now, clientField = 'client_id', form = false } = asked;
  try {
    const url = new URL(asked.address);
    const fields = new URLSearchParams({ resource: scope.replace(/\/\.default$/, '') });
    if (version !== undefined) fields.set('api-version', version);
    if (clientId !== '') fields.set(clientField, clientId);
    if (!form) for (const [name, value] of fields) url.searchParams.set(name, value);
    const body = form ? { method: 'POST', body: fields } : {};
    const response = await fetch(url, { ...body, headers, signal: deadline, redirect: 'manual' });
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
