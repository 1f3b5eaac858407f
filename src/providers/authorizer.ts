/** In which header a credential travels: the only place that decides it, for whoever asks a provider anything. */
import { errorMessage } from '../lib/errors.ts';
import type { CredentialPool, Outcome } from '../credentials/credential.ts';
import { chatGptAccount } from '../credentials/oauth/jwt.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import { hostMatches, noKeyRequired } from '../llm/endpoint.ts';
import { ModelError } from '../llm/model-error.ts';
import type { ApiMode } from '../llm/protocol.ts';
import type { KeyHeader, ProviderProfile } from '../llm/provider.ts';
import type { Access } from './access.ts';

/** Where a key is sent, as far as its header depends on that. */
export interface KeyUse {
  readonly profile: Pick<ProviderProfile, 'keyHeader' | 'accountHeader' | 'quirks'>;
  /** The wire format in use, which need not be the provider's usual one. */
  readonly apiMode: ApiMode;
  readonly baseUrl: string;
}

/** Undefined for AWS, whose library signs the requests. */
export function authorizerOf(access: Access, use: KeyUse): Authorizer | undefined {
  if (access.kind === 'key') return new KeyAuthorizer(access.key, use, access.account);
  return access.kind === 'pool' ? new PoolAuthorizer(access.pool, use) : access.authorizer;
}

/** One key or token that does not expire while it is used. */
export class KeyAuthorizer implements Authorizer {
  readonly #key: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(key: string, use: KeyUse, account?: string) {
    this.#key = key;
    this.#headers = headersOf(key, use, account);
  }

  headers(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve(this.#headers);
  }

  get secrets(): readonly string[] {
    return this.#key === noKeyRequired ? [] : [this.#key];
  }
}

/**
 * Whatever a pool would lend now, for questions beside the conversation. How they went is no judgement on the
 * credential; a conversation takes its credentials from the pool by itself.
 */
class PoolAuthorizer implements Authorizer {
  readonly #pool: CredentialPool;
  readonly #use: KeyUse;
  #secrets: readonly string[] = [];

  constructor(pool: CredentialPool, use: KeyUse) {
    this.#pool = pool;
    this.#use = use;
  }

  async headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    try {
      const credential = await this.#pool.take(signal);
      if (credential === undefined) {
        const left = this.#pool.nothingLeft?.();
        throw new ModelError(left?.kind ?? 'auth', left?.message ?? 'No credential is left; see `hermes auth list`.');
      }
      await this.#pool.report(credential, notJudged, signal);
      this.#secrets = [credential.secret];
      return headersOf(credential.secret, this.#use, credential.account);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      throw new ModelError(signal.aborted ? 'aborted' : 'auth', errorMessage(error), { cause: error });
    }
  }

  get secrets(): readonly string[] {
    return this.#secrets;
  }
}

const notJudged: Outcome = { kind: 'failed', exhausted: false, reason: 'not a request to a model' };

/**
 * - Anthropic (https://docs.anthropic.com/en/api/overview#authentication): keys of the console in `x-api-key`, logins
 *   as bearer tokens with the beta for them, and the version of the format with both
 * - whoever else speaks Anthropic's format looks for a key in the one or the other (OpenCode in `x-api-key`, vLLM for a
 *   bearer token), so it is in both
 * - Azure (https://learn.microsoft.com/azure/ai-foundry/openai/reference#authentication): `api-key`
 * - Gemini (https://ai.google.dev/api#authentication): `x-goog-api-key`
 * - all others: bearer tokens (RFC 6750)
 */
function headersOf(key: string, use: KeyUse, account?: string): Readonly<Record<string, string>> {
  const name = headerFor(key, use);
  const { accountHeader } = use.profile;
  const carried = {
    [name]: name === 'authorization' ? `Bearer ${key}` : key,
    ...(accountHeader === undefined ? {} : accountNamed(accountHeader, account ?? chatGptAccount(key))),
  };
  if (use.apiMode !== 'anthropic_messages') return carried;
  const isBearer = name === 'authorization' && key !== noKeyRequired;
  const isLogin = isBearer && (isAnthropicLogin(key) || isAtAnthropic(use.baseUrl));
  return {
    ...carried,
    ...(isBearer && !isLogin && use.profile.quirks?.nativeAnthropic !== false ? { 'x-api-key': key } : {}),
    'anthropic-version': '2023-06-01',
    ...(isLogin ? { 'anthropic-beta': 'oauth-2025-04-20' } : {}),
  };
}

/** A login of Claude's own apps; other makers' keys do not begin so. */
function isAnthropicLogin(key: string): boolean {
  return key.startsWith('sk-ant-oat');
}

function isAtAnthropic(baseUrl: string): boolean {
  return hostMatches(URL.parse(baseUrl)?.hostname ?? '', 'anthropic.com');
}

function accountNamed(header: string, account: string | undefined): Record<string, string> {
  return account === undefined ? {} : { [header]: account };
}

function headerFor(key: string, { profile, apiMode, baseUrl }: KeyUse): KeyHeader {
  if (profile.keyHeader !== undefined) return profile.keyHeader;
  if (hostMatches(URL.parse(baseUrl)?.hostname ?? '', 'azure.com')) return 'api-key';
  if (apiMode === 'gemini_generate') return 'x-goog-api-key';
  return apiMode === 'anthropic_messages' && key.startsWith('sk-ant-api') ? 'x-api-key' : 'authorization';
}
