/** Whose an error is that nobody caught. */
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type TestContext } from 'node:test';
import { pluginFolders } from '../../src/plugins/packages/plugin-folders.ts';
import { type ErrorOrigin, thrownBy } from '../../src/plugins/packages/thrown-by.ts';
import { temporaryHome } from '../config/temporary-home.ts';

const exception = 'uncaughtException';
const rejection = 'unhandledRejection';
const ours = '/app/dist/main.mjs';

test('an error is of the plug-in in whose files it was thrown: a folder, one of a category, a link, or a package', (t) => {
  const { thrownIn, inside, root } = plugins(t);
  assert.equal(thrownIn(exception, 'node:internal/timers:685', inside('plain/index.mjs')), 'plain');
  assert.equal(thrownIn(exception, join(root, 'plain/lib/a (b).js')), 'plain');
  assert.equal(thrownIn(exception, inside('work/deep/index.js')), 'work/deep');
  assert.equal(thrownIn(exception, inside('node_modules/@me/extra/node_modules/dep/x.mjs')), '@me/extra');
  assert.equal(thrownIn(exception, pathToFileURL(join(root, '..', 'elsewhere', 'index.js')).href), 'linked');
  assert.equal(thrownIn(exception, inside('not-one/index.js')), undefined);
  assert.equal(thrownIn(exception, inside('plainer/index.js')), undefined);
});

test("an exception that went through code of the program is no plug-in's, a rejected promise is of whoever made its error", (t) => {
  const { thrownIn, inside } = plugins(t);
  const own = inside('plain/index.mjs');
  assert.equal(thrownIn(exception, own, 'node:events', ours), undefined);
  assert.equal(thrownIn(exception, own, '/opt/her (mes)/main.mjs', own), undefined);
  assert.equal(thrownIn(exception, own, inside('work/deep/index.js')), undefined);
  assert.equal(thrownIn(exception, '<anonymous>', own, inside('plain/lib/other.js')), 'plain');
  assert.equal(thrownIn(rejection, own, ours), 'plain');
  for (const origin of [exception, rejection] as const) {
    assert.equal(thrownIn(origin, ours, own), undefined);
    assert.equal(thrownIn(origin, 'node:net'), undefined);
    assert.equal(thrownIn(origin), undefined);
  }
});

test("an error that only tells of a plug-in's stack, or has none that could be read, is no plug-in's", (t) => {
  const { folders, inside } = plugins(t);
  const telling = new Error(`it failed:\n    at f (${inside('plain/index.mjs')}:1:2)`);
  const odd = Object.defineProperty(new Error('x'), 'stack', {
    get() {
      throw new Error('no stack for you');
    },
  });
  for (const error of [telling, odd, 'text', null, undefined, 7, {}]) {
    for (const origin of [exception, rejection] as const) assert.equal(thrownBy(error, origin, folders), undefined);
  }
});

function plugins(t: TestContext) {
  const root = join(realpathSync(temporaryHome(t).home.path), 'plugins');
  const elsewhere = join(root, '..', 'elsewhere');
  for (const key of ['plain', 'plainer', 'work/deep', 'not-one', 'node_modules/@me/extra'])
    mkdirSync(join(root, key), { recursive: true });
  mkdirSync(elsewhere);
  for (const key of ['plain', 'work/deep']) writeFileSync(join(root, key, 'plugin.yaml'), '');
  writeFileSync(join(elsewhere, 'plugin.yml'), '');
  symlinkSync(elsewhere, join(root, 'linked'));
  const folders = pluginFolders(root);
  return {
    root,
    folders,
    inside: (file: string) => pathToFileURL(join(root, file)).href,
    thrownIn: (origin: ErrorOrigin, ...files: readonly string[]) => {
      const error = new Error('no');
      const places = files.map((file) => (file === '<anonymous>' ? file : `${file}:3:7`));
      error.stack = ['Error: no', ...places.map((place) => `    at async f (${place})`)].join('\n');
      return thrownBy(error, origin, folders);
    },
  };
}
