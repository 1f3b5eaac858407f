import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkBinding, installCommand, installedPlace } from '../../../src/models/local/binding.ts';

function packageAt(t: TestContext, ...path: readonly string[]): { readonly root: string; readonly file: string } {
  const root = mkdtempSync(join(tmpdir(), 'hermes-place-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, ...path);
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  return { root, file: join(folder, 'dist', 'main.js') };
}

test('a global installation is told to install globally', (t) => {
  const { file } = packageAt(t, 'lib', 'node_modules', 'hermes-agent');
  assert.equal(installCommand(installedPlace(file), '/home'), 'npm install -g node-llama-cpp');
});

test('an installation in a project is told to install there', (t) => {
  const { root, file } = packageAt(t, 'node_modules', 'hermes-agent');
  writeFileSync(join(root, 'package.json'), '{}');
  assert.equal(installCommand(installedPlace(file), '/home'), `npm install --prefix ${root} node-llama-cpp`);
});

test('the source is told to install without changing what it is made of', (t) => {
  const { root, file } = packageAt(t, 'checkout');
  assert.equal(
    installCommand(installedPlace(file), '/home'),
    `npm install --no-save --prefix ${join(root, 'checkout')} node-llama-cpp`,
  );
});

test('where packages cannot see each other, the home is the place', (t) => {
  const { file } = packageAt(t, '.pnpm', 'hermes-agent@1', 'node_modules', 'hermes-agent');
  assert.equal(installCommand(installedPlace(file), '/my home'), 'npm install --prefix "/my home" node-llama-cpp');
});

test('a package of another shape is refused', () => {
  assert.throws(() => checkBinding({ getLlama: () => undefined }), {
    name: 'UserError',
    message: /not one that this program can use/,
  });
});
