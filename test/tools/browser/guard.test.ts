/** What pages reach, and what they do not. A proxy stands for the internet. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, test } from 'node:test';
import { person, policyWith } from '../support.ts';
import { type Browsing, browsing, localBackend, type Pages, refOf, servePages, skip, text } from './support.ts';

let local: Pages;
let other: Pages;
let internet: Pages;
let browser: Browsing;
const ownPorts = new Set<number>();

/** The names of the internet are known to the proxy alone, and one leads to this machine. */
const lookup: LookupFunction = (name, _, callback) => {
  if (name === 'rebinding.test' || name === 'localhost') return callback(null, [{ address: '127.0.0.1', family: 4 }]);
  if (name === 'cloud.test') return callback(null, [{ address: '169.254.169.254', family: 4 }]);
  return callback(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }), []);
};

before(async () => {
  other = await servePages({
    '/api': (_, response) => void response.writeHead(200, { 'access-control-allow-origin': '*' }).end('from the API'),
  });
  local = await servePages({
    '/': `<title>Local</title><p id="out"></p><script>fetch('http://localhost:${other.port}/api').then(r=>r.text()).then(t=>out.textContent=t)</script>`,
    '/secret': '<title>Secret</title>secret',
  });
  internet = await servePages({
    '/': `<title>Public</title><p id="out"></p><iframe src="${local.url}/secret?frame"></iframe><img src="${local.url}/secret?image">
      <input aria-label="Name"><a href="http://elsewhere.test/found?by=link">Elsewhere</a>
      <a href="/found?by=own">Here</a><script>
      const done = (t) => document.body.append(' ' + t);
      fetch('${local.url}/secret?fetch', { mode: 'no-cors' }).then(() => done('fetch reached'), () => done('fetch failed'));
      const socket = new WebSocket('ws://127.0.0.1:${local.port}/secret?socket');
      socket.onerror = () => done('socket failed'); socket.onopen = () => done('socket open');
      new Worker(URL.createObjectURL(new Blob(["fetch('${local.url}/secret?worker',{mode:'no-cors'})"])));</script>`,
    '/found': '<title>Found</title><input aria-label="Name">',
    '/asks': (_, response) => void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="hermes"' }).end('no'),
    '/to-local': (_, response) => void response.writeHead(302, { location: `${local.url}/secret?redirect` }).end(),
    '/to-ten': (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    '/to-unwanted': (_, response) => void response.writeHead(302, { location: 'http://unwanted.test/found' }).end(),
    '/later': `<title>Later</title><script>setTimeout(() => { location = '${local.url}/secret?script' }, 50)</script>`,
  });
  ownPorts.add(1);
  const proxies = { http: internet.url };
  const backend = localBackend({ proxies, lookup, ownPorts: () => Promise.resolve(ownPorts) });
  const blocked = (url: URL) => (url.hostname === 'unwanted.test' ? 'Blocked by website policy' : undefined);
  browser = browsing({ blocked, backend: () => Promise.resolve(backend) });
});

after(async () => {
  await browser.close();
  for (const site of [local, other, internet]) site.close();
});

async function open(url: string) {
  return await browser.call('browser_navigate', { url });
}

async function failure(url: string): Promise<string> {
  const answer = await open(url);
  assert.equal(answer['success'], false, JSON.stringify(answer));
  return text(answer['error']);
}

function secretsRead(): readonly string[] {
  return local.requests.filter((request) => request.includes('/secret'));
}

test('a server of this machine is opened by its name, and its page asks others there', { skip }, async () => {
  const page = await open(local.url);
  assert.equal(page['title'], 'Local');
  assert.match(text(page['snapshot']), /from the API/);
});

test('a page of the internet reaches nothing of this machine, in whatever way it asks', { skip }, async () => {
  await open(local.url);
  const page = await open('http://public.test/');
  assert.equal(page['title'], 'Public');
  assert.match(text((await browser.call('browser_snapshot'))['snapshot']), /socket failed/);
  assert.deepEqual(secretsRead(), []);
  assert.match(
    JSON.stringify((await browser.call('browser_console'))['js_errors']),
    /127\.0\.0\.1:\d+ was not reached/,
  );
});

test('a redirect into the own network is blocked, and the page is left', { skip }, async () => {
  for (const path of ['/to-local', '/to-ten']) {
    assert.match(await failure(`http://public.test${path}`), /^Blocked: .*(?:127|10)\.0\.0\.1/);
  }
  let told = await open('http://public.test/later');
  for (let count = 0; !/Blocked/.test(JSON.stringify(told)) && count < 200; count++)
    told = await browser.call('browser_scroll', { direction: 'down' });
  assert.match(JSON.stringify(told), /Blocked: the page led to http:\/\/127\.0\.0\.1/);
  assert.deepEqual(secretsRead(), []);
});

test('a name of the internet that leads to this machine or to a cloud is not followed', { skip }, async () => {
  assert.match(await failure(`http://rebinding.test:${local.port}/secret`), /^Blocked: rebinding\.test/);
  assert.match(await failure('http://cloud.test/latest/meta-data/'), /^Blocked: cloud\.test/);
  assert.deepEqual(secretsRead(), []);
});

/** As anybody on this machine can read it. */
function proxyPort(): number {
  for (const name of readdirSync('/proc')) {
    const told = /^\d+$/.test(name) ? commandOf(name) : '';
    const port = /--proxy-server=http:\/\/127\.0\.0\.1:(\d+)/.exec(told)?.[1];
    if (port !== undefined && told.includes(`hermes-browser-${process.pid}-`)) return Number(port);
  }
  throw new Error('there is no browser');
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

test('somebody else on this machine does not use the way of the browser into the world', {
  skip: skip || process.platform !== 'linux',
}, async () => {
  assert.equal((await open('http://public.test/'))['title'], 'Public');
  const asked = internet.requests.length;
  const port = proxyPort();
  for (const headers of [{}, { 'proxy-authorization': `Basic ${Buffer.from('hermes:guess').toString('base64')}` }]) {
    const plain = request({ port, path: 'http://public.test/found', headers }).end();
    const [{ statusCode }] = (await once(plain, 'response')) as [IncomingMessage];
    assert.equal(statusCode, 407);
    plain.destroy();
    const tunnel = request({ port, method: 'CONNECT', path: 'public.test:443', headers }).end();
    const [refused, socket] = (await once(tunnel, 'connect')) as [IncomingMessage, Duplex];
    assert.equal(refused.statusCode, 407);
    socket.destroy();
  }
  assert.equal(internet.requests.length, asked);
});

test('a page whose server asks for the login of a proxy costs the browser nothing', { skip }, async () => {
  await open('http://public.test/asks');
  assert.equal((await open('http://public.test/found'))['title'], 'Found');
});

test('a page that leads to a site which the owner does not want is left', { skip }, async () => {
  assert.match(
    await failure('http://public.test/to-unwanted'),
    /led to http:\/\/unwanted\.test.*Blocked by website policy/,
  );
});

test('services that hand out credentials, own ports and other schemes are never opened', { skip }, async () => {
  for (const url of ['http://169.254.169.254/latest/', 'http://metadata.google.internal/', 'http://[fd00:ec2::254]/']) {
    assert.match(await failure(url), /^Blocked: .*never read/);
  }
  ownPorts.add(other.port);
  assert.match(await failure(`${other.url}/api`), /belongs to the agent itself/);
  ownPorts.delete(other.port);
  for (const url of [
    'file:///etc/passwd',
    'chrome://settings',
    'view-source:http://public.test/',
    'javascript:alert(1)',
  ]) {
    assert.match(await failure(url), /^Blocked|not a valid/);
  }
});

test('an address that carries a credential is not opened, and the parameter is named', { skip }, async () => {
  assert.match(await failure('https://public.test/?api-key=abc'), /^Blocked: .*'api-key'/);
  assert.match(await failure(`https://public.test/?q=sk-${'a1B2'.repeat(12)}`), /looks like a key/);
});

test('after text from outside an address of the own making is asked about, and a host that is new; links within a site are not', {
  skip,
}, async () => {
  const nobody = { policy: policyWith({ entered: () => browser.entered }) };
  browser.entered = [];
  await open('http://public.test/');
  browser.entered = [{ from: 'page', name: 'public.test' }];
  const made = await browser.call('browser_navigate', { url: 'http://elsewhere.test/found?by=model' }, nobody);
  assert.match(text(made['error']), /talks to elsewhere\.test/);
  const asked = person('once');
  const url = 'http://elsewhere.test/found?by=person';
  assert.equal((await browser.call('browser_navigate', { url }, { ...nobody, human: asked }))['title'], 'Found');
  assert.equal(asked.asked[0]?.command, `opens ${url}`);
  const again = await browser.call('browser_navigate', { url: 'http://public.test/' }, nobody);
  assert.equal(again['title'], 'Public', 'what was opened before is opened again');
  const linked = await browser.call('browser_navigate', { url: 'http://elsewhere.test/found?by=link' }, nobody);
  assert.match(text(linked['error']), /talks to elsewhere\.test/);
  const own = await browser.call('browser_navigate', { url: 'http://public.test/found?by=own' }, nobody);
  assert.equal(own['title'], 'Found');
  // Also where the person named the host: its page may have said what is to be put into the address.
  browser.services.state.hosts.said.hear({ role: 'user', content: 'Look at public.test' });
  const told = await browser.call('browser_navigate', { url: 'http://public.test/seen/ada' }, nobody);
  assert.match(text(told['error']), /talks to public\.test/);
  const found = 'http://elsewhere.test/found?by=search';
  browser.services.state.web.found.add([found]);
  assert.equal((await browser.call('browser_navigate', { url: found }, nobody))['title'], 'Found');
  const typed = {
    ref: refOf((await browser.call('browser_snapshot'))['snapshot'], 'textbox "Name"'),
    text: 'what the model knows',
  };
  assert.match(
    text((await browser.call('browser_type', typed, nobody))['error']),
    /types into pages of elsewhere\.test/,
  );
  assert.match(text((await browser.call('browser_press', { key: 'a' }, nobody))['error']), /types into pages/);
  assert.equal((await browser.call('browser_press', { key: 'Tab' }, nobody))['success'], true);
  const script = { expression: 'document.title' };
  assert.match(
    text((await browser.call('browser_console', script, nobody))['error']),
    /runs scripts in pages of elsewhere/,
  );
  browser.services.state.hosts.said.hear({ role: 'user', content: 'Go to elsewhere.test, I am Ada Lovelace' });
  // A site that the person named may hold words of strangers too: what is typed there is theirs, or asked about.
  assert.match(text((await browser.call('browser_type', typed, nobody))['error']), /types into pages of elsewhere/);
  const theirs = { ...typed, text: 'Lovelace, Ada' };
  assert.equal((await browser.call('browser_type', theirs, nobody))['typed'], 'Lovelace, Ada');
  assert.equal((await browser.call('browser_console', script, nobody))['success'], false);
});

test('restricted expressions read no cookies', { skip }, async () => {
  const strict = browsing({
    settings: { browser: { restrict_evaluate: true } },
    backend: () => Promise.resolve(undefined),
  });
  for (const expression of ['document.cookie', 'localStorage.a', 'fetch("/")', 'document["coo"+"kie"]', 'x.value']) {
    const answer = await strict.call('browser_console', { expression });
    assert.match(text(answer['error']), /browser\.restrict_evaluate/, expression);
  }
  await strict.close();
});
