/** What a login service said no with, in a line without a secret. */
import { OAuthError } from '@modelcontextprotocol/client';
import { oneLine } from '../../credentials/oauth/service-error.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { errorText } from '../error-text.ts';

/** `secrets`: what was sent and may come back. Never make `error` the cause of another: causes are shown too. */
export function refusalText(error: unknown, secrets: readonly (string | undefined)[]): string {
  const text =
    error instanceof OAuthError && error.code !== 'server_error' ? `${error.code}: ${error.message}` : errorText(error);
  return oneLine(
    maskKeys(
      text,
      secrets.filter((secret) => secret !== undefined),
    ),
    300,
  );
}

/** The code of a refusal (`invalid_grant`); undefined when it is none. */
export function refusalCode(error: unknown): string | undefined {
  return error instanceof OAuthError ? error.code : undefined;
}
