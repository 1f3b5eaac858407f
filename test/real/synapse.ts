/** The real homeserver Synapse for tests, with a database of its own. */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

export interface Synapse {
  readonly url: string;
  /** The id of a new account. */
  register(name: string, password: string): Promise<string>;
  /** How many keys of rooms the account keeps on the server. */
  copies(user: string, password: string): Promise<number>;
}

/** Returns the reason when it does not work here. */
export async function startSynapse(t: TestContext): Promise<Synapse | string> {
  const packages = await pythonPackages('synapse', ['matrix-synapse==1.163.2']);
  if (typeof packages === 'string') return packages;
  const folder = mkdtempSync(join(tmpdir(), 'synapse-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'homeserver.yaml');
  const secret = randomBytes(16).toString('hex');
  const url = await startServer(t, {
    command: packages.python,
    args: (port) => {
      writeFileSync(config, JSON.stringify(settings(folder, port, secret)));
      return ['-m', 'synapse.app.homeserver', '--config-path', config];
    },
    ready: '/_matrix/client/versions',
  });
  const tokens = new Map<string, string>();
  return {
    url,
    register: async (name, password) => await register(url, secret, name, password),
    async copies(user, password) {
      const token = tokens.get(user) ?? (await logIn(url, user, password));
      tokens.set(user, token);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/_matrix/client/v3/room_keys/version`, { headers });
      return ((await answer.json()) as { count?: number }).count ?? 0;
    },
  };
}

/** JSON is YAML. Nothing is limited, as a test is quicker than people. */
function settings(folder: string, port: number, secret: string): object {
  const unlimited = { per_second: 10_000, burst_count: 10_000 };
  return {
    server_name: 'example.org',
    pid_file: join(folder, 'homeserver.pid'),
    listeners: [{ port, bind_addresses: ['127.0.0.1'], type: 'http', tls: false, resources: [{ names: ['client'] }] }],
    database: { name: 'sqlite3', args: { database: join(folder, 'homeserver.db') } },
    media_store_path: join(folder, 'media'),
    signing_key: `ed25519 a_test ${randomBytes(32).toString('base64').replace(/=+$/, '')}`,
    registration_shared_secret: secret,
    macaroon_secret_key: randomBytes(16).toString('hex'),
    form_secret: randomBytes(16).toString('hex'),
    report_stats: false,
    trusted_key_servers: [],
    rc_message: unlimited,
    rc_login: { address: unlimited, account: unlimited, failed_attempts: unlimited },
    rc_joins: { local: unlimited, remote: unlimited },
    rc_invites: { per_room: unlimited, per_user: unlimited, per_issuer: unlimited },
  };
}

/** https://element-hq.github.io/synapse/latest/admin_api/register_api.html */
async function register(url: string, secret: string, username: string, password: string): Promise<string> {
  const address = `${url}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(address)).json()) as { nonce: string };
  const mac = createHmac('sha1', secret).update([nonce, username, password, 'notadmin'].join('\0')).digest('hex');
  const body = JSON.stringify({ nonce, username, password, admin: false, mac });
  const response = await fetch(address, { method: 'POST', body });
  const answer = (await response.json()) as { user_id?: string };
  if (answer.user_id === undefined) throw new Error(`the account was not made: ${JSON.stringify(answer)}`);
  return answer.user_id;
}

async function logIn(url: string, user: string, password: string): Promise<string> {
  const body = JSON.stringify({ type: 'm.login.password', identifier: { type: 'm.id.user', user }, password });
  const response = await fetch(`${url}/_matrix/client/v3/login`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}
