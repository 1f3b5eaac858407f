/**
 * Who grants access to a server: found where the server and the standards say, and believed only as far as they allow.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, RFC 9728, RFC 8414
 */
import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { errorText } from '../error-text.ts';
import { isEncrypted, NotAsked } from './auth-fetch.ts';

export interface Authority {
  readonly url: string;
  readonly issuer: string;
  /** Absent: an old server without any; the endpoints are where the standard once had them. */
  readonly metadata?: AuthorizationServerMetadata;
  /** What tokens are asked for; absent where the server does not say. */
  readonly resource?: string;
  /** What the server names as useful, separated by spaces. */
  readonly scopes?: string;
}

export interface WhereToLook {
  readonly name: string;
  readonly serverUrl: string;
  /** From the server's refusal (`WWW-Authenticate`). */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly fetch: FetchLike;
}

/** Throws `NotAsked` for what must not be followed, and `Error` when something cannot be reached or read. */
export async function findAuthority({ name, serverUrl, resourceMetadataUrl, fetch }: WhereToLook): Promise<Authority> {
  const about = await resourceMetadata({ name, serverUrl, resourceMetadataUrl, fetch });
  const url = about?.authorization_servers?.[0] ?? new URL('/', serverUrl).href;
  checkEndpoint(name, url);
  // An old server that grants by itself may call itself otherwise, as long as that is on the same host.
  const skipIssuerValidation = about === undefined;
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch, skipIssuerValidation });
  if (skipIssuerValidation && metadata !== undefined && URL.parse(metadata.issuer)?.origin !== new URL(url).origin) {
    throw new NotAsked(`MCP server '${name}' grants access in the name of ${metadata.issuer.slice(0, 200)}.`);
  }
  for (const endpoint of [
    metadata?.authorization_endpoint,
    metadata?.token_endpoint,
    metadata?.registration_endpoint,
  ]) {
    if (endpoint !== undefined) checkEndpoint(name, endpoint);
  }
  const scopes = about?.scopes_supported?.join(' ');
  return {
    url,
    issuer: metadata?.issuer ?? url,
    ...(metadata === undefined ? {} : { metadata }),
    ...(about === undefined ? {} : { resource: about.resource }),
    ...(scopes === undefined || scopes === '' ? {} : { scopes }),
  };
}

/** One server's name for another, up to the slash that addresses without a path may end with. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** Throws `NotAsked` for an address that no browser and no secret may be sent to. */
function checkEndpoint(name: string, address: string): void {
  const url = URL.parse(address);
  if (url !== null && isEncrypted(url) && url.username === '' && url.password === '') return;
  throw new NotAsked(`MCP server '${name}' leads to a login at ${address.slice(0, 200)}, which is no https address.`);
}

async function resourceMetadata(where: WhereToLook): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { name, serverUrl, resourceMetadataUrl, fetch } = where;
  let about: OAuthProtectedResourceMetadata;
  try {
    const named = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    about = await discoverOAuthProtectedResourceMetadata(serverUrl, named, fetch);
  } catch (error) {
    // Older servers have none, and answer with a page or an error: they grant by themselves.
    if (resourceMetadataUrl === undefined && isAnswer(error)) return undefined;
    if (error instanceof NotAsked) throw error;
    throw new Error(`MCP server '${name}': what it says of its logins cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  }
  if (covers(about.resource, serverUrl)) return about;
  throw new NotAsked(
    `MCP server '${name}' asks for a login to ${about.resource.slice(0, 200)}, which is another server.`,
  );
}

/** Something answered, and it was not what was looked for. */
function isAnswer(error: unknown): boolean {
  if (error instanceof NotAsked) return false;
  if (error instanceof SyntaxError) return true;
  return error instanceof Error && (error.name === 'ZodError' || / OAuth (?:2\.0 P|p)rotected /i.test(error.message));
}

/** RFC 8707: the resource is the server's address, or one above it. */
function covers(resource: string, serverUrl: string): boolean {
  const wanted = URL.parse(resource);
  const server = new URL(serverUrl);
  const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return wanted?.origin === server.origin && withSlash(server.pathname).startsWith(withSlash(wanted.pathname));
}
