/** Hosts in texts: every spelling of an address that a person may use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as hold, property, string } from 'fast-check';
import { hostsIn, hostText, isPackageHost, parseHost } from '../../src/safety/hosts.ts';

const found = (text: string): readonly string[] => hostsIn(text).map(hostText);

test('hosts are found in addresses, names and with their ports', () => {
  for (const [text, hosts] of [
    ['look at https://docs.example.com/a?b=c#d please', ['docs.example.com']],
    ['fetch http://example.com:8080/x', ['example.com:8080']],
    ['is example.com up?', ['example.com']],
    ['Example.COM.', ['example.com']],
    ['clone git@github.com:ann/tea.git', ['github.com']],
    ['ssh ann@10.0.0.7', ['10.0.0.7']],
    ['the server on localhost:3000', ['localhost:3000']],
    ['http://[::1]:9000/', ['[::1]:9000']],
    ['postgres://ann:pw@db/tea', ['db']],
    ['mail ann@tea.example', ['tea.example']],
    ['https://bücher.example/', ['xn--bcher-kva.example']],
    ['nothing here, really', []],
    ['version 1.2.3 of it', []],
  ] as const) {
    assert.deepEqual(found(text), hosts, text);
  }
});

test('a host is read as it is written', () => {
  assert.deepEqual(parseHost('Example.com:80'), { host: 'example.com', port: 80 });
  assert.deepEqual(parseHost('[::1]'), { host: '::1' });
  assert.equal(parseHost('a b'), undefined);
});

test('packages come from registries, and a name that only ends like one is none', () => {
  assert.ok(isPackageHost('registry.npmjs.org'));
  assert.ok(!isPackageHost('registry.npmjs.org.evil.example'));
  assert.ok(!isPackageHost('upload.pypi.org'));
});

test('no text makes it fail, and what it finds is found again', () => {
  hold(
    property(string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      for (const host of hostsIn(text)) assert.ok(hostsIn(`http://${hostText(host)}/`).length > 0);
    }),
    { seed: 1 },
  );
});
