/** What a start gets from secret managers, and what it does when they fail. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { secretValuesOf } from '../../../src/safety/secret-variables.ts';
import { childEnvironment } from '../../../src/safety/child-env.ts';
import { fakeBws, fakeOp } from '../../fakes/secret-managers.ts';
import { bitwardenConfig, onePasswordConfig, secretHome } from './support.ts';

const token = '0.a-token-that-nobody-may-see';

suite('a start with secret managers', { concurrency: 4 }, () => {
  test('1Password gives each variable its value, with only the line break at its end taken off', async (t) => {
    const home = secretHome(t, onePasswordConfig({ A_KEY: 'op://v/i/a', B_KEY: 'op://v/i/b' }));
    fakeOp(home.base, { 'op://v/i/a': `printf 'v\\n'`, 'op://v/i/b': `printf ' two\\nlines \\n\\n'` });
    const { env, warnings } = await home.start({ B_KEY: 'old' });
    assert.equal(env['A_KEY'], 'v');
    assert.equal(env['B_KEY'], ' two\nlines \n');
    assert.deepEqual(warnings, []);
  });

  test('what is empty, unknown, malformed or badly named keeps its old value, and all the rest is set', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({
        EMPTY: 'op://v/i/empty',
        LOST: 'op://v/i/lost',
        PLAIN: 'just-text',
        '"bad-name"': 'op://v/i/good',
        GOOD: 'op://v/i/good',
      }),
    );
    const op = fakeOp(home.base, { 'op://v/i/empty': ':', 'op://v/i/good': 'echo fine' });
    const { env, report, warnings } = await home.start({ EMPTY: 'old', LOST: 'old', PLAIN: 'old' });
    assert.deepEqual([env['EMPTY'], env['LOST'], env['PLAIN'], env['GOOD']], ['old', 'old', 'old', 'fine']);
    assert.equal(env['bad-name'], undefined);
    assert.deepEqual(
      Object.fromEntries((report?.fetched[0]?.problems ?? []).map(({ variable, failure }) => [variable, failure.kind])),
      { EMPTY: 'empty_value', LOST: 'ref_invalid', PLAIN: 'ref_invalid', 'bad-name': 'ref_invalid' },
    );
    assert.equal(warnings.length, 4);
    // What lacks something is asked for again.
    assert.ok(!existsSync(join(home.home.path, 'cache', 'op_cache.json')));
    assert.equal(op.calls().length, 3);
  });

  test('a name that both have comes from 1Password, with one line that says so', async (t) => {
    const home = secretHome(t, onePasswordConfig({ A_KEY: 'op://v/i/a' }) + bitwardenConfig());
    fakeOp(home.base, { 'op://v/i/a': 'echo from-op' });
    fakeBws(home.base, { A_KEY: 'from-bws', OTHER: 'x1' });
    const { env, warnings } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.deepEqual([env['A_KEY'], env['OTHER']], ['from-op', 'x1']);
    assert.deepEqual(warnings, ['secrets: A_KEY: taken from 1Password; Bitwarden has it too, which is not used']);
  });

  test('with override_existing: false what is set stays, and no later source replaces it either', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({ A_KEY: 'op://v/i/a' }, '    override_existing: false\n') + bitwardenConfig(),
    );
    home.write('.env', 'A_KEY=mine\n');
    fakeOp(home.base, { 'op://v/i/a': 'echo from-op' });
    fakeBws(home.base, { A_KEY: 'from-bws', B_KEY: 'x1' });
    const { env, report } = await home.start({ BWS_ACCESS_TOKEN: token, B_KEY: 'shell' });
    assert.deepEqual([env['A_KEY'], env['B_KEY']], ['mine', 'x1']);
    assert.deepEqual(
      report?.placed.map(({ variable, source, fate }) => [variable, source.name, fate]),
      [
        ['A_KEY', 'onepassword', 'kept'],
        ['A_KEY', 'bitwarden', 'conflict'],
        ['B_KEY', 'bitwarden', 'overrode'],
      ],
    );
  });

  test('a source that does not answer is left behind with all it started, and the others count', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({ A_KEY: 'op://v/i/a' }) + bitwardenConfig('    timeout_seconds: 1\n'),
    );
    fakeOp(home.base, { 'op://v/i/a': 'echo v' });
    // The shell waits for a child, which holds the pipes.
    fakeBws(home.base, {}, `sleep 600 & echo $! > '${home.base}/sleeper'; wait`);
    const { env, report, warnings } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.equal(env['A_KEY'], 'v');
    assert.equal(report?.fetched[1]?.failure?.kind, 'timeout');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^secrets: Bitwarden gave nothing: .*\(timeout\)/);
    const pid = Number(readFileSync(join(home.base, 'sleeper'), 'utf8'));
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  test('a second start within the time asks nobody; cache_ttl_seconds: 0 asks each time and keeps no file', async (t) => {
    const home = secretHome(t, onePasswordConfig({ A_KEY: 'op://v/i/a' }) + bitwardenConfig());
    const op = fakeOp(home.base, { 'op://v/i/a': 'echo kept' });
    const bws = fakeBws(home.base, { B_KEY: 'kept-too' });
    const shell = { BWS_ACCESS_TOKEN: token };
    await home.start(shell);
    const { env } = await home.start(shell);
    assert.deepEqual([env['A_KEY'], env['B_KEY'], op.calls().length, bws.calls().length], ['kept', 'kept-too', 1, 1]);
    // Another token could lead to other values.
    await home.start({ BWS_ACCESS_TOKEN: '0.another' });
    assert.deepEqual([op.calls().length, bws.calls().length], [1, 2]);

    const none = '    cache_ttl_seconds: 0\n';
    home.write('config.yaml', onePasswordConfig({ A_KEY: 'op://v/i/a' }, none) + bitwardenConfig(none));
    await home.start(shell);
    await home.start(shell);
    assert.deepEqual([op.calls().length, bws.calls().length], [3, 4]);
    assert.deepEqual(readdirSync(join(home.home.path, 'cache')), []);
  });

  test('what is kept is for its owner alone, and holds no token', async (t) => {
    const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
    fakeBws(home.base, { B_KEY: 'v1' });
    await home.start({ BWS_ACCESS_TOKEN: token });
    const path = join(home.home.path, 'cache', 'bws_cache.json');
    assert.deepEqual([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777], [0o600, 0o700]);
    const kept = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual(Object.keys(kept), ['key', 'secrets', 'fetched_at']);
    assert.deepEqual(kept.secrets, { B_KEY: 'v1' });
    assert.ok(!JSON.stringify(kept).includes(token.slice(0, 8)));
  });

  test('a damaged or half-written cache is none, and what a kill left behind goes', async (t) => {
    const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
    const bws = fakeBws(home.base, { B_KEY: 'v1' });
    const folder = join(home.home.path, 'cache');
    mkdirSync(folder);
    writeFileSync(join(folder, 'bws_cache.json'), '{"key": "x", "secr');
    // No process has this number: it is above what Linux gives.
    writeFileSync(join(folder, '.bws_cache.json.99999999.tmp'), '{"secrets": {"B_KEY": "v0"');
    const { env } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.deepEqual([env['B_KEY'], bws.calls().length], ['v1', 1]);
    assert.deepEqual(readdirSync(folder), ['bws_cache.json']);
  });

  test('no secret manager sets a token of one, what decides which files are read, or what is pinned', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({ OP_SERVICE_ACCOUNT_TOKEN: 'op://v/i/t', FINE: 'op://v/i/t' }) + bitwardenConfig(),
    );
    writeFileSync(join(home.managed, '.env'), 'PINNED=admin\n');
    fakeOp(home.base, { 'op://v/i/t': 'echo other' });
    fakeBws(home.base, {
      BWS_ACCESS_TOKEN: 'stolen',
      OP_SERVICE_ACCOUNT_TOKEN: 'stolen',
      HERMES_HOME: '/tmp/else',
      HERMES_MANAGED_DIR: '/tmp/else',
      PINNED: 'mine',
      'not a name': 'x',
      BLANK: ' ',
    });
    const { env, warnings } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.equal(env['BWS_ACCESS_TOKEN'], token);
    assert.equal(env['OP_SERVICE_ACCOUNT_TOKEN'], undefined);
    assert.equal(env['HERMES_HOME'], home.home.path);
    assert.equal(env['HERMES_MANAGED_DIR'], home.managed);
    assert.deepEqual(
      [env['PINNED'], env['FINE'], env['BLANK'], env['not a name']],
      ['admin', 'other', undefined, undefined],
    );
    assert.deepEqual(warnings, [
      'secrets: OP_SERVICE_ACCOUNT_TOKEN cannot come from 1Password: it is needed before anything is asked',
    ]);
  });

  test('the programs see what they need of the environment, and nothing else', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({ A_KEY: 'op://v/i/a' }, '    account: work\n    service_account_token_env: MY_OP\n') +
        bitwardenConfig('    server_url: https://vault.example\n'),
    );
    const op = fakeOp(home.base, { 'op://v/i/a': 'echo v' });
    const bws = fakeBws(home.base, {});
    await home.start({
      MY_OP: 'ops_token',
      BWS_ACCESS_TOKEN: token,
      OP_SESSION_work: 's',
      OP_CONNECT_HOST: 'h',
      OPENAI_API_KEY: 'sk-x',
      GITHUB_TOKEN: 'g',
      LD_PRELOAD: '',
      HTTPS_PROXY: 'http://proxy.example',
    });
    const own = (seen: Readonly<Record<string, string>>) =>
      Object.keys(seen)
        .filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))
        .sort();
    assert.deepEqual(own(op.seen()), [
      'HOME',
      'HTTPS_PROXY',
      'OP_CONNECT_HOST',
      'OP_SERVICE_ACCOUNT_TOKEN',
      'OP_SESSION_work',
      'PATH',
    ]);
    assert.deepEqual(own(bws.seen()), [
      'BWS_ACCESS_TOKEN',
      'BWS_SERVER_URL',
      'HOME',
      'HTTPS_PROXY',
      'NO_COLOR',
      'PATH',
    ]);
    assert.equal(bws.seen()['BWS_SERVER_URL'], 'https://vault.example');
    assert.deepEqual(
      [op.calls(), bws.calls()],
      [['read --account work -- op://v/i/a'], ['secret list p1 --output json']],
    );
  });

  test('each way to fail has its kind and one line, in which no token stands', async (t) => {
    const ways = {
      not_configured: ['', ':'],
      auth_failed: [token, `echo 'Error: 401 Unauthorized for ${token}' >&2; exit 1`],
      auth_expired: [token, `echo 'Error: the access token has expired' >&2; exit 1`],
      network: [token, `echo 'Error: dial tcp: lookup api.bitwarden.com: no such host' >&2; exit 1`],
      ref_invalid: [token, `echo 'Error: Resource not found' >&2; exit 1`],
      internal: [token, `echo nonsense; exit 0`],
    };
    for (const [kind, [given = '', line = '']] of Object.entries(ways)) {
      const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
      fakeBws(home.base, {}, line);
      const { report, warnings } = await home.start({ BWS_ACCESS_TOKEN: given });
      assert.equal(report?.fetched[0]?.failure?.kind, kind);
      assert.equal(warnings.length, 1);
      assert.ok(!warnings.join().includes(token));
    }
    const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
    const { report } = await home.start({ BWS_ACCESS_TOKEN: token, PATH: join(home.base, 'nothing') });
    assert.equal(report?.fetched[0]?.failure?.kind, 'binary_missing');
  });

  test('being logged out of 1Password is one line, not one for each variable', async (t) => {
    const home = secretHome(t, onePasswordConfig({ A_KEY: 'op://v/i/a', B_KEY: 'op://v/i/a' }));
    const op = fakeOp(home.base, { 'op://v/i/a': `echo '[ERROR] You are not currently signed in.' >&2; exit 1` });
    const { report, warnings } = await home.start();
    assert.equal(report?.fetched[0]?.failure?.kind, 'auth_failed');
    assert.deepEqual([warnings.length, op.calls().length], [1, 1]);
  });

  test('an item that is called like a failure of the login costs its variable only', async (t) => {
    const home = secretHome(t, onePasswordConfig({ A_KEY: 'op://v/i/token', B_KEY: 'op://v/i/b' }));
    fakeOp(home.base, {
      'op://v/i/token': `echo '[ERROR] could not read secret: "access token" isn'"'"'t an item in this vault' >&2; exit 1`,
      'op://v/i/b': 'echo v',
    });
    const { env, report } = await home.start();
    assert.equal(report?.fetched[0]?.problems[0]?.failure.kind, 'ref_invalid');
    assert.equal(env['B_KEY'], 'v');
  });

  test('a program that writes without end is ended', async (t) => {
    const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
    fakeBws(home.base, {}, 'while :; do cat /bin/sh; done');
    const { report } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.equal(report?.fetched[0]?.failure?.kind, 'internal');
  });

  test('whatever a fetched variable is called, its value is masked and no command inherits it', async (t) => {
    const named = '    service_account_token_env: MY_ACCESS\n';
    const home = secretHome(t, onePasswordConfig({ GREETING: 'op://v/i/a' }, named));
    fakeOp(home.base, { 'op://v/i/a': 'echo hello-hello-hello' });
    const { env } = await home.start({ OTHER: 'plain', MY_ACCESS: 'opens-all-of-it', OP_SESSION_work: 'a-session' });
    assert.deepEqual(secretValuesOf(env).sort(), ['a-session', 'hello-hello-hello', 'opens-all-of-it']);
    const child = childEnvironment(env);
    assert.deepEqual([child['GREETING'], child['OTHER'], child['MY_ACCESS']], [undefined, 'plain', undefined]);
    // A program that was started with these variables masks them too, although it finds them set.
    home.write('config.yaml', onePasswordConfig({ GREETING: 'op://v/i/a' }, `${named}    override_existing: false\n`));
    const below = await home.start(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ''])));
    assert.ok(secretValuesOf(below.env).includes('hello-hello-hello'));
    assert.ok(!Object.keys(child).some((name) => name.startsWith('_HERMES')));
    assert.equal(childEnvironment(env, { passthrough: ['GREETING'] })['GREETING'], 'hello-hello-hello');
  });

  test('unknown sources are named; a reload of .env puts the values back without asking', async (t) => {
    const home = secretHome(
      t,
      `${onePasswordConfig({ A_KEY: 'op://v/i/a' }, '    cache_ttl_seconds: 0\n')}  sources: [vault]\n`,
    );
    const op = fakeOp(home.base, { 'op://v/i/a': 'echo v' });
    const { report, warnings } = await home.start();
    assert.deepEqual(warnings, [`secrets.sources: there is no 'vault' here; it is passed over`]);
    const fresh: Record<string, string | undefined> = { A_KEY: 'from .env' };
    report?.layOver(fresh);
    assert.deepEqual([fresh['A_KEY'], op.calls().length], ['v', 1]);
  });

  test('a cache that cannot be written costs the next start its time, not the values', async (t) => {
    const home = secretHome(t, `secrets:\n${bitwardenConfig()}`);
    fakeBws(home.base, { B_KEY: 'v1' });
    home.write('cache', 'no folder');
    const { env, warnings } = await home.start({ BWS_ACCESS_TOKEN: token });
    assert.equal(env['B_KEY'], 'v1');
    assert.match(warnings.join(), /cannot be kept/);
  });

  test('nothing is asked where none is switched on', async (t) => {
    const home = secretHome(t, 'secrets:\n  onepassword:\n    enabled: false\n    env:\n      A: op://v/i/a\n');
    const op = fakeOp(home.base, {});
    assert.equal((await home.start()).report, undefined);
    assert.deepEqual(op.calls(), []);
  });
});

function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody collects is dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
