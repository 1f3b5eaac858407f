/** Logging in to Google Cloud with the files that it hands out. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GoogleAuthorizer } from '../../../src/credentials/clouds/google.ts';
import { startTokenServer } from '../../fakes/token-server.ts';

const never = new AbortController().signal;

async function withFiles(files: Readonly<Record<string, unknown>>, use: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'google-auth-'));
  try {
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the login of a user gives a token and names the project that pays', async () => {
  await using server = await startTokenServer();
  server.enqueue({ body: { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' } });
  const user = {
    type: 'authorized_user',
    client_id: 'client-1',
    client_secret: 'secret-1',
    refresh_token: 'refresh-1',
    quota_project_id: 'project-1',
    token_uri: `${server.url}/token`,
  };
  await withFiles({ 'user.json': user }, async (folder) => {
    const authorizer = new GoogleAuthorizer(join(folder, 'user.json'));
    const headers = await authorizer.headers(never);
    assert.deepEqual(headers, { authorization: 'Bearer token-1', 'x-goog-user-project': 'project-1' });
    assert.deepEqual(await authorizer.headers(never), headers);
  });
  assert.equal(server.requests.length, 1, 'the token was not kept');
  assert.equal(server.requests[0]?.fields['refresh_token'], 'refresh-1');
});

test('an external account changes its own token for one of Google', async () => {
  await using server = await startTokenServer();
  server.enqueue({
    body: {
      access_token: 'token-1',
      expires_in: 3600,
      token_type: 'Bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    },
  });
  await withFiles({ 'subject.txt': 'subject-token' }, async (folder) => {
    const account = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${server.url}/v1/token`,
      credential_source: { file: join(folder, 'subject.txt') },
    };
    await writeFile(join(folder, 'account.json'), JSON.stringify(account));
    const authorizer = new GoogleAuthorizer(join(folder, 'account.json'));
    assert.equal((await authorizer.headers(never))['authorization'], 'Bearer token-1');
  });
  assert.equal(server.requests[0]?.fields['subject_token'], 'subject-token');
  assert.equal(server.requests[0]?.fields['scope'], 'https://www.googleapis.com/auth/cloud-platform');
});

test('a file that is missing or of no use is told with what to do', async () => {
  await withFiles({ 'odd.json': { type: 'odd' } }, async (folder) => {
    for (const name of ['odd.json', 'missing.json']) {
      const authorizer = new GoogleAuthorizer(join(folder, name));
      await assert.rejects(authorizer.headers(never), {
        name: 'ModelError',
        kind: 'auth',
        message: /gcloud auth application-default login/,
      });
    }
  });
});

test('a login that was refused is an auth error, and the next request tries again', async () => {
  await using server = await startTokenServer();
  server.enqueue(
    { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } },
    { body: { access_token: 'token-2', expires_in: 3600 } },
  );
  const user = {
    type: 'authorized_user',
    client_id: 'c',
    client_secret: 's',
    refresh_token: 'r',
    token_uri: `${server.url}/token`,
  };
  await withFiles({ 'user.json': user }, async (folder) => {
    const authorizer = new GoogleAuthorizer(join(folder, 'user.json'));
    await assert.rejects(authorizer.headers(never), {
      name: 'ModelError',
      kind: 'auth',
      message: /invalid_grant|expired or revoked/,
    });
    assert.equal((await authorizer.headers(never))['authorization'], 'Bearer token-2');
  });
});

test('a login that is given up is aborted at once', async () => {
  await using server = await startTokenServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ body: { access_token: 'late', expires_in: 3600 }, gate: gate.promise });
  const user = {
    type: 'authorized_user',
    client_id: 'c',
    client_secret: 's',
    refresh_token: 'r',
    token_uri: `${server.url}/token`,
  };
  await withFiles({ 'user.json': user }, async (folder) => {
    const authorizer = new GoogleAuthorizer(join(folder, 'user.json'));
    const controller = new AbortController();
    const waiting = authorizer.headers(controller.signal);
    controller.abort();
    await assert.rejects(waiting, { name: 'ModelError', kind: 'aborted' });
    gate.resolve();
  });
});
