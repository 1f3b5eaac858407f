/** The one door of a closed sandbox, with real programs in a real network namespace. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Proxies } from '../../../src/lib/proxies.ts';
import { startProxy } from '../../fakes/proxy-server.ts';
import { type Egress, openEgress } from '../../../src/environments/local/sandbox/egress.ts';

const run = promisify(execFile);
const bwrap = '/usr/bin/bwrap';
const skip = existsSync(bwrap) && existsSync('/usr/bin/nsenter') ? false : 'bubblewrap and nsenter are not here';

interface Place {
  readonly egress: Egress;
  readonly allowed: Set<string>;
  /** Runs a program inside; what it prints. */
  readonly inside: (...command: string[]) => Promise<string>;
  readonly prefix: readonly string[];
}

async function closedPlace(
  t: TestContext,
  { ownPorts = new Set(), proxies = {} }: { ownPorts?: ReadonlySet<number>; proxies?: Proxies } = {},
): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-egress-'));
  const hull = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-user', '--unshare-net'];
  const init = spawn(
    bwrap,
    [...hull, '--unshare-pid', '--die-with-parent', '--info-fd', '3', 'sh', '-c', 'echo; exec sleep infinity'],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    },
  );
  // Before it runs its program the folders of the sandbox are not in place.
  assert.ok(init.stdout !== null);
  const ready = once(init.stdout, 'data');
  const info = init.stdio[3];
  assert.ok(info !== null && info !== undefined && 'setEncoding' in info);
  info.setEncoding('utf8');
  let text = '';
  for await (const chunk of info) {
    text += String(chunk);
    if (text.includes('}')) break;
  }
  await ready;
  const insidePid = Number(/"child-pid": (\d+)/.exec(text)?.[1]);
  const prefix = ['/usr/bin/nsenter', '-t', String(insidePid), '-U', '-n', '-m', '-p', '--preserve-credentials'];
  const allowed = new Set<string>();
  const egress = await openEgress({
    gate: { allows: (host, port) => allowed.has(`${host}:${port}`) },
    folder,
    prefix,
    insidePid,
    env: { PATH: process.env['PATH'] ?? '' },
    proxies,
    // The servers of these tests are in this process.
    ownPorts: () => Promise.resolve(ownPorts),
    signal: new AbortController().signal,
  });
  t.after(async () => {
    await egress.close();
    init.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const env = { PATH: process.env['PATH'] ?? '', ...egress.variables };
  const inside = async (...command: string[]): Promise<string> => {
    const [program = '', ...args] = [...prefix, ...command];
    const { stdout } = await run(program, args, { env, timeout: 20_000 });
    return stdout;
  };
  return { egress, allowed, inside, prefix };
}

/** A web server of this machine; its port. */
async function webServer(t: TestContext, text: string): Promise<number> {
  const server = createHttpServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const ask = (address: string): string[] => ['curl', '-sS', '--noproxy', '', '--max-time', '10', address];

test('a program inside reaches the host that the gate lets through, and no other', { skip }, async (t) => {
  const port = await webServer(t, 'tea');
  const { egress, allowed, inside } = await closedPlace(t);
  const refused = await inside(...ask(`http://127.0.0.1:${port}/`));
  assert.match(refused, /was not reached: nobody has allowed this host/);
  assert.deepEqual(egress.takeWithheld(), [{ kind: 'network', what: `127.0.0.1:${port}` }]);
  allowed.add(`127.0.0.1:${port}`);
  assert.equal(await inside(...ask(`http://127.0.0.1:${port}/`)), 'tea');
  assert.equal(await inside(...ask(`http://127.0.0.1:${port}/`), '--proxytunnel'), 'tea');
  assert.deepEqual(egress.takeWithheld(), []);
});

test('a program that knows no proxy reaches no host, and no port of this machine that is not let through', {
  skip,
}, async (t) => {
  const port = await webServer(t, 'tea');
  const { egress, inside } = await closedPlace(t);
  await egress.refresh();
  const refused = await inside('curl', '-sS', '--noproxy', '*', `http://127.0.0.1:${port}/`);
  assert.match(refused, /nobody has allowed this host/, 'who speaks HTTP is told');
  assert.deepEqual(egress.takeWithheld(), [{ kind: 'network', what: `127.0.0.1:${port}` }]);
  await assert.rejects(
    inside('curl', '-sS', '--noproxy', '*', '--max-time', '5', 'http://192.0.2.1/'),
    /Failed to connect/,
  );
});

test('addresses that hand out credentials and our own ports are refused though the gate lets them through', {
  skip,
}, async (t) => {
  const port = await webServer(t, 'secret');
  const { allowed, inside } = await closedPlace(t, { ownPorts: new Set([port]) });
  for (const [host, reason] of [
    ['169.254.169.254:80', /metadata/],
    ['metadata.google.internal:80', /credentials/],
    ['[fd00:ec2::254]:80', /metadata/],
    [`127.0.0.1:${port}`, /belongs to the agent/],
    [`localhost:${port}`, /502|EACCES|leads where|^$/],
  ] as const) {
    allowed.add(host.replace(/[[\]]/g, ''));
    const text = await inside(...ask(`http://${host}/`)).catch(String);
    assert.ok(!text.includes('secret'), host);
    if (!host.startsWith('localhost')) assert.match(text, reason, host);
  }
});

test('a server of this machine that the gate allows is reached inside without a proxy', { skip }, async (t) => {
  const server = createServer((socket) => socket.end('plain words')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { egress, allowed, inside } = await closedPlace(t);
  const read = ['bash', '-c', `cat < /dev/tcp/127.0.0.1/${port}`];
  await egress.refresh();
  // Told with the command's result, so that somebody can allow it.
  await inside(...read).catch(() => undefined);
  assert.deepEqual(
    egress.takeWithheld().map(({ what }) => what),
    [`127.0.0.1:${port}`],
  );
  allowed.add(`127.0.0.1:${port}`);
  const words = await until(async () => await inside(...read).catch(() => ''));
  assert.equal(words, 'plain words');
});

test('a server inside is reached from outside on its own port, and no more when it has ended', { skip }, async (t) => {
  const { egress, inside, prefix } = await closedPlace(t);
  const program = `require('node:http').createServer((_, r) => r.end('from inside')).listen(0, '127.0.0.1', function () { console.log(this.address().port, process.pid) })`;
  const [enter = '', ...args] = prefix;
  const server = spawn(enter, [...args, process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => server.kill('SIGKILL'));
  const said = String(await new Promise((resolve) => server.stdout.once('data', resolve)));
  const [port = 0, pid = 0] = said.split(' ').map(Number);
  await egress.refresh();
  const text = await until(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return response === undefined ? '' : await response.text();
  });
  assert.equal(text, 'from inside');
  await inside('kill', '-9', String(pid));
  const gone = await until(async () => {
    await egress.refresh();
    return (await isOpen(port)) ? '' : 'gone';
  });
  assert.equal(gone, 'gone');
});

test('where this machine has a proxy itself, hosts are reached through that one', { skip }, async (t) => {
  const proxy = await startProxy(await webServer(t, 'tea'));
  t.after(() => proxy[Symbol.asyncDispose]());
  const login = proxy.url.replace('//', '//ann:secret@');
  const { allowed, inside } = await closedPlace(t, { proxies: { http: login, https: login } });
  for (const host of ['plain.test:80', 'secure.test:443']) allowed.add(host);
  assert.equal(await inside(...ask('http://plain.test/leaves')), 'tea');
  assert.equal(await inside(...ask('http://secure.test:443/leaves'), '--proxytunnel'), 'tea');
  assert.deepEqual(proxy.asked, ['GET http://plain.test/leaves', 'CONNECT secure.test:443']);
  assert.equal(proxy.credentials, `Basic ${Buffer.from('ann:secret').toString('base64')}`);
  assert.match(await inside(...ask('http://other.test/')), /nobody has allowed/);
});

async function isOpen(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  return await new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Asks until there is an answer. */
async function until(look: () => Promise<string>): Promise<string> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = await look();
    if (found !== '') return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return '';
}
