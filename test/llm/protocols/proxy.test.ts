/** Models are reached through the proxy that the environment names, and local ones without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiMode } from '../../../src/llm/protocol.ts';
import { openProtocol } from '../../../src/llm/protocols/catalogue.ts';
import { BedrockConverse } from '../../../src/llm/protocols/bedrock/converse.ts';
import { startAnthropicServer } from '../../fakes/anthropic-server.ts';
import { delta, messageStart, messageStop, startBedrockServer } from '../../fakes/bedrock-server.ts';
import { startGeminiServer, textChunk } from '../../fakes/gemini-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { startOllamaServer } from '../../fakes/ollama-server.ts';
import { startProxy } from '../../fakes/proxy-server.ts';
import { startResponsesServer } from '../../fakes/responses-server.ts';
import { startSocks } from '../../fakes/socks-server.ts';
import { ask, askInVain, protocolAt } from './ask.ts';

/** A server of each format that answers once, and what its answer is. */
const servers: readonly (readonly [ApiMode, () => Promise<AsyncDisposable & { readonly url: string }>])[] = [
  ['chat_completions', () => startModelServer({ respond: () => ({ text: 'from afar' }) })],
  ['codex_responses', () => startResponsesServer({ respond: () => ({ text: 'from afar' }) })],
  ['anthropic_messages', () => startAnthropicServer({ respond: () => ({ text: 'from afar' }) })],
  [
    'ollama_chat',
    async () => {
      const server = await startOllamaServer();
      server.enqueue({ text: 'from afar' });
      return server;
    },
  ],
  [
    'gemini_generate',
    async () => {
      const server = await startGeminiServer();
      server.enqueue({ chunks: [textChunk('from afar', { finishReason: 'STOP' })] });
      return server;
    },
  ],
];

for (const [mode, startServer] of servers) {
  test(`${mode}: a host that is not local is asked through the proxy, with its credentials, and one that NO_PROXY names is not`, async () => {
    await using server = await startServer();
    await using proxy = await startProxy(Number(new URL(server.url).port));
    const http = proxy.url.replace('//', '//user:pass@');
    const path = new URL(server.url).pathname.replace(/\/$/, '');
    const endpoint = { provider: 'custom', baseUrl: `http://models.test${path}` };
    const protocol = await openProtocol(mode, { ...endpoint, network: { proxies: { http } } });
    assert.equal((await ask(protocol)).text, 'from afar');
    assert.match(proxy.asked[0] ?? '', /^(?:POST http:\/\/models\.test\/|CONNECT models\.test:80)/);
    assert.equal(proxy.credentials, `Basic ${Buffer.from('user:pass').toString('base64')}`);
    const around = await openProtocol(mode, { ...endpoint, network: { proxies: { http, except: 'models.test:80' } } });
    assert.equal((await askInVain(around)).error.kind, 'network');
    assert.equal(proxy.asked.length, 1);
  });
}

test('bedrock_converse: the AWS library asks through the proxy too', async () => {
  await using server = await startBedrockServer();
  server.enqueue({ events: [messageStart, delta(0, { text: 'from afar' }), messageStop('end_turn')] });
  await using proxy = await startProxy(Number(new URL(server.url).port));
  const endpoint = { provider: 'bedrock', baseUrl: 'http://bedrock-runtime.eu-west-1.models.test' };
  const protocol = new BedrockConverse(
    { ...endpoint, network: { proxies: { http: proxy.url } } },
    { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
  );
  assert.equal((await ask(protocol)).text, 'from afar');
  assert.match(proxy.asked.join(), /bedrock-runtime\.eu-west-1\.models\.test/);
});

test('local hosts are asked directly', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'from here' }) });
  const proxies = { http: 'http://127.0.0.1:9', https: 'http://127.0.0.1:9' };
  assert.equal((await ask(protocolAt(server.url, { network: { proxies } }))).text, 'from here');
});

test('a SOCKS proxy resolves the name, takes a login, and is kept for the next request', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'from afar' }) });
  for (const login of [undefined, 'ann:p@ss']) {
    await using socks = await startSocks(server.port, login === undefined ? {} : { login });
    const named = login === undefined ? socks.url : socks.url.replace('//', '//ann:p%40ss@');
    for (const http of [named, named.replace('socks5:', 'socks5h:'), named.replace('socks5:', 'socks:')]) {
      const protocol = protocolAt('http://models.test:8080/v1', { network: { proxies: { http } } });
      assert.equal((await ask(protocol)).text, 'from afar');
      assert.equal((await ask(protocol, { stream: false })).text, 'from afar');
    }
    assert.deepEqual(socks.asked, Array(3).fill('models.test:8080'));
  }
});

test('what a SOCKS proxy has against a connection is told, without the password', async () => {
  const ask = async (http: string) => {
    const { error } = await askInVain(protocolAt('http://8.8.8.8/v1', { network: { proxies: { http } } }));
    assert.equal(error.kind, 'network');
    assert.doesNotMatch(error.message, /secret-pass/);
    return error.message;
  };
  await using refusing = await startSocks(9, { refuse: 5 });
  assert.match(await ask(refusing.url), /the proxy 127\.0\.0\.1:\d+ did not connect: the connection was refused/);
  assert.deepEqual(refusing.asked, ['8.8.8.8:80']);
  await using guarded = await startSocks(9, { login: 'ann:right' });
  assert.match(await ask(guarded.url.replace('//', '//ann:secret-pass@')), /the name or password is wrong/);
  assert.match(await ask(guarded.url), /it wants another login/);
  assert.match(await ask('socks5://127.0.0.1:9'), /the proxy 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)/);
});

test('a login or a host that SOCKS cannot carry is told, and nothing is asked for', async () => {
  const tooLong = 'x'.repeat(256);
  await using socks = await startSocks(9, { login: 'ann:right' });
  const ask = async (http: string, host = 'models.test') => {
    const { error } = await askInVain(protocolAt(`http://${host}/v1`, { network: { proxies: { http } } }));
    assert.equal(error.kind, 'network');
    return error.message;
  };
  const problem = 'the name or password is longer than 255 bytes';
  assert.match(await ask(socks.url.replace('//', `//${tooLong}:p@`)), RegExp(problem));
  assert.match(await ask(socks.url.replace('//', `//ann:${tooLong}@`)), RegExp(problem));
  // Counted in bytes: 128 letters of two.
  assert.match(await ask(socks.url.replace('//', `//ann:${'ü'.repeat(128)}@`)), RegExp(problem));
  await ask(socks.url, `${`${'a'.repeat(60)}.`.repeat(5)}test`);
  assert.deepEqual(socks.asked, []);
});

test('a proxy of another kind is told after one attempt, and nobody is asked without it', async () => {
  const proxies = { http: 'socks4://127.0.0.1:1080' };
  const { error } = await askInVain(protocolAt('http://models.test/v1', { network: { proxies } }));
  assert.equal(error.kind, 'bad_request');
  assert.match(error.message, /socks4.*models\.test.*only HTTP and SOCKS5 proxies/);
});

test('a proxy that is not there, or refuses, is told as the one to blame, without its password', async () => {
  const http = 'http://user:secret-pass@127.0.0.1:9';
  const network = { proxies: { http, https: http } };
  for (const scheme of ['http', 'https']) {
    const { error } = await askInVain(protocolAt(`${scheme}://models.test/v1`, { network }));
    assert.equal(error.kind, 'network');
    assert.match(error.message, /the proxy 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)/);
    assert.doesNotMatch(error.message, /secret-pass/);
  }
  await using refusing = await startProxy(9, { refuse: 407 });
  const behind = { proxies: { https: refusing.url.replace('//', '//user:secret-pass@') } };
  const { error } = await askInVain(protocolAt('https://models.test/v1', { network: behind }));
  assert.match(error.message, /the proxy 127\.0\.0\.1:\d+ answered with status 407/);
  assert.doesNotMatch(error.message, /secret-pass/);
});
