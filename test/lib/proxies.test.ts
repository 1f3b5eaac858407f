/** Which hosts are asked through a proxy, by the rules that curl, Go and Python share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { nodeProxies, proxyFor, UnusableProxy } from '../../src/lib/proxies.ts';

const [https, http] = ['http://secure.proxy:3128', 'http://plain.proxy:3128'];

function isDirect(address: string, except: string): boolean {
  return proxyFor(new URL(address), { https, http, except }) === undefined;
}

test('each scheme has its proxy, which may be written without a scheme of its own; none is no proxy', () => {
  assert.equal(proxyFor(new URL('https://a.test/'), { https, http }), https);
  assert.equal(proxyFor(new URL('http://a.test/'), { https, http }), http);
  assert.equal(proxyFor(new URL('https://a.test/'), { https: ' proxy.test:3128 ' }), 'http://proxy.test:3128');
  for (const proxies of [undefined, {}, { http }, { https: '  ' }]) {
    assert.equal(proxyFor(new URL('https://a.test/'), proxies), undefined);
  }
});

const exceptions: readonly (readonly [except: string, direct: readonly string[], proxied: readonly string[]])[] = [
  ['*', ['https://a.test/', 'http://8.8.8.8/'], []],
  ['a.test', ['https://a.test/', 'https://A.Test./', 'https://b.a.test/'], ['https://ba.test/', 'https://test/']],
  ['.a.test', ['https://a.test/', 'https://b.a.test/'], ['https://ba.test/']],
  ['*.a.test', ['https://b.a.test/'], ['https://ba.test/']],
  ['a.test:8443', ['https://a.test:8443/', 'https://b.a.test:8443/'], ['https://a.test/', 'http://a.test:80/']],
  ['a.test:443', ['https://a.test/'], ['http://a.test/']],
  ['8.8.8.8', ['https://8.8.8.8/', 'https://8.8.8.8:99/'], ['https://8.8.8.9/']],
  ['8.8.8.8:99', ['https://8.8.8.8:99/'], ['https://8.8.8.8/']],
  ['8.8.0.0/16, c.test', ['https://8.8.255.1/', 'https://c.test/'], ['https://8.9.0.1/', 'https://8.8.0.0.test/']],
  ['8.8.8.1-8.8.8.9', ['https://8.8.8.5/'], ['https://8.8.8.10/']],
  ['2001:db8::/32', ['https://[2001:db8::1]/'], ['https://[2001:db9::1]/']],
  ['2001:db8::1', ['https://[2001:db8::1]:99/'], ['https://[2001:db8::2]/']],
  ['[2001:db8::1]:99', ['https://[2001:db8::1]:99/'], ['https://[2001:db8::1]/']],
  ['a.test b.test,,', ['https://a.test/', 'https://b.test/'], ['https://c.test/']],
  ['8.8.8.8/99, ., :80, /, -', [], ['https://8.8.8.8/', 'http://a.test/']],
  ['', ['http://localhost:1/', 'http://127.0.0.1/', 'http://192.168.1.9/', 'http://[::1]/', 'http://m.localhost/'], []],
];
for (const [except, direct, proxied] of exceptions) {
  test(`NO_PROXY '${except}' is what curl makes of it`, () => {
    assert.deepEqual(
      direct.filter((address) => !isDirect(address, except)),
      [],
    );
    assert.deepEqual(
      proxied.filter((address) => isDirect(address, except)),
      [],
    );
  });
}

test('a proxy of an unknown kind is refused with what to do, rather than gone around; excepted hosts do not need it', () => {
  const proxies = { https: 'socks4://127.0.0.1:1080', except: 'b.test' };
  assert.throws(
    () => proxyFor(new URL('https://a.test/'), proxies),
    (error) =>
      error instanceof UnusableProxy && /socks4.*a\.test/.test(error.message) && /NO_PROXY/.test(error.hint ?? ''),
  );
  assert.equal(proxyFor(new URL('https://b.test/'), proxies), undefined);
});

test('Node is told the same in its own words: names stand for those below them, networks are ranges', () => {
  const { NO_PROXY = '', ...others } = nodeProxies({
    https: 'proxy.test:1',
    http: 'socks5://x:1',
    except: 'a.test:1 8.8.0.0/16 *',
  });
  assert.deepEqual(others, { HTTPS_PROXY: 'http://proxy.test:1' });
  const words = NO_PROXY.split(',');
  for (const word of ['a.test:1', '.a.test:1', '8.8.0.0-8.8.255.255', '*', 'localhost', '10.0.0.0-10.255.255.255']) {
    assert.ok(words.includes(word), word);
  }
  assert.deepEqual(nodeProxies({ except: 'a.test' }), {});
  assert.deepEqual(nodeProxies({ https: 'socks5://x:1' }), {});
});

test('whatever stands in NO_PROXY, an address leads to the proxy or past it', () => {
  const word = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.domain(),
    fc.constantFrom('*', '.', '/', '-', ':', '[', ']:'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), fc.webUrl(), (words, address) => {
      const found = proxyFor(new URL(address), { https, http, except: words.join(',') });
      assert.ok(found === undefined || found === https || found === http);
      nodeProxies({ https, except: words.join(',') });
    }),
  );
});
