/** Tokens of Google Cloud from its application default credentials, for Vertex AI. */
import type { AuthClient } from 'google-auth-library';
import type { Environment } from '../keys.ts';
import { ModelError } from '../../llm/model-error.ts';
import { type Authorize, loginFailure, tokenDeadlineMs, unlessAborted } from './cloud-token.ts';
import { readGoogleAccount } from './google-account.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const hint =
  'run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account';

/**
 * The `authorize` of an endpoint: the file that `GOOGLE_APPLICATION_CREDENTIALS` names, or else what Google's library
 * finds (the login of gcloud, the machine's own account). The library keeps the token until shortly before it expires.
 * What `authorize` throws is a `ModelError`.
 */
export function googleAuthorize(env: Environment = {}): Authorize {
  let opening: Promise<AuthClient> | undefined;
  return async (signal) => {
    opening ??= openClient(env['GOOGLE_APPLICATION_CREDENTIALS']?.trim() ?? '');
    const client = opening;
    try {
      const headers = await unlessAborted(
        client.then(async (opened) => await opened.getRequestHeaders()),
        signal,
      );
      return Object.fromEntries(headers);
    } catch (error) {
      // The next request looks again: the user may have logged in.
      opening = undefined;
      if (error instanceof ModelError && error.kind === 'aborted') throw error;
      throw loginFailure(`Google Cloud did not log in; ${hint}`, error);
    }
  };
}

async function openClient(path: string): Promise<AuthClient> {
  const library = await import('google-auth-library');
  const transporterOptions = { timeout: tokenDeadlineMs };
  if (path === '') {
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
