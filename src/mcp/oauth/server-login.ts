/** The stored login to a server, as its connection uses it: tokens are renewed, and nobody is ever asked to log in. */
import { type AuthProvider, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Log } from '../../lib/log.ts';
import { errorText } from '../error-text.ts';
import { LoginNeeded } from '../login-needed.ts';
import { type AuthPlace, authFetch } from './auth-fetch.ts';
import { type Authority, findAuthority, isSameIssuer } from './authority.ts';
import { LoginFiles, type StoredClient, type StoredTokens } from './login-files.ts';
import { refusalCode, refusalText } from './refusal.ts';
import { allScopes, storedTokens } from './tokens.ts';

export interface ServerLoginPlace extends AuthPlace {
  readonly homePath: string;
  readonly log: Log;
}

/** For all that a renewal asks. */
const renewalMs = 60_000;

/** All methods throw `LoginNeeded` when only a person can help, and `Error` when it may work later. */
export class ServerLogin implements AuthProvider {
  readonly #place: ServerLoginPlace;
  readonly #files: LoginFiles;
  /** The token that was used last. */
  #used: string | undefined;

  constructor(place: ServerLoginPlace) {
    this.#place = place;
    this.#files = new LoginFiles(place.homePath, place.name);
  }

  /** Before each request. */
  async token(): Promise<string> {
    let tokens = this.#stored();
    const leftMs = timeLeft(tokens);
    if (leftMs <= 0 || (leftMs < earlyFor(tokens) && tokens.refresh_token !== undefined)) {
      try {
        tokens = await this.#renewed(tokens);
      } catch (error) {
        // As long as it is good it is used.
        if (leftMs <= 0) throw error;
        this.#place.log.warning(`the login to ${this.#place.name} could not be renewed yet`, error);
      }
    }
    this.#used = tokens.access_token;
    return tokens.access_token;
  }

  /** The server does not take the token. When this resolves there is another one. */
  async onUnauthorized(): Promise<void> {
    const tokens = this.#stored();
    // Somebody has logged in or renewed meanwhile.
    if (tokens.access_token !== this.#used) return;
    await this.#renewed(tokens);
  }

  /** The server wants more than this login has: that is kept for the next login, which asks for it. */
  async needsMore(scope: string | undefined): Promise<LoginNeeded> {
    const { name } = this.#place;
    const wanted = scope?.slice(0, 1000);
    await this.#files.locked(() => {
      const tokens = this.#files.tokens();
      if (tokens === undefined || wanted === undefined) return;
      this.#files.save({ tokens: { ...tokens, wanted_scope: allScopes(tokens.wanted_scope, wanted) } });
    });
    return new LoginNeeded(
      name,
      `it wants more rights than its login has${wanted === undefined ? '' : ` (${wanted})`}`,
    );
  }

  /** Throws `LoginNeeded`. */
  #stored(): StoredTokens {
    const { name, reach } = this.#place;
    const tokens = this.#files.tokens();
    if (tokens === undefined) throw new LoginNeeded(name, 'nobody has logged in to it');
    // Whoever changes the address of an entry does not want its tokens to be sent there.
    if (tokens.server_url !== undefined && new URL(reach.url).origin !== URL.parse(tokens.server_url)?.origin) {
      throw new LoginNeeded(name, `its login was made for ${tokens.server_url}, and not for where it is now`);
    }
    return tokens;
  }

  /**
   * Not abortable on purpose: a refresh token that was used and whose answer is thrown away is a lost login.
   */
  async #renewed(before: StoredTokens): Promise<StoredTokens> {
    const { name } = this.#place;
    return await this.#files.locked(async () => {
      const tokens = this.#stored();
      if (tokens.access_token !== before.access_token) return tokens;
      if (tokens.refresh_token === undefined) throw new LoginNeeded(name, 'its login has ended');
      const fetch = authFetch(this.#place, AbortSignal.timeout(renewalMs));
      const authority = await this.#authority(tokens, fetch);
      const client = this.#client();
      try {
        const granted = await refreshAuthorization(authority.url, {
          ...(authority.metadata === undefined ? {} : { metadata: authority.metadata }),
          clientInformation: client,
          refreshToken: tokens.refresh_token,
          ...(authority.resource === undefined ? {} : { resource: authority.resource }),
          fetchFn: fetch,
        });
        const binding = { ...authority, serverUrl: this.#place.reach.url };
        const renewed = { ...storedTokens(granted, binding), wanted_scope: tokens.wanted_scope };
        const kept = { ...renewed, scope: renewed.scope ?? tokens.scope };
        this.#files.save({
          tokens: kept,
          ...(authority.metadata === undefined ? {} : { metadata: authority.metadata }),
        });
        return kept;
      } catch (error) {
        const now = this.#files.tokens();
        // A program that does not know our lock may have been first.
        if (now !== undefined && now.access_token !== tokens.access_token) return now;
        throw this.#explained(error, tokens, client);
      }
    });
  }

  /** Without its cause: what a service says may repeat what it was sent. */
  #explained(error: unknown, tokens: StoredTokens, client: StoredClient): Error {
    const { name } = this.#place;
    const why = refusalText(error, [tokens.refresh_token, tokens.access_token, client.client_secret]);
    const code = refusalCode(error);
    if (code === 'invalid_grant') {
      // It will never be taken again, and so nobody tries it again.
      this.#files.save({ tokens: { ...tokens, refresh_token: undefined } });
      return new LoginNeeded(name, `its login has ended (${why})`);
    }
    if (code === 'invalid_client' || code === 'unauthorized_client') {
      return new LoginNeeded(name, `who grants access does not know this program any more (${why})`);
    }
    return new Error(`the login could not be renewed: ${why}`);
  }

  /** Who granted the tokens: from the files, and where they do not say all, asked anew. */
  async #authority(tokens: StoredTokens, fetch: ReturnType<typeof authFetch>): Promise<Authority> {
    const { name, reach } = this.#place;
    const known = this.#files.metadata();
    const issuer = tokens.issuer ?? known?.issuer;
    if (known !== undefined && tokens.issuer !== undefined && isSameIssuer(known.issuer, tokens.issuer)) {
      const { resource } = tokens;
      return {
        url: known.issuer,
        issuer: known.issuer,
        metadata: known,
        ...(resource === undefined ? {} : { resource }),
      };
    }
    let found: Authority;
    try {
      found = await findAuthority({ name, serverUrl: reach.url, fetch });
    } catch (error) {
      throw new Error(`the login could not be renewed: ${errorText(error)}`, { cause: error });
    }
    if (issuer === undefined || isSameIssuer(issuer, found.issuer)) return found;
    // A refresh token is for who gave it, and nobody else gets it.
    throw new LoginNeeded(name, `its login was granted by ${issuer}, and now it names ${found.issuer}`);
  }

  #client(): StoredClient {
    const { name, reach } = this.#place;
    const own = reach.oauth?.client;
    const client = own === undefined ? this.#files.client() : ownClient(own);
    if (client === undefined) throw new LoginNeeded(name, 'the registration of its login is gone');
    return client;
  }
}

/** What a client of the owner authenticates with depends on what the service takes. */
export function ownClient({ id, secret }: { readonly id: string; readonly secret?: string }): StoredClient {
  return { client_id: id, client_secret: secret, token_endpoint_auth_method: undefined, issuer: undefined };
}

/** Milliseconds; without end when nobody said. */
function timeLeft({ expires_at }: StoredTokens): number {
  return expires_at === undefined ? Number.POSITIVE_INFINITY : expires_at * 1000 - Date.now();
}

/** Tokens that end so soon are renewed before they are used, in milliseconds: a minute, or a tenth of a short life. */
function earlyFor({ expires_in = Number.POSITIVE_INFINITY }: StoredTokens): number {
  return Math.min(60_000, expires_in * 100);
}
