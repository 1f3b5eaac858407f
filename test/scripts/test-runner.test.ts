/** The test runner as a process: a run that is not entirely good must never look like one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

test('a good run is one line and exit code 0', async (t) => {
  const run = await runTests(t, { 'a.test.ts': `test('one', () => {}); test('two', () => {});` });
  assert.deepEqual(run, { code: 0, output: '2 passed, 0 failed, 0 skipped\n' });
});

test('a failure shows its name, its place and the difference', async (t) => {
  const run = await runTests(t, { 'a.test.ts': `test('sums', () => { assert.equal(1 + 1, 3); });` });
  assert.equal(run.code, 1);
  assert.match(run.output, /✖ sums \(test\/a\.test\.ts:\d+\)\n[^]*2 !== 3/);
  assert.match(run.output, /\n0 passed, 1 failed, 0 skipped\n$/);
});

test('an error that nothing awaits is shown with its place', async (t) => {
  const run = await runTests(t, {
    'a.test.ts': `const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
      test('a', async () => { await null; setTimeout(() => { throw new Error('thrown'); }); await wait(); });
      test('b', async () => { await null; void wait().then(() => { throw new Error('refused'); }); await wait(); await wait(); });`,
  });
  assert.equal(run.code, 1);
  assert.match(run.output, /Error: thrown\n\s+at .*a\.test\.ts[^]*Error: refused\n\s+at .*a\.test\.ts/);
});

test('skipped tests are counted with their reasons', async (t) => {
  const run = await runTests(t, { 'a.test.ts': `test('x', { skip: 'no tmux' }, () => {}); test('y', () => {});` });
  assert.deepEqual(run, { code: 0, output: 'skipped 1: no tmux\n1 passed, 0 failed, 1 skipped\n' });
});

test('words choose the files', async (t) => {
  const files = { 'room/a.test.ts': `test('a', () => {});`, 'other/b.test.ts': `test('b', () => assert.fail());` };
  const run = await runTests(t, files, 'room');
  assert.deepEqual(run, { code: 0, output: '1 passed, 0 failed, 0 skipped\n' });
});

test('long tests run when they are asked for, and alone', async (t) => {
  const files = { 'a.test.ts': `test('short', () => assert.fail());`, 'b.long.test.ts': `test('long', () => {});` };
  assert.deepEqual(await runTests(t, files, '--long'), { code: 0, output: '1 passed, 0 failed, 0 skipped\n' });
  const short = { 'a.test.ts': `test('short', () => {});`, 'b.long.test.ts': `test('long', () => assert.fail());` };
  assert.deepEqual(await runTests(t, short), { code: 0, output: '1 passed, 0 failed, 0 skipped\n' });
});

test('a run of many tests says now and then how far it has come, and in which file', async (t) => {
  const many = `for (let number = 0; number < 150; number += 1) test('t' + number, () => {});`;
  const { code, output } = await runTests(t, { 'a.test.ts': many, 'b.test.ts': many });
  assert.equal(code, 0);
  assert.match(
    output,
    /^… 100 tests, now test\/a\.test\.ts\n… 200 tests, now test\/b\.test\.ts\n(… 300 .*\n)?300 passed/,
  );
});

for (const [what, code] of Object.entries({
  'a file that cannot be loaded': `import './missing.ts';`,
  'an error thrown after the test ended': `test('a', () => { setTimeout(() => { throw new Error('late'); }, 5); });
    test('b', () => new Promise((resolve) => setTimeout(resolve, 50)));`,
  'a test that ends the process': `test('a', () => process.exit(0));`,
  'a test that only exists to be skipped': `test('a', { skip: 'always' }, () => {});`,
  'no test at all': ``,
})) {
  test(`${what} fails the run`, async (t) => {
    const run = await runTests(t, { 'a.test.ts': code });
    assert.equal(run.code, 1);
    assert.match(run.output, /^\d+ passed, \d+ failed, \d+ skipped\n$/m);
  });
}

async function runTests(t: TestContext, files: Record<string, string>, ...words: string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-runner-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'scripts'));
  for (const name of ['deal-tests.ts', 'follow-no-promises.ts', 'test.ts', 'test-run.ts', 'test-report.ts'])
    cpSync(join(scripts, name), join(dir, 'scripts', name));
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(dir, 'node_modules'));
  for (const [name, code] of Object.entries(files)) {
    const path = join(dir, 'test', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `import { test } from 'node:test'; import assert from 'node:assert/strict';\n${code}\n`);
  }
  const child = spawn(process.execPath, [join(dir, 'scripts', 'test.ts'), ...words], {
    // Without NODE_TEST_CONTEXT, in whose presence a runner within a runner does nothing.
    env: { PATH: process.env.PATH, HOME: dir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [output, code] = await Promise.all([text(child.stdout), exited]);
  return { code, output };
}
