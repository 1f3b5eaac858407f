/** `hermes status`: what it shows, what it hides, and whom it asks. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hasStackTrace, hermes, linesOf, makePlace } from './hermes-process.ts';

const sections = [
  'Environment',
  'API Keys',
  'Auth Providers',
  'API-Key Providers',
  'Terminal Backend',
  'Gateway',
  'Sessions',
];

function titles(stdout: string): string[] {
  return linesOf(stdout).flatMap((line) => (line.startsWith('◆ ') ? [line.slice(2)] : []));
}

suite('hermes status', { concurrency: 2 }, () => {
  test('an empty home has all sections and asks nobody', async (t) => {
    const run = await hermes(makePlace(t), ['status']);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.deepEqual(titles(run.stdout), sections);
    assert.match(run.stdout, /· Model: not set/);
    assert.match(run.stdout, /· none yet/);
    assert.doesNotMatch(run.stdout, /\x1b/);
  });

  test('keys are masked everywhere, and --all lists what is not set', async (t) => {
    const place = makePlace(t);
    place.write('.env', 'OPENROUTER_API_KEY=sk-or-v1-abcdefghijklmnop1234\nDEEPSEEK_API_KEY=short-key\n');
    place.write(
      'config.yaml',
      'model:\n  base_url: https://me:pass-word@models.example/v1\n  api_key: inline-key-000001\n',
    );
    for (const args of [['status'], ['status', '--all']]) {
      const { stdout } = await hermes(place, args);
      assert.match(stdout, /✓ OpenRouter: OPENROUTER_API_KEY sk-or-\.\.\.1234/);
      assert.match(stdout, /DEEPSEEK_API_KEY \*\*\*/);
      assert.match(stdout, /Home: ~\/\.hermes/);
      assert.doesNotMatch(stdout, /abcdefgh|short-key|pass-word|inline-key/);
      assert.equal(/xAI: not set/.test(stdout), args.includes('--all'));
    }
  });

  test('--deep asks each provider with its own key only, all at once', async (t) => {
    await using own = await startModelServer({ models: ['m'], apiKey: 'key-of-my-own-0001' });
    await using other = await startModelServer({ models: ['m'] });
    const place = makePlace(t);
    const endpoint = (name: string, url: string, key: string) =>
      `  - name: ${name}\n    base_url: ${url}\n    key_env: ${key}\n`;
    place.write(
      'config.yaml',
      `custom_providers:\n${endpoint('one', own.url, 'ONE_API_KEY')}${endpoint('two', other.url, 'TWO_API_KEY')}${endpoint('gone', 'http://127.0.0.1:9/v1', 'GONE_API_KEY')}`,
    );
    place.write(
      '.env',
      'ONE_API_KEY=key-of-my-own-0001\nTWO_API_KEY=key-of-two-00001\nGONE_API_KEY=key-of-gone-0001\n',
    );
    const run = await hermes(place, ['status', '--deep']);
    assert.equal(run.code, 0);
    assert.deepEqual(titles(run.stdout), [...sections, 'Reachability']);
    assert.match(run.stdout, /✓ one \(127\.0\.0\.1:\d+\)/);
    assert.match(run.stdout, /✓ two \(127\.0\.0\.1:\d+\)/);
    assert.match(run.stdout, /✗ gone: 127\.0\.0\.1:9 does not answer/);
  });

  test('a damaged auth.json and a damaged database are lines of the report, not its end', async (t) => {
    const place = makePlace(t);
    place.write('auth.json', '{"version":');
    place.write('state.db', 'this is no database at all, only text'.repeat(100));
    const run = await hermes(place, ['status', '--all']);
    assert.equal(run.code, 0);
    assert.deepEqual(titles(run.stdout), sections);
    assert.match(run.stdout, /✗ The stored logins in .*auth\.json cannot be used/);
    assert.match(run.stdout, /✗ ~\/\.hermes\/state\.db cannot be read/);
    assert.equal(hasStackTrace(run.stdout + run.stderr), false);
  });

  test('doctor counts stored keys too, and a damaged auth.json is a failure with its name', async (t) => {
    const place = makePlace(t);
    place.write(
      'config.yaml',
      'model:\n  provider: custom:one\n  default: m\ncustom_providers:\n  - name: one\n    base_url: http://127.0.0.1:9/v1\n    key_env: ONE_API_KEY\n',
    );
    place.write('.env', 'ONE_API_KEY=key-of-my-own-0001\n');
    const run = await hermes(place, ['doctor']);
    assert.match(run.stdout, /◆ Auth Providers\n  ✓ one \(ONE_API_KEY\)\n\n/);
    assert.match(run.stdout, /✗ one: 127\.0\.0\.1:9 does not answer/);
    place.write('auth.json', 'no json');
    const damaged = await hermes(place, ['doctor']);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stdout, /✗ The stored logins in .*auth\.json cannot be used/);
  });
});
