/** Logging in to Azure: with a secret, or as the machine that the program runs on. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { entraVariables } from '../../../src/config/model-variables.ts';
import type { Variables } from '../../../src/config/variables.ts';
import { type EntraOptions, entraAuthorizer } from '../../../src/credentials/clouds/entra.ts';
import { createChatCompletions } from '../../../src/llm/protocols/chat-completions.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { startTokenServer } from '../../fakes/token-server.ts';
import { ask } from '../../llm/protocols/ask.ts';

const never = new AbortController().signal;

const login = (variables: Variables, options?: EntraOptions) => entraAuthorizer(entraVariables(variables), options);

function secretLogin(url: string) {
  return {
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'app-1',
    AZURE_CLIENT_SECRET: 'the-secret',
    AZURE_AUTHORITY_HOST: url,
  };
}

function granted(token: string, seconds = 3600) {
  return { body: { token_type: 'Bearer', access_token: token, expires_in: seconds } };
}

test('an application logs in with its secret, and the token is kept until shortly before it expires', async () => {
  await using server = await startTokenServer();
  let now = 1_000_000;
  server.enqueue(granted('token-1'), granted('token-2'));
  const authorizer = login(secretLogin(`${server.url}/`), { now: () => now });
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-1' });
  now += 3_200_000;
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-1' });
  now += 200_000;
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-2' });
  assert.equal(server.requests.length, 2);
  assert.equal(server.requests[0]?.path, '/tenant-1/oauth2/v2.0/token');
  assert.deepEqual(server.requests[0]?.fields, {
    grant_type: 'client_credentials',
    client_id: 'app-1',
    client_secret: 'the-secret',
    scope: 'https://ai.azure.com/.default',
  });
});

test('the token is sent with requests to the model', async () => {
  await using tokens = await startTokenServer();
  await using models = await startModelServer();
  tokens.enqueue(granted('token-1'));
  models.enqueue({ text: 'Hello.' });
  const authorizer = login(secretLogin(tokens.url), { scope: 'api://mine/.default' });
  await ask(createChatCompletions({ provider: 'azure-foundry', baseUrl: models.url, authorizer }));
  assert.equal(models.lastRequest.headers.authorization, 'Bearer token-1');
  assert.equal(tokens.requests[0]?.fields['scope'], 'api://mine/.default');
});

test('requests at the same time share one login, and one that gives up does not take it from the other', async () => {
  await using server = await startTokenServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ ...granted('token-1'), gate: gate.promise });
  const authorizer = login(secretLogin(server.url));
  const controller = new AbortController();
  const impatient = authorizer.headers(controller.signal);
  const patient = authorizer.headers(never);
  controller.abort();
  await assert.rejects(impatient, { name: 'ModelError', kind: 'aborted' });
  gate.resolve();
  assert.deepEqual(await patient, { authorization: 'Bearer token-1' });
  assert.equal(server.requests.length, 1);
});

test('a wrong secret is told in the words of Entra, without the secret', async () => {
  await using server = await startTokenServer();
  const description = 'AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1234';
  server.enqueue({ status: 401, body: { error: 'invalid_client', error_description: description } });
  await assert.rejects(login(secretLogin(server.url)).headers(never), (error: Error & { kind?: string }) => {
    assert.equal(error.kind, 'auth');
    assert.match(error.message, /AADSTS7000215: Invalid client secret provided\./);
    assert.doesNotMatch(error.message, /the-secret|Trace ID|\n/);
    return true;
  });
});

test('a login service that cannot be reached is told with why', async () => {
  const closed = await startTokenServer();
  await closed[Symbol.asyncDispose]();
  await assert.rejects(login(secretLogin(closed.url)).headers(never), { kind: 'network', message: /ECONNREFUSED/ });
});

test('trouble at the login service is no wrong key: the next request tries again', async () => {
  await using server = await startTokenServer();
  server.enqueue({ status: 503, body: { error: 'temporarily_unavailable' } }, granted('token-1'));
  const authorizer = login(secretLogin(server.url));
  await assert.rejects(authorizer.headers(never), { name: 'ModelError', kind: 'network' });
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-1' });
});

test('an app service asks its own endpoint for the identity', async () => {
  await using server = await startTokenServer();
  const expires = String(Math.floor(Date.now() / 1000) + 3600);
  server.enqueue({ body: { access_token: 'token-1', expires_on: expires } });
  const env = {
    IDENTITY_ENDPOINT: `${server.url}/msi/token`,
    IDENTITY_HEADER: 'header-1',
    AZURE_CLIENT_ID: 'identity-2',
  };
  const authorizer = login(env);
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-1' });
  assert.deepEqual(await authorizer.headers(never), { authorization: 'Bearer token-1' });
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]?.path, '/msi/token');
  assert.equal(server.requests[0]?.headers['x-identity-header'], 'header-1');
  assert.deepEqual(server.requests[0]?.fields, {
    'api-version': '2019-08-01',
    resource: 'https://ai.azure.com',
    client_id: 'identity-2',
  });
});

test('a workload logs in with the token of its file, which is read anew for each login', async (t) => {
  await using server = await startTokenServer();
  const directory = mkdtempSync(join(tmpdir(), 'hermes-entra-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'token');
  const env = { ...secretLogin(server.url), AZURE_CLIENT_SECRET: '', AZURE_FEDERATED_TOKEN_FILE: file };
  let now = 1_000_000;
  const authorizer = login(env, { now: () => now });
  await assert.rejects(authorizer.headers(never), /AZURE_FEDERATED_TOKEN_FILE cannot be read/);
  for (const assertion of ['first', 'second']) {
    writeFileSync(file, `${assertion}\n`);
    server.enqueue(granted(`token of ${assertion}`));
    assert.deepEqual(await authorizer.headers(never), { authorization: `Bearer token of ${assertion}` });
    assert.deepEqual(server.requests.at(-1)?.fields, {
      grant_type: 'client_credentials',
      client_id: 'app-1',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      scope: 'https://ai.azure.com/.default',
    });
    now += 3_700_000;
  }
});

test('Azure ML is asked with its secret, Cloud Shell with a form', async () => {
  await using server = await startTokenServer();
  const answer = { body: { access_token: 'token-1', expires_in: '3600' } };
  server.enqueue(answer, answer);
  const env = { MSI_ENDPOINT: `${server.url}/msi`, AZURE_CLIENT_ID: 'identity-2' };
  await login({ ...env, MSI_SECRET: 'the-secret' }).headers(never);
  await login(env).headers(never);
  const [ml, shell] = server.requests;
  assert.deepEqual([ml?.path, ml?.headers['secret']], ['/msi', 'the-secret']);
  assert.deepEqual(ml?.fields, {
    resource: 'https://ai.azure.com',
    'api-version': '2017-09-01',
    clientid: 'identity-2',
  });
  assert.deepEqual([shell?.path, shell?.headers['metadata']], ['/msi', 'true']);
  assert.deepEqual(shell?.fields, { resource: 'https://ai.azure.com', client_id: 'identity-2' });
});

test('a virtual machine asks the service that every machine of Azure has', async () => {
  await using server = await startTokenServer();
  server.enqueue({ body: { access_token: 'token-1', expires_in: '3600' } });
  assert.deepEqual(await login({ AZURE_POD_IDENTITY_AUTHORITY_HOST: server.url }).headers(never), {
    authorization: 'Bearer token-1',
  });
  assert.equal(server.requests[0]?.path, '/metadata/identity/oauth2/token');
  assert.equal(server.requests[0]?.headers['metadata'], 'true');
  assert.equal(server.requests[0]?.fields['api-version'], '2018-02-01');
});

test('without any way to log in, the error says what to set', async () => {
  await using server = await startTokenServer();
  server.enqueue({ status: 404, body: {} });
  const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: server.url };
  await assert.rejects(login(env).headers(never), {
    name: 'ModelError',
    kind: 'auth',
    message: /AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET/,
  });
  await assert.rejects(login({ AZURE_CLIENT_SECRET: 'alone' }).headers(never), {
    kind: 'auth',
    message: /incomplete/,
  });
});

test('a secret is not sent without encryption to another machine', async () => {
  const authorizer = login(secretLogin('http://login.example.test'));
  await assert.rejects(authorizer.headers(never), { name: 'ModelError', kind: 'auth' });
});
