/** Models are reached through the proxy that the environment names, and local ones without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { ask, askInVain, protocolAt } from './ask.ts';

test('a host that is not local is asked through the proxy', async () => {
  await using proxy = await startModelServer();
  proxy.enqueue({ text: 'from afar' });
  const proxyEnv = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const { text } = await ask(protocolAt('http://models.test/v1', { proxyEnv }));
  assert.equal(text, 'from afar');
  assert.equal(proxy.lastRequest.headers.host, 'models.test');
});

test('local hosts, and those that NO_PROXY names, are asked directly', async () => {
  await using proxy = await startModelServer();
  await using server = await startModelServer();
  server.enqueue({ text: 'from here' });
  const proxyEnv = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'models.invalid' };
  assert.equal((await ask(protocolAt(server.url, { proxyEnv }))).text, 'from here');
  const { error } = await askInVain(protocolAt('http://models.invalid/v1', { proxyEnv }));
  assert.equal(error.kind, 'network');
  assert.equal(proxy.requests.length, 0);
});
