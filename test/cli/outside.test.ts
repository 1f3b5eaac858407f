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
    const socks = await hermes(place, ['-z', 'ping'], { env: { ALL_PROXY: 'socks5://127.0.0.1:9' } });
    assert.equal(socks.code, 1);
    assert.match(socks.stderr, /socks5.*only HTTP proxies can be used/);
    assert.equal(proxy.asked.length, asked);
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
    const gone = await hermes(place, ['-z', 'ping'], { env: { HERMES_API_MAX_RETRIES: '0' } });
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /m\.sock\.gone/);
  });
});
