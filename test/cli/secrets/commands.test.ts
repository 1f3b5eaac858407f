/** `hermes secrets`: what each command changes, shows and refuses. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { build } from '../../../src/cli/commands/secrets.ts';
import { fakeBws, fakeOp } from '../../fakes/secret-managers.ts';
import { runCommand } from '../config/run-command.ts';
import { bitwardenConfig, onePasswordConfig, secretHome } from './support.ts';

const secrets = { build };
const token = '0.a-token-that-nobody-may-see';

suite('hermes secrets', { concurrency: 4 }, () => {
  test('bitwarden setup stores the token in .env and the rest in config.yaml, and the next start has the values', async (t) => {
    const home = secretHome(t, '# mine\n');
    const bws = fakeBws(home.base, { A_KEY: 'v1' });
    const run = await runCommand(
      secrets,
      home,
      'bw',
      'setup',
      '--access-token',
      token,
      '--server-url',
      'https://s.example',
    );
    assert.deepEqual([run.exitCode, run.stderr], [0, '']);
    assert.match(run.stdout, /1 secret in the project p1/);
    assert.doesNotMatch(run.stdout, /nobody/);
    assert.match(home.read('.env'), /BWS_ACCESS_TOKEN=0\.a-token/);
    assert.doesNotMatch(home.read('config.yaml'), /nobody/);
    assert.match(home.read('config.yaml'), /^# mine/);
    assert.equal(bws.seen()['BWS_SERVER_URL'], 'https://s.example');
    const { env } = await home.start();
    assert.equal(env['A_KEY'], 'v1');
  });

  test('bitwarden setup changes nothing when Bitwarden refuses, or when nobody can be asked for the token', async (t) => {
    const home = secretHome(t, '# mine\n');
    fakeBws(home.base, {}, `echo 'Error: 401 Unauthorized' >&2; exit 1`);
    const refused = await runCommand(
      secrets,
      home,
      'bitwarden',
      'setup',
      '--access-token',
      token,
      '--project-id',
      'p1',
    );
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /auth_failed[^]*Nothing was changed/);
    const asked = await runCommand(secrets, home, 'bitwarden', 'setup', '--project-id', 'p1');
    assert.equal(asked.exitCode, 2);
    assert.equal(home.read('config.yaml'), '# mine\n');
    assert.ok(!existsSync(join(home.home.path, '.env')));
  });

  test('onepassword setup, set, status, sync, remove and disable work on one another', async (t) => {
    const home = secretHome(t, '# mine\n');
    const op = fakeOp(home.base, { 'op://v/i/a key': 'echo v1' });
    const run = async (...words: string[]) => {
      const outcome = await runCommand(secrets, home, 'op', ...words);
      assert.equal(outcome.exitCode, 0, outcome.stderr);
      return outcome;
    };
    const done = await run('setup', '--token', 'ops_secret_token', '--token-env', 'MY_OP_TOKEN');
    assert.doesNotMatch(done.stdout + done.stderr, /ops_secret/);
    assert.match(home.read('.env'), /MY_OP_TOKEN=ops_secret_token/);
    await run('set', 'A_KEY', 'op://v/i/a key');
    const preview = await run('sync');
    assert.match(preview.stdout, /A_KEY {2}set\n[^]*Nothing was changed/);
    assert.ok(!existsSync(join(home.home.path, 'cache', 'op_cache.json')));
    assert.match((await run('status')).stdout, /nothing is kept now/);
    await run('sync', '--apply');
    const asked = op.calls().length;
    const { env } = await home.start();
    assert.deepEqual([env['A_KEY'], op.calls().length], ['v1', asked]);
    const status = (await run('status')).stdout;
    assert.match(status, /1Password: +on\n/);
    assert.match(status, /MY_OP_TOKEN is set/);
    assert.match(status, /A_KEY: +op:\/\/v\/i\/a key/);
    assert.match(status, /\n {2}A_KEY {2}set\n/);
    assert.doesNotMatch(status, /v1|ops_secret/);
    await run('remove', 'A_KEY');
    assert.doesNotMatch(home.read('config.yaml'), /A_KEY/);
    assert.equal((await runCommand(secrets, home, 'op', 'remove', 'A_KEY')).exitCode, 1);
    await run('disable');
    assert.ok(!existsSync(join(home.home.path, 'cache', 'op_cache.json')));
    assert.equal((await home.start()).report, undefined);
    assert.equal((await runCommand(secrets, home, 'op', 'sync')).exitCode, 1);
  });

  test('onepassword setup needs the program, and stores no token that is refused', async (t) => {
    const home = secretHome(t, '# mine\n');
    const missing = await runCommand(secrets, home, 'onepassword', 'setup');
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stderr, /op cannot be run[^]*binary_path/);
    fakeOp(home.base, {});
    const loggedOut = await runCommand(secrets, home, '1password', 'setup', '--account', 'work');
    assert.equal(loggedOut.exitCode, 0);
    assert.match(loggedOut.stderr, /not signed in[^]*op signin/);
    assert.match(home.read('config.yaml'), /account: work/);
    const other = secretHome(t, '# mine\n');
    fakeOp(other.base, {}, 'echo "[ERROR] invalid token" >&2; exit 1');
    const refused = await runCommand(secrets, other, 'op', 'setup', '--token', 'ops_wrong_token');
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /did not take the token[^]*Nothing was changed/);
    assert.ok(!existsSync(join(other.home.path, '.env')));
  });

  test('a reference that is none, or a name that is none, is refused with nothing written', async (t) => {
    const home = secretHome(t, '# mine\n');
    for (const words of [
      ['A_KEY', 'plain text'],
      ['BAD-NAME', 'op://v/i/a'],
    ]) {
      const { exitCode, stderr } = await runCommand(secrets, home, 'op', 'set', ...words);
      assert.equal(exitCode, 2);
      assert.match(stderr, /nothing was changed/);
    }
    assert.equal(home.read('config.yaml'), '# mine\n');
  });

  test('status says what a start does with each value, and asks nobody', async (t) => {
    const home = secretHome(
      t,
      onePasswordConfig({ A_KEY: 'op://v/i/a' }) + bitwardenConfig('    override_existing: false\n'),
    );
    home.write('.env', `BWS_ACCESS_TOKEN=${token}\nB_KEY=mine\n`);
    fakeOp(home.base, { 'op://v/i/a': 'echo v1' });
    const bws = fakeBws(home.base, { A_KEY: 'x1', B_KEY: 'x2', C_KEY: 'x3', BWS_ACCESS_TOKEN: 'x4' });
    await home.start();
    const { stdout } = await runCommand(secrets, home, 'bitwarden', 'status');
    assert.match(stdout, /A_KEY +not used: another secret manager has it/);
    assert.match(stdout, /B_KEY +not used: it is set already/);
    assert.match(stdout, /C_KEY +set\n/);
    assert.match(stdout, /BWS_ACCESS_TOKEN +not used: no secret manager may set it/);
    assert.doesNotMatch(stdout, /x[1-4]/);
    assert.equal(bws.calls().length, 1);
  });

  test('what an administrator pinned is not changed', async (t) => {
    const home = secretHome(t, '# mine\n');
    fakeBws(home.base, { A_KEY: 'v1' });
    writeFileSync(join(home.managed, 'config.yaml'), 'secrets:\n  bitwarden:\n    enabled: false\n');
    const run = await runCommand(secrets, home, 'bw', 'setup', '--access-token', token, '--project-id', 'p1');
    assert.equal(run.exitCode, 1);
    assert.match(run.stderr, /managed by your administrator/);
    assert.equal(home.read('config.yaml'), '# mine\n');
    assert.ok(!existsSync(join(home.home.path, '.env')));
  });
});
