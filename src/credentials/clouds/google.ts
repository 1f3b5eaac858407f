/**
 * Tokens of Google Cloud from its application default credentials, for Vertex AI.
 * https://cloud.google.com/docs/authentication/application-default-credentials
 */
import type { AuthClient } from 'google-auth-library';
import type { Authorizer } from '../../llm/authorizer.ts';
import { ModelError } from '../../llm/model-error.ts';
import { loginFailure, tokenDeadlineMs, unlessAborted } from './cloud-token.ts';
import { readGoogleAccount } from './google-account.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const hint =
  'run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account';

/**
 * Tokens from `file`, or else from what Google's library finds (the login of gcloud, the machine's own account). The
 * library keeps the token until shortly before it expires.
 * https://cloud.google.com/docs/authentication/application-default-credentials
 */
export class GoogleAuthorizer implements Authorizer {
  readonly #file: string | undefined;
  #opening: Promise<AuthClient> | undefined;
  #secrets: readonly string[] = [];

  constructor(file: string | undefined) {
    this.#file = file;
  }

  async headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    this.#opening ??= openClient(this.#file);
    const client = this.#opening;
    try {
      const headers = await unlessAborted(
        client.then(async (opened) => await opened.getRequestHeaders()),
        signal,
      );
      this.#secrets = [headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''];
      return Object.fromEntries(headers);
    } catch (error) {
      // The next request looks again: the user may have logged in.
      this.#opening = undefined;
      if (error instanceof ModelError && error.kind === 'aborted') throw error;
      throw loginFailure(`Google Cloud did not log in; ${hint}`, error);
    }
  }

  get secrets(): readonly string[] {
    return this.#secrets;
  }
}

async function openClient(path: string | undefined): Promise<AuthClient> {
  const library = await import('google-auth-library');
  const transporterOptions = { timeout: tokenDeadlineMs };
  if (path === undefined) {
    return await new library.GoogleAuth({ scopes: scope, clientOptions: { transporterOptions } }).getClient();
  }
  const account = await readGoogleAccount(path);
  switch (account.type) {
    case 'service_account':
      return new library.JWT({
        email: account.client_email,
        key: account.private_key,
        scopes: [scope],
        transporterOptions,
        ...(account.private_key_id === undefined ? {} : { keyId: account.private_key_id }),
      });
    case 'authorized_user':
      return new library.UserRefreshClient({
        clientId: account.client_id,
        clientSecret: account.client_secret,
        refreshToken: account.refresh_token,
        transporterOptions,
        ...(account.quota_project_id === undefined ? {} : { quotaProjectId: account.quota_project_id }),
        ...(account.token_uri === undefined ? {} : { endpoints: { oauth2TokenUrl: account.token_uri } }),
      });
    case 'external_account': {
      const options = { scopes: [scope], transporterOptions };
      return 'environment_id' in account.credential_source
        ? new library.AwsClient({ ...account, ...options, credential_source: account.credential_source })
        : new library.IdentityPoolClient({ ...account, ...options, credential_source: account.credential_source });
    }
  }
}
