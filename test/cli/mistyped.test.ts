/** Mistyped words get one line, the nearest right one and exit code 2; advice fits how the program was started. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hermes, linesOf, makePlace } from './hermes-process.ts';

suite('mistyped command lines', { concurrency: 2 }, () => {
  test('the nearest command, sub-command, flag or choice is named', async (t) => {
    const place = makePlace(t);
    for (const [words, nearest] of [
      ['confg path', "'config'"],
      ['config shw', "'show'"],
      ['sessions lsit', "'list'"],
      ['skills tap ad', "'add'"],
      ['chat --modle x', '--model'],
      ['completion bsh', 'bash'],
    ] as const) {
      const run = await hermes(place, words.split(' '));
      assert.deepEqual([run.code, run.stdout], [2, ''], words);
      assert.ok(run.stderr.includes(nearest), `${words}: ${run.stderr}`);
    }
  });

  test('a sub-command or flag of a part that is not built names the part in one line', async (t) => {
    const place = makePlace(t);
    for (const words of ['auth spotify login', 'debug share --nous', 'tools post-setup camofox', 'update --gateway']) {
      const run = await hermes(place, words.split(' '));
      assert.deepEqual([run.code, run.stdout], [1, ''], words);
      assert.match(run.stderr, /not available in this build: it belongs to /, words);
      assert.equal(linesOf(run.stderr).length, 1, words);
    }
  });

  test('after npm start without a hermes on PATH, advice says npm start', async (t) => {
    const place = makePlace(t);
    const env = { npm_lifecycle_event: 'start', PATH: '/nowhere' };
    const run = await hermes(place, ['-p', 'nosuch', 'status'], { env });
    assert.match(run.stderr, /`npm start -- profile list`.*`npm start -- profile create nosuch`/);
    const unset = await hermes(place, ['-z', 'hello'], { env });
    assert.doesNotMatch(unset.stderr, /hermes [a-z-]/);
    assert.match(unset.stderr, /^ {2}npm start -- config set model\.provider custom && npm start -- config set/m);
    const usual = await hermes(place, ['-p', 'nosuch', 'status']);
    assert.match(usual.stderr, /`hermes profile list`/);
  });
});
