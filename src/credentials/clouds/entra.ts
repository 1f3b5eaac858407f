/** Tokens of Microsoft Entra ID for models on Azure: from an application's secret, or the machine's own identity. */
import { isIPv4 } from 'node:net';
import * as z from 'zod';
import type { Environment } from '../keys.ts';
import { ModelError } from '../../llm/model-error.ts';
import { type Authorize, bearerFrom, type CloudToken, loginFailure } from './cloud-token.ts';

const defaultScope = 'https://ai.azure.com/.default';
const defaultAuthority = 'https://login.microsoftonline.com';
/** Where every virtual machine of Azure finds its identity; nothing answers there on other machines. */
const defaultMachineAuthority = 'http://169.254.169.254';
const machineDeadlineMs = 3000;
const hint =
  'set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or run on Azure with a managed identity, or use AZURE_FOUNDRY_API_KEY';

/**
 * The `authorize` of an endpoint. Client credentials when the three AZURE variables are set (`AZURE_AUTHORITY_HOST`
 * names another cloud), else the managed identity of an app service (`IDENTITY_ENDPOINT`, `IDENTITY_HEADER`) or of a
 * virtual machine; `AZURE_CLIENT_ID` alone chooses among several identities. The token is kept until shortly before it
 * expires. What `authorize` throws is a `ModelError`.
 */
export function entraAuthorize(
  env: Environment,
  scope: string = defaultScope,
  now: () => number = Date.now,
): Authorize {
  const set = (name: string) => env[name]?.trim() ?? '';
  const tenant = set('AZURE_TENANT_ID');
  const clientId = set('AZURE_CLIENT_ID');
  const secret = set('AZURE_CLIENT_SECRET');
  return bearerFrom(async (deadline) => {
    if (tenant !== '' && clientId !== '' && secret !== '') {
      const authority = set('AZURE_AUTHORITY_HOST') || defaultAuthority;
      return await fromSecret({ authority, tenant, clientId, secret, scope, deadline, now });
    }
    // Half a set is a mistake, not a wish for something else.
    if (secret !== '') throw new ModelError('auth', `The login to Azure is incomplete; ${hint}`);
    const endpoint = set('IDENTITY_ENDPOINT');
    if (endpoint !== '') {
      const headers = { 'x-identity-header': set('IDENTITY_HEADER') };
      return await fromIdentity({ address: endpoint, version: '2019-08-01', headers, clientId, scope, deadline, now });
    }
    const host = set('AZURE_POD_IDENTITY_AUTHORITY_HOST') || defaultMachineAuthority;
    const address = `${host.replace(/\/+$/, '')}/metadata/identity/oauth2/token`;
    const short = AbortSignal.any([deadline, AbortSignal.timeout(machineDeadlineMs)]);
    const headers = { metadata: 'true' };
    return await fromIdentity({ address, version: '2018-02-01', headers, clientId, scope, deadline: short, now });
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

async function fromSecret({
  authority,
  tenant,
  clientId,
  secret,
  scope,
  deadline,
  now,
}: SecretLogin): Promise<CloudToken> {
  const oauth = await import('oauth4webapi');
  try {
    const issuer = `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenant)}`;
    const url = new URL(`${issuer}/oauth2/v2.0/token`);
    const server = { issuer, token_endpoint: url.href };
    const client = { client_id: clientId };
    // Only this machine may be asked without encryption.
    const insecure = url.protocol === 'http:' && isThisMachine(url.hostname);
    const options = { signal: deadline, ...(insecure ? { [oauth.allowInsecureRequests]: true } : {}) };
    const login = oauth.ClientSecretPost(secret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, login, { scope }, options);
    throwIfTroubled(response);
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

interface IdentityQuestion {
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

async function fromIdentity(question: IdentityQuestion): Promise<CloudToken> {
  const { scope, clientId, version, headers, deadline, now } = question;
  try {
    const url = new URL(question.address);
    url.searchParams.set('api-version', version);
    url.searchParams.set('resource', scope.replace(/\/\.default$/, ''));
    if (clientId !== '') url.searchParams.set('client_id', clientId);
    const response = await fetch(url, { headers, signal: deadline, redirect: 'manual' });
    throwIfTroubled(response);
    if (!response.ok) throw new Error(`HTTP ${response.status} from ${url.host}`);
    const token = identitySchema.parse(await response.json());
    const expiresAtMs =
      token.expires_on === undefined ? now() + (token.expires_in ?? 0) * 1000 : token.expires_on * 1000;
    return { value: token.access_token, expiresAtMs };
  } catch (error) {
    throw loginFailure(`No login to Azure: there is no managed identity; ${hint}`, error, 'auth');
  }
}

/** Trouble of the service says nothing about the login, and may pass. */
function throwIfTroubled({ status }: Response): void {
  if (status !== 429 && status < 500) return;
  throw new ModelError('network', `Azure cannot log in at the moment (HTTP ${status} from its login service)`, {
    status,
  });
}
