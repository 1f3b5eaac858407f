/** The build as a process, on a small project of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const sources = {
  'package.json': '{ "name": "small", "type": "module", "imports": { "#src/*": "./src/*" } }',
  'src/main.ts': `import * as z from 'zod';
    import path, { join as joined, sep } from 'node:path';
    import * as os from 'node:os';
    import process from 'node:process';
    import { own } from '#src/deep/own.ts';
    const word: string = z.string().parse('parsed');
    const { late } = await import('./deep/late.ts');
    console.log(JSON.stringify([word, joined('a', 'b'), own(), late(), path.sep === sep, os.EOL, process.argv.length]));`,
  'src/deep/own.ts': `import { readFileSync } from 'node:fs';
    export const own = (): string => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).name;`,
  'src/deep/late.ts': `export const late = (): string => 'late';`,
};

test('a build says the same as its sources and loads its lazy parts from files of their own', (t) => {
  const dir = project(t);
  assert.equal(build(dir).status, 0);
  const fromSources = run(dir, 'src/main.ts');
  assert.deepEqual(JSON.parse(fromSources), ['parsed', join('a', 'b'), 'small', 'late', true, EOL, 2]);
  assert.equal(run(dir, 'dist/main.js'), fromSources);
  assert.ok(readdirSync(join(dir, 'dist')).some((name) => name.startsWith('late-')));
});

test('a build in which every start would load what few need is refused, with the way it came in', (t) => {
  const dir = project(t);
  writeFileSync(join(dir, 'src', 'main.ts'), `import './deep/judge.ts';`);
  writeFileSync(join(dir, 'src', 'deep', 'judge.ts'), `import { parse } from 'unbash'; console.log(typeof parse);`);
  const { status, stderr } = build(dir);
  assert.equal(status, 1);
  assert.match(stderr, /Every start would load 'unbash': main\.js → unbash/);
  writeFileSync(join(dir, 'src', 'main.ts'), `await import('./deep/judge.ts');`);
  assert.equal(build(dir).status, 0, 'loaded when it is needed');
});

test('a part that would hold nothing but a name of another part is not made', (t) => {
  const dir = project(t);
  writeFileSync(
    join(dir, 'src', 'main.ts'),
    `import { shared } from './deep/shared.ts';
    const { other } = await import('./deep/other.ts');
    const { shared: again } = await import('./deep/shared.ts');
    console.log(shared() + again() + (await other()));`,
  );
  writeFileSync(join(dir, 'src', 'deep', 'shared.ts'), `export const shared = (): string => 'a';`);
  writeFileSync(
    join(dir, 'src', 'deep', 'other.ts'),
    `export async function other(): Promise<string> {
      const { shared } = await import('./shared.ts');
      return shared() + 'b';
    }`,
  );
  assert.equal(build(dir).status, 0);
  assert.equal(run(dir, 'dist/main.js').trim(), 'aaab');
  for (const name of readdirSync(join(dir, 'dist'))) {
    assert.doesNotMatch(readFileSync(join(dir, 'dist', name), 'utf8'), /^export \{[^}]*\} from "[^"]*";\s*$/);
  }
});

test('functions that a start calls are written so that they are compiled at once, and do the same', (t) => {
  const dir = project(t);
  writeFileSync(
    join(dir, 'src', 'main.ts'),
    `import { early } from './deep/early.ts';
    const called = above(3);
    function above(left: number): string { return left === 0 ? above.name : above(left - 1); }
    async function* counted() { for (const one of [1, 2].map((each) => each * 2)) yield one; }
    function unused(): void { console.log('never'); }
    const failing = (): never => { throw new Error('…'); };
    const all = [];
    for await (const one of counted()) all.push(one);
    try { failing(); } catch (error) { all.push(String(error.stack).includes('at failing')); }
    if (process.env.NEVER) unused();
    console.log(JSON.stringify([called, early, failing.name, ...all]));`,
  );
  writeFileSync(
    join(dir, 'src', 'deep', 'early.ts'),
    `export const early = made('é');
    function made(word: string): string { return word + (function () { return '!'; })(); }`,
  );
  assert.equal(build(dir).status, 0);
  assert.deepEqual(JSON.parse(run(dir, 'dist/main.js')), ['above', 'é!', 'failing', 2, 4, true]);
  const code = readFileSync(join(dir, 'dist', 'main.js'), 'utf8');
  for (const name of ['above', 'counted', 'made']) assert.match(code, new RegExp(`^var ${name} = \\(`, 'm'));
  assert.match(code, /^function unused\(/m);
});

test('the schemas of modules are made when they are first used, and are what they were', (t) => {
  const dir = project(t);
  writeFileSync(
    join(dir, 'src', 'main.ts'),
    `import * as z from 'zod';
    import { entry, fields, type Entry } from './deep/entry.ts';
    const list = z.array(entry).min(1);
    const tool = { parameters: z.object({ ...fields, entry: entry.extend({ more: z.string() }).describe('a tool') }) };
    const read = (value: unknown): readonly Entry[] => list.parse(value);
    const later = z.custom(console.log('made') as never);
    console.log(JSON.stringify([
      read([{ kind: 'b' }]),
      list.safeParse([]).error instanceof z.ZodError,
      z.prettifyError(entry.safeParse({ kind: 'c' }).error ?? new z.ZodError([])),
      tool.parameters.parse({ entry: { kind: 'a', more: '' } }),
      tool.parameters.shape.entry.description,
      entry.shape.kind.description,
      entry instanceof z.ZodObject,
      Object.keys(entry.shape),
    ]));
    if (process.env['NEVER']) later.parse(1);`,
  );
  writeFileSync(
    join(dir, 'src', 'deep', 'entry.ts'),
    `import * as z from 'zod';
    const kind = z.enum(['a', 'b'] satisfies readonly string[]).describe('which');
    export const fields = { text: z.string().optional() };
    export const entry = z.object({ kind, at: z.number().default(1) });
    export type Entry = z.infer<typeof entry>;`,
  );
  assert.equal(build(dir).status, 0);
  const [made, ...said] = run(dir, 'src/main.ts').split('\n');
  assert.equal(made, 'made');
  assert.match(said.join('\n'), /"a tool","which"/);
  assert.equal(run(dir, 'dist/main.js'), said.join('\n'));
});

test('a program that cannot be run yet is built all the same', (t) => {
  const dir = project(t);
  writeFileSync(join(dir, 'src', 'main.ts'), `throw new Error('not yet');`);
  const { status, stderr } = build(dir);
  assert.equal(status, 0);
  assert.match(stderr, /The program is built, but will start slower than it could: .*not yet/s);
  assert.ok(existsSync(join(dir, 'dist', 'main.js')));
});

test('a build is written in ASCII, and its words are what they were', (t) => {
  const dir = project(t);
  writeFileSync(
    join(dir, 'src', 'main.ts'),
    `// é
    const naïve = \`ß\${'🦊'}\`;
    console.log(naïve, /^[🦀-🦊]$/u.test('🦊'), /…|🦊$/.test(naïve), JSON.stringify({ 'ключ': '\\u00e9 — é' }));`,
  );
  assert.equal(build(dir).status, 0);
  assert.match(readFileSync(join(dir, 'dist', 'main.js'), 'latin1'), /^[\0-\x7f]*$/);
  assert.equal(run(dir, 'dist/main.js'), 'ß🦊 true true {"ключ":"é — é"}\n');
});

test('zod is part of the bundle, and built-in modules are taken without an import', (t) => {
  const dir = project(t);
  build(dir);
  const code = readdirSync(join(dir, 'dist'))
    .map((name) => readFileSync(join(dir, 'dist', name), 'utf8'))
    .join('\n');
  assert.doesNotMatch(code, /from\s*["']zod["']/);
  assert.doesNotMatch(code, /from\s*["']node:/);
  assert.match(code, /getBuiltinModule\("node:path"\)/);
});

test('nothing is built again until a source changes or disappears', (t) => {
  const dir = project(t);
  // Files that are older than the build, whatever the clock of the file system can tell apart.
  age(dir);
  build(dir);
  const first = buildId(dir);
  build(dir);
  assert.equal(buildId(dir), first);

  writeFileSync(join(dir, 'src', 'deep', 'late.ts'), `export const late = (): string => 'changed';`);
  build(dir);
  assert.match(run(dir, 'dist/main.js'), /changed/);

  age(dir);
  build(dir);
  const second = buildId(dir);
  writeFileSync(join(dir, 'src', 'unused.ts'), '');
  rmSync(join(dir, 'src', 'unused.ts'));
  build(dir);
  assert.notEqual(buildId(dir), second);
});

test('a build that fails says where and leaves the old one in place', (t) => {
  const dir = project(t);
  build(dir);
  const before = run(dir, 'dist/main.js');
  writeFileSync(
    join(dir, 'src', 'deep', 'late.ts'),
    `import { gone } from './gone.ts'; export const late = () => gone;`,
  );
  const failed = build(dir);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /gone\.ts/);
  assert.equal(run(dir, 'dist/main.js'), before);
  assert.deepEqual(readdirSync(join(dir, 'node_modules', '.cache')), []);
});

test('without the bundler --if-possible removes an outdated build and succeeds; a plain build fails', (t) => {
  const dir = project(t);
  age(dir);
  build(dir);
  rmSync(join(dir, 'node_modules', 'rolldown'));
  assert.equal(build(dir, '--if-possible').status, 0);
  assert.ok(existsSync(join(dir, 'dist', 'main.js')), 'an up-to-date build stays');

  writeFileSync(join(dir, 'src', 'deep', 'late.ts'), `export const late = (): string => 'changed';`);
  assert.equal(build(dir).status, 1);
  const skipped = build(dir, '--if-possible');
  assert.equal(skipped.status, 0);
  assert.equal(skipped.stderr, '');
  assert.ok(!existsSync(join(dir, 'dist')));
});

test('a project without sources, such as an installed package, has nothing to build', (t) => {
  const dir = project(t);
  rmSync(join(dir, 'src'), { recursive: true });
  assert.equal(build(dir).status, 0);
  assert.ok(!existsSync(join(dir, 'dist')));
});

function project(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-build-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(sources)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  mkdirSync(join(dir, 'node_modules'));
  for (const name of ['rolldown', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name));
  mkdirSync(join(dir, 'scripts'));
  cpSync(join(root, 'scripts', 'build.ts'), join(dir, 'scripts', 'build.ts'));
  cpSync(join(root, 'scripts', 'build'), join(dir, 'scripts', 'build'), { recursive: true });
  return dir;
}

function build(dir: string, ...flags: string[]) {
  return spawnSync(process.execPath, [join(dir, 'scripts', 'build.ts'), ...flags], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}

function run(dir: string, entry: string): string {
  return spawnSync(process.execPath, [join(dir, entry)], { encoding: 'utf8' }).stdout;
}

function buildId(dir: string): number {
  return statSync(join(dir, 'dist')).ino;
}

/** Makes every source a minute old. */
function age(dir: string): void {
  const past = new Date(Date.now() - 60_000);
  const scripts = readdirSync(join(dir, 'scripts', 'build')).map((name) => join('scripts', 'build', name));
  const names = ['src', 'src/deep', 'package.json', 'scripts/build.ts', ...scripts, ...Object.keys(sources)];
  for (const name of names) utimesSync(join(dir, name), past, past);
}
