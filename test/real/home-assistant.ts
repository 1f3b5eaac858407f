/** A real Home Assistant for tests: a small house with two switches, and a token for it. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

const run = promisify(execFile);

/** What the server needs to start without the parts that are only to be had as sources. */
const packages = `homeassistant==2024.3.3 aiohttp==3.9.3 aiohttp-cors==0.7.0 aiohttp-fast-url-dispatcher==0.3.0
  aiohttp-zlib-ng==0.3.1 aiosignal==1.4.0 anyio==4.16.0 astral==2.2 async-interrupt==1.2.2
  atomicwrites-homeassistant==1.4.1 attrs==23.2.0 awesomeversion==24.2.0 bcrypt==4.1.2 certifi cffi==2.1.1
  charset-normalizer==3.5.3 ciso8601==2.3.1 cryptography==42.0.5 fnv-hash-fast==0.5.0 fnvhash==0.2.1 frozenlist==1.8.0
  greenlet==3.5.6 h11==0.16.0 home-assistant-frontend==20240307.0 httpcore==1.0.9 httpx==0.27.0 idna==3.20 ifaddr==0.2.0
  janus==1.0.0 jinja2==3.1.3 lru-dict==1.3.0 markupsafe==3.0.4 multidict==6.9.1 orjson==3.9.15 packaging==26.4
  pillow==10.2.0 pip==23.2.1 psutil==5.9.8 psutil-home-assistant==0.0.1 pycparser==3.12 pyjwt==2.8.0 pynacl==1.5.0
  pyopenssl==24.0.0 python-slugify==8.0.4 pytz==2026.6 pyyaml==6.0.1 requests==2.31.0 securetar==2026.10.0
  setuptools==65.5.0 sniffio==1.3.1 sqlalchemy==2.0.28 text-unidecode==1.3 typing-extensions==4.16.0
  ulid-transform==0.9.0 urllib3==1.26.20 voluptuous==0.13.1 voluptuous-serialize==2.6.0 yarl==1.9.4 zlib-ng==1.1.0`;

/** Returns the reason when it does not work here. */
export async function startHomeAssistant(
  t: TestContext,
): Promise<{ readonly url: string; readonly token: string } | string> {
  const installed = await pythonPackages('home-assistant', packages.split(/\s+/), { alone: true });
  if (typeof installed === 'string') return installed;
  const folder = mkdtempSync(join(tmpdir(), 'home-assistant-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(folder, { recursive: true });
  const account = ['-m', 'homeassistant', '--script', 'auth', '-c', folder, 'add', 'owner', 'a-password'];
  await run(installed.python, account, { timeout: 120_000 });
  const url = await startServer(t, {
    command: installed.python,
    args: (port) => {
      writeFileSync(join(folder, 'configuration.yaml'), settings(port));
      return ['-m', 'homeassistant', '--skip-pip', '-c', folder];
    },
    // It answers before its entities are there.
    ready: '/api/',
    ask: async (address) => (await fetch(address, { signal: AbortSignal.timeout(5000) })).status === 401,
  });
  const token = await tokenOf(url);
  return { url, token };
}

/** JSON is YAML. */
function settings(port: number): string {
  return JSON.stringify({
    http: { server_host: '127.0.0.1', server_port: port },
    api: {},
    auth: {},
    input_boolean: { kitchen: { name: 'Kitchen light' }, porch: { name: 'Porch', initial: true } },
  });
}

/** https://developers.home-assistant.io/docs/auth_api */
async function tokenOf(url: string): Promise<string> {
  const own = `${url}/`;
  const flow = await post(`${url}/auth/login_flow`, {
    client_id: own,
    handler: ['homeassistant', null],
    redirect_uri: own,
  });
  const login = { client_id: own, username: 'owner', password: 'a-password' };
  const { result } = await post(`${url}/auth/login_flow/${String(flow['flow_id'])}`, login);
  const form = new URLSearchParams({ grant_type: 'authorization_code', code: String(result), client_id: own });
  const answer = await fetch(`${url}/auth/token`, { method: 'POST', body: form });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function post(address: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}
