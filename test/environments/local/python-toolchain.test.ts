/** What a model is told of the Python of this machine, by what lies on the search path. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pythonToolchain } from '../../../src/environments/local/python-toolchain.ts';

/** A machine of which only these files are known. */
function machine(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'hermes-python-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text = ''): string => {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    chmodSync(whole, 0o755);
    return whole;
  };
  const link = (path: string, target: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  };
  const told = (...folders: string[]) =>
    pythonToolchain(folders.map((folder) => join(root, folder)).join(':'), join(root, 'home'));
  return { root, put, link, told };
}

test('a Python with its pip is not worth a word', (t) => {
  const { put, link, told } = machine(t);
  put('usr/bin/python3.12');
  link('usr/bin/python3', 'python3.12');
  put('usr/lib/python3.12/site-packages/pip/__init__.py');
  assert.equal(told('usr/bin'), '');
});

test('no Python, no pip, a pip of another Python and an installation that must not be changed are told', (t) => {
  const { root, put, link, told } = machine(t);
  put('usr/bin/ls');
  assert.equal(told('usr/bin'), 'python3 is missing.');
  put('usr/bin/python3.12');
  link('usr/bin/python3', 'python3.12');
  assert.equal(
    told('usr/bin'),
    'python3 is 3.12 without the module pip, python is missing (use python3), pip is missing.',
  );
  put('usr/lib/python3.12/EXTERNALLY-MANAGED');
  put('usr/lib/python3/dist-packages/pip/__init__.py');
  assert.match(told('usr/bin'), /^python3 is 3\.12, .*virtual environment only \(PEP 668\)\.$/);
  put('usr/bin/uv');
  assert.equal(told('usr/bin'), '');
  put('opt/bin/python3.9');
  put('usr/bin/pip', `#!${join(root, 'opt/bin/python3.9')}\n`);
  assert.match(told('usr/bin'), /pip belongs to Python 3\.9/);
});

test('a virtual environment has its own pip and may be changed; of a shim nothing is known', (t) => {
  const { put, link, told } = machine(t);
  put('usr/bin/python3.12');
  put('usr/lib/python3.12/EXTERNALLY-MANAGED');
  put('venv/pyvenv.cfg');
  link('venv/bin/python3', '../../usr/bin/python3.12');
  put('venv/lib/python3.12/site-packages/pip/__init__.py');
  assert.equal(told('venv/bin', 'usr/bin'), '');
  put('shims/python3', '#!/bin/sh\n');
  assert.equal(told('shims'), '');
});
