/** How the program reaches models: through a proxy, and over a socket of this machine. */
import assert from 'node:assert/strict';
import { createServer as createTcpServer, connect } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { startProxy } from '../fakes/proxy-server.ts';
import { hermes, makePlace } from './hermes-process.ts';

const config = (baseUrl: string) =>
  `model:\n  provider: custom\n  base_url: '${baseUrl}'\n  default: test-model\n  api_key: test-key\n`;

suite('reaching models', { concurrency: 2 }, () => {
  test('the proxy of the environment is used, the usual one too where there is none for the scheme, and NO_PROXY counts', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
    await using proxy = await startProxy(server.port);
    const place = makePlace(t);
    place.write('config.yaml', config('http://models.test/v1'));
    for (const env of [{ HTTP_PROXY: proxy.url }, { http_proxy: proxy.url }, { ALL_PROXY: proxy.url }]) {
      const run = await hermes(place, ['-z', 'ping'], { env });
      assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    }
    const asked = proxy.asked.length;
    assert.ok(asked >= 3 && proxy.asked.every((line) => line.includes('models.test')), proxy.asked.join());
    const socks = await hermes(place, ['-z', 'ping'], { env: { ALL_PROXY: 'socks4://127.0.0.1:9' } });
    assert.equal(socks.code, 1);
    assert.match(socks.stderr, /socks4.*only HTTP and SOCKS5 proxies can be used/);
    assert.equal(proxy.asked.length, asked);
  });

  test('the login of a cloud goes through the proxy too', async (t) => {
    await using proxy = await startProxy(9, { refuse: 403 });
    const place = makePlace(t);
    const env = {
      HTTPS_PROXY: proxy.url,
      AWS_REGION: 'eu-west-1',
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/x',
      AWS_WEB_IDENTITY_TOKEN_FILE: place.write('token', 'a token'),
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    place.write(
      'config.yaml',
      'model: {provider: bedrock, default: amazon.nova-micro-v1:0}\nagent: {api_max_retries: 0}\n',
    );
    const aws = await hermes(place, ['-z', 'ping'], { env });
    assert.equal(aws.code, 1);
    assert.deepEqual([...new Set(proxy.asked)], ['CONNECT sts.eu-west-1.amazonaws.com:443']);
    const account = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
    const google = {
      ...env,
      VERTEX_PROJECT: 'p',
      GOOGLE_APPLICATION_CREDENTIALS: place.write('g.json', JSON.stringify(account)),
    };
    place.write('config.yaml', 'model: {provider: vertex, default: gemini-3-flash}\nagent: {api_max_retries: 0}\n');
    assert.equal((await hermes(place, ['-z', 'ping'], { env: google })).code, 1);
    assert.match(proxy.asked.join(' '), /CONNECT oauth2\.googleapis\.com:443/);
    const azure = {
      ...env,
      AZURE_TENANT_ID: 'tenant-1',
      AZURE_CLIENT_ID: 'client-1',
      AZURE_CLIENT_SECRET: 'secret-12345',
    };
    place.write(
      'config.yaml',
      'model: {provider: azure-foundry, base_url: "https://x.openai.azure.com/openai/v1", auth_mode: entra_id, default: m}\nagent: {api_max_retries: 0}\n',
    );
    assert.equal((await hermes(place, ['-z', 'ping'], { env: azure })).code, 1);
    assert.match(proxy.asked.join(' '), /CONNECT login\.microsoftonline\.com:443/);
  });

  const onUnix = process.platform === 'win32' ? { skip: 'no Unix sockets' } : {};
  test('a base URL may be a Unix socket', onUnix, async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
    const place = makePlace(t);
    const path = join(place.home, '..', 'm.sock');
    const listener = createTcpServer((socket) => {
      const through = connect(server.port, '127.0.0.1');
      socket.pipe(through).pipe(socket);
      for (const end of [socket, through]) end.on('error', () => end.destroy());
    });
    await new Promise<void>((resolve) => listener.listen(path, resolve));
    t.after(() => listener.close());
    place.write('config.yaml', config(`unix://${path}:/v1`));
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    place.write('config.yaml', config(`unix://${path}.gone:/v1`));
    const gone = await hermes(place, ['-z', 'ping']);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /m\.sock\.gone.*there is no socket at this path/);
    assert.match(gone.stderr, /retry 1 of 3 in 0\.[56] s/, 'a server that is not there is waited for a short while');
    const doctor = await hermes(place, ['doctor']);
    assert.match(doctor.stdout, /m\.sock\.gone does not answer/);
    assert.doesNotMatch(doctor.stdout, /%2F/);
  });
});
