/** Tirith as an installed program: when it is run, and what comes of it when it is not there or fails. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../../../../src/environments/environment.ts';
import { noLog } from '../../../../src/lib/log.ts';
import { CommandScanner, type ScannerOptions } from '../../../../src/tools/terminal/tirith/scanner.ts';
import type { ToolServices } from '../../../../src/tools/services.ts';
import { terminalTool } from '../../../../src/tools/terminal/terminal.ts';
import { jsonOf, person, policyWith, runTool } from '../../support.ts';
import { makeBench } from '../support.ts';

function setUp(t: TestContext, script: string | undefined, options: Partial<ScannerOptions> = {}) {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-tirith-'));
  t.after(() => rmSync(homePath, { recursive: true, force: true }));
  const bin = join(homePath, 'programs');
  const calls = join(homePath, 'calls');
  const put = (folder: string): void => {
    mkdirSync(folder, { recursive: true });
    const text = `#!/bin/sh\nprintf '%s|' "$@" >> '${calls}'\necho "$PWD" >> '${calls}'\n${script}\n`;
    writeFileSync(join(folder, 'tirith'), text, { mode: 0o755 });
  };
  if (script !== undefined) put(bin);
  const scanner = new CommandScanner({
    homePath,
    userHome: homePath,
    env: () => ({ PATH: `${bin}:/usr/bin:/bin` }),
    enabled: true,
    path: 'tirith',
    timeoutSeconds: 20,
    failOpen: true,
    log: noLog,
    ...options,
  });
  t.after(() => scanner.close());
  const keys = async (command = 'ls'): Promise<readonly string[]> =>
    (await scanner.scan(command)).map(({ key }) => key);
  return {
    homePath,
    bin,
    put,
    scanner,
    keys,
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  };
}

function scannedBy(scanner: CommandScanner, services: ToolServices): ToolServices {
  return { ...services, state: { ...services.state, scanner } };
}

const warning = `echo '{"findings":[{"rule_id":"homograph","severity":"HIGH","title":"Odd letters"}]}'; exit 2`;

test('it gets the command as one word, in a folder that the command has not written', async (t) => {
  const { keys, calls, homePath } = setUp(t, warning);
  assert.deepEqual(await keys('curl "a b" | sh'), ['tirith:homograph']);
  assert.deepEqual(calls(), [`check|--json|--non-interactive|--shell|posix|--|curl "a b" | sh|${homePath}`]);
});

test('one in the home is found, and one by its path', async (t) => {
  const inHome = setUp(t, undefined);
  const other = setUp(t, warning);
  other.put(join(inHome.homePath, 'bin'));
  assert.deepEqual(await inHome.keys(), ['tirith:homograph']);
  const named = setUp(t, undefined, { path: join(other.bin, 'tirith') });
  assert.deepEqual(await named.keys(), ['tirith:homograph']);
});

const without: readonly (readonly [string, string | undefined, Partial<ScannerOptions>, readonly string[]])[] = [
  ['a missing one lets pass', undefined, {}, []],
  ['a missing one asks where it must not be', undefined, { failOpen: false }, ['tirith:tirith-import-error']],
  ['an unknown exit lets pass', 'exit 9', {}, []],
  ['an unknown exit asks where it must not', 'exit 9', { failOpen: false }, ['tirith:failed']],
  ['no answer in time lets pass', 'sleep 60', { timeoutSeconds: 0.2 }, []],
  ['no answer in time asks where it must not', 'sleep 60', { timeoutSeconds: 0.2, failOpen: false }, ['tirith:failed']],
  ['switched off, it is not run', warning, { enabled: false, failOpen: false }, []],
];

for (const [what, script, options, expected] of without) {
  test(what, async (t) => {
    assert.deepEqual(await setUp(t, script, options).keys(), expected);
  });
}

test('after three failures in a row it is not run any more, and keeps asking where it must', async (t) => {
  const open = setUp(t, 'exit 9');
  for (let run = 0; run < 5; run++) await open.keys();
  assert.equal(open.calls().length, 3);
  const closed = setUp(t, 'exit 9', { failOpen: false });
  for (let run = 0; run < 4; run++) assert.deepEqual(await closed.keys(), ['tirith:failed']);
});

test('an answer in between begins the count anew', async (t) => {
  const { keys, calls } = setUp(t, 'case "$7" in fine) exit 0 ;; *) exit 9 ;; esac');
  for (const command of ['x', 'x', 'fine', 'x', 'x', 'fine']) await keys(command);
  assert.equal(calls().length, 6);
});

test('it is installed in the background with the first command, once, and never in the place of a configured one', async (t) => {
  let installs = 0;
  const install = () => {
    installs += 1;
    return Promise.reject(new Error('no network'));
  };
  const usual = setUp(t, undefined, { install });
  await usual.keys();
  await usual.keys();
  assert.equal(installs, 1);
  await setUp(t, undefined, { install, path: '/opt/tirith' }).keys();
  await setUp(t, undefined, { install, enabled: false }).keys();
  assert.equal(installs, 1);
});

test('what it finds is asked about, for the session at most; with nobody there it is refused', async (t) => {
  const { scanner, calls } = setUp(t, warning);
  const services = scannedBy(scanner, makeBench(t).services);
  const policy = policyWith();
  const ann = person('always');
  const run = async (human?: typeof ann) =>
    jsonOf(
      await runTool(terminalTool, { command: 'echo hi' }, services, {
        policy,
        ...(human === undefined ? {} : { human }),
      }),
    );
  assert.match(JSON.stringify(await run()), /BLOCKED: .*\(Odd letters \(high\)\) and nobody can be asked here/);
  assert.equal((await run(ann))['output'], 'hi');
  assert.deepEqual(
    ann.asked.map(({ reasons, mayRemember }) => ({ reasons, mayRemember })),
    [{ reasons: ['Odd letters (high)'], mayRemember: false }],
  );
  await run(ann);
  assert.equal(ann.asked.length, 1);
  assert.equal(calls().length, 3);
});

/** The same environment, on a machine that has a sandbox. */
function confining(real: Environment): Environment {
  return new Proxy(real, {
    get(target, name) {
      if (name === 'confinementProblem') return () => Promise.resolve(undefined);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a command that runs confined without a question is not scanned', async (t) => {
  const { scanner, calls } = setUp(t, warning);
  const services = scannedBy(scanner, makeBench(t, { environment: confining }).services);
  const prepared = terminalTool.prepare({ command: 'node x.js' });
  assert.ok('judge' in prepared);
  assert.deepEqual((await prepared.judge(services))?.findings, []);
  assert.deepEqual(calls(), []);
});
