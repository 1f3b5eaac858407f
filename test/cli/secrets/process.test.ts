/** Secret managers as a whole process meets them: before the first request, and never where nobody needs them. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fakeOp, type FakeProgram } from '../../fakes/secret-managers.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { hermes, makePlace, ok, type Place, sourceFile } from '../hermes-process.ts';
import { onePasswordConfig } from './support.ts';

const key = 'sk-from-the-manager-0001';

function placeWithOp(
  t: TestContext,
  line: string,
  config = '',
): { place: Place; op: FakeProgram; env: { PATH: string } } {
  const place = makePlace(t);
  place.write('config.yaml', config + onePasswordConfig({ MY_MODEL_KEY: 'op://v/i/a' }));
  const op = fakeOp(dirname(place.work), { 'op://v/i/a': line });
  return { place, op, env: { PATH: `${op.folder}:${place.env['PATH']}` } };
}

suite('a process with secret managers', { concurrency: 2 }, () => {
  test('the first request has the key already, and neither output nor log shows it', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: `PONG ${key}` }), apiKey: key });
    const model = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: test-model\n  api_key: \${MY_MODEL_KEY}\n`;
    const { place, op, env } = placeWithOp(t, `echo ${key}`, model);
    const run = ok(await hermes(place, ['-z', 'ping'], { env }));
    assert.match(run.stdout, /PONG/);
    assert.equal(op.calls().length, 1);
    const log = readFileSync(join(place.home, 'logs', 'agent.log'), 'utf8');
    assert.ok(!log.includes(key));
    const status = ok(await hermes(place, ['status'], { env })).stdout;
    assert.match(status, /◆ Secret Managers\n {2}✓ 1Password: MY_MODEL_KEY \(fetched \d+ s ago\)/);
    assert.ok(!status.includes(key));
  });

  test('a version, help, a wrong word and what needs no key ask nobody', async (t) => {
    const { place, op, env } = placeWithOp(t, 'echo v');
    for (const words of [
      ['--version'],
      ['version'],
      ['--help'],
      ['status', '--help'],
      ['status', '--nope'],
      ['secrets'],
    ]) {
      await hermes(place, words, { env });
    }
    await hermes(place, ['secrets', 'onepassword', 'status'], { env });
    assert.deepEqual(op.calls(), []);
  });

  test('a manager that fails is one line, and doctor says what to do', async (t) => {
    const { place, env } = placeWithOp(t, `echo '[ERROR] You are not currently signed in.' >&2; exit 1`);
    const run = await hermes(place, ['doctor'], { env });
    assert.equal(run.stderr.split('\n').filter((line) => line.startsWith('secrets: ')).length, 1);
    assert.match(run.stdout, /◆ Secret Managers\n {2}⚠ 1Password: [^\n]*\(auth_failed\)/);
    assert.match(run.stdout, /hermes secrets onepassword sync/);
  });

  test('a home without any loads nothing for them', async (t) => {
    const place = makePlace(t);
    const list = join(place.home, 'loaded.txt');
    appendFileSync(list, '');
    const recorder = place.write(
      'recorder.mjs',
      `import { appendFileSync } from 'node:fs';
       import { registerHooks } from 'node:module';
       registerHooks({
         resolve(name, context, next) {
           const found = next(name, context);
           appendFileSync(${JSON.stringify(list)}, found.url + '\\n');
           return found;
         },
       });`,
    );
    place.write('config.yaml', 'security:\n  redact_secrets: true\nskills:\n  enabled: true\n');
    ok(
      await hermes(place, ['config', 'get', 'security.redact_secrets'], {
        env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}` },
        main: sourceFile,
      }),
    );
    const loaded = readFileSync(list, 'utf8').trim().split('\n');
    assert.ok(
      loaded.some((url) => url.endsWith('/src/cli/run.ts')),
      'the recorder saw nothing',
    );
    assert.deepEqual(
      loaded.filter((url) => /\/(?:secret-sources|cli\/secrets)\//.test(url)),
      [],
    );
  });
});
