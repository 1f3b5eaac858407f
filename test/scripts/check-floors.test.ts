/** The import checker on small source trees. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findCircles } from '../../scripts/find-circles.ts';
import { readFacts } from '../../scripts/read-imports.ts';

const checker = fileURLToPath(new URL('../../scripts/check-floors.ts', import.meta.url));

test('a house in order passes in silence', (t) => {
  const result = check(t, {
    'main.ts': `import { home } from './config/home.ts'; const { cli } = await import('./cli/run.ts'); process.env.X;`,
    'index.ts': `export * from './runtime/start.ts';`,
    'cli/run.ts': `import { start } from '../runtime/start.ts'; import { wide } from './wide.ts'; export const cli = [start, wide];`,
    'cli/wide.ts': `import * as tui from '@earendil-works/pi-tui'; export const wide = tui;`,
    'runtime/start.ts': `import type { Home } from '#src/config/home.ts'; export const start = (home: Home) => home;`,
    'config/home.ts': `export interface Home {} export const home = process.env['HERMES_HOME'];`,
    'environments/local.ts': `import { spawn } from 'node:child_process'; export { spawn };`,
  });
  assert.deepEqual(result, { code: 0, lines: [] });
});

for (const [how, code] of Object.entries({
  'an import': `import { a } from '../runtime/a.ts';`,
  'a type import': `import type { A } from '../runtime/a.ts';`,
  'an export from': `export { a } from '../runtime/a.ts';`,
  'an export of all': `export * from '../runtime/a.ts';`,
  'a dynamic import': `export const a = () => import('../runtime/a.ts');`,
  'a type in place': `export type A = import('../runtime/a.ts').A;`,
  'an import by package path': `import { a } from '#src/runtime/a.ts';`,
})) {
  test(`${how} from a higher floor is reported with its line`, (t) => {
    const result = check(t, { 'llm/b.ts': `\n${code}\n`, 'runtime/a.ts': 'export const a = 1; export type A = 1;' });
    const line = 'src/llm/b.ts:2: imports upward: llm (floor 2) may not know runtime (floor 6)';
    assert.deepEqual(result, { code: 1, lines: [line] });
  });
}

test('rooms on one floor do not know each other', (t) => {
  const result = check(t, { 'tools/a.ts': `import '../mcp/b.ts';`, 'mcp/b.ts': '' });
  assert.deepEqual(result.lines, ['src/tools/a.ts:1: imports sideways: tools (floor 5) may not know mcp (floor 5)']);
});

test('the library entry reaches the runtime and below, not a surface', (t) => {
  const result = check(t, { 'index.ts': `export * from './cli/a.ts';`, 'cli/a.ts': '' });
  assert.match(result.lines.join(), /index\.ts \(floor 7\.5\) may not know cli/);
});

test('a file that only mentions an import in a comment or a text is in order', (t) => {
  const code = '// import "../runtime/a.ts"; process.env\nexport const a = "import(\'../runtime/a.ts\') process.env";';
  assert.deepEqual(check(t, { 'llm/b.ts': code, 'runtime/a.ts': '' }).lines, []);
});

test('an unknown room and a file that does not exist are reported', (t) => {
  const result = check(t, { 'attic/a.ts': `import './gone.ts';` });
  assert.deepEqual(result.lines, [
    'src/attic/a.ts:1: attic is on no floor; give it one in scripts/check-floors.ts',
    'src/attic/a.ts:1: there is no src/attic/gone.ts',
  ]);
});

test('files that import each other are reported once, with the way round', (t) => {
  const files = {
    'lib/a.ts': `import './b.ts';`,
    'lib/b.ts': `\nimport './c.ts';`,
    'lib/c.ts': `import type {} from './a.ts';`,
  };
  const way = 'lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts';
  assert.deepEqual(check(t, files).lines, [`src/lib/a.ts:1: imports itself in a circle: ${way}`]);
});

test('the environment, processes and the terminal library stay in their rooms', (t) => {
  const result = check(t, {
    'tools/a.ts': `import { spawn } from 'child_process';\nexport const a = [spawn, process.env.PATH];`,
    'llm/b.ts': `import type { Tui } from '@earendil-works/pi-tui/deep';`,
  });
  assert.equal(result.code, 1);
  assert.deepEqual(
    result.lines.map((line) => line.split(': ').slice(0, 2).join(': ')),
    [
      'src/llm/b.ts:1: imports @earendil-works/pi-tui/deep',
      'src/tools/a.ts:1: imports child_process',
      'src/tools/a.ts:2: process.env is read by src/config/ and src/main.ts only; take what you need as a parameter',
    ],
  );
});

test('every way to the environment is seen', () => {
  const ways = ['process.env', `process['env'].X`, 'globalThis.process.env', 'const { env } = process'];
  for (const way of [...ways, `import { env as e } from 'node:process'`]) {
    assert.deepEqual(readFacts(`\n${way};`).environment, [{ line: 2 }], way);
  }
  assert.deepEqual(readFacts('options.env; process.argv; const { argv } = process;').environment, []);
});

test('variables are looked up by name in few places only, in whatever record they lie', (t) => {
  const result = check(t, {
    'config/a.ts': `export const a = (env: Record<string, string>) => env['A'];`,
    'credentials/keys.ts': `export const a = (variables: Record<string, string>, name: string) => variables[name];`,
    'llm/b.ts': `export const b = (env: Record<string, string>) =>\n  env['B'];`,
    'tools/c.ts': `export const c = ({ name, options }: any) => {\n  options.env[name];\n  const { HOME } = options.env;\n};`,
    'tools/d.ts': `export const d = ({ env, variables }: any) => {\n  const { model } = variables;\n  return [env, model];\n};`,
  });
  assert.deepEqual(result.lines, [
    'src/llm/b.ts:2: variables are looked up by name in src/config/ only',
    'src/tools/c.ts:2: variables are looked up by name in src/config/ only',
    'src/tools/c.ts:3: variables are looked up by name in src/config/ only',
  ]);
});

test('of two circles through different files both are found', () => {
  const graph = new Map(
    Object.entries({ a: ['b'], b: ['a'], c: ['d', 'a'], d: ['c'], e: ['e'] }).map(([k, v]) => [k, new Set(v)]),
  );
  assert.deepEqual(findCircles(graph), [
    ['a', 'b', 'a'],
    ['c', 'd', 'c'],
    ['e', 'e'],
  ]);
});

function check(t: TestContext, files: Record<string, string>): { code: number | null; lines: string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-floors-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(join(dir, 'src', name, '..'), { recursive: true });
    writeFileSync(join(dir, 'src', name), code);
  }
  const run = spawnSync(process.execPath, [checker, dir], { encoding: 'utf8' });
  return { code: run.status, lines: run.stdout.split('\n').filter((line) => line !== '') };
}
