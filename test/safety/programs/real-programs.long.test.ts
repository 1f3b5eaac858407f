/** What is known of programs is held against the programs themselves: they change only the files that were told. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isPlainAwk } from '../../../src/safety/programs/awk-program.ts';
import { isPlainSed } from '../../../src/safety/programs/sed-script.ts';
import { knowText } from './know-text.ts';

const files = ['in1', 'in2', 'd', 'P', 'a.tar', '-', 'e=P', '1'];
const values = ['P', '1', 'in1', '%P', '2', 'x', 'touch P'];
const pools: Readonly<Record<string, readonly string[]>> = {
  find: [
    ...[
      '.',
      'd',
      '-name',
      '*.x',
      'in1',
      '-print',
      '-fprint',
      'P',
      '-fprintf',
      '-fls',
      '-exec',
      'touch',
      '{}',
      ';',
      '+',
    ],
    ...['echo', '-execdir', '-delete', '-o', '!', '-type', 'f', '-printf', '%p', '-newer', '-maxdepth', '1', '-quit'],
    ...['-prune', '-files0-from', '-', '-ls', '-path', '-depth', 'sh', '-c', 'touch P', 'cat', 'tee', 'cp', '-empty'],
  ],
  tar: [
    ...['-c', '-t', '-x', 'cf', 'tf', 'xf', 'czf', '-f', 'a.tar', 'P', '-C', 'd', 'in1', '-v', '-z', '-O', '-X', 'in2'],
    ...['--to-command=touch P', '--checkpoint=1', '--checkpoint-action=exec=touch P', '-I', '-r', '-u', '--delete'],
    ...['--remove-files', '-T', '--index-file=P', '-g', 'P2', '-d', '--one-top-level=P', '-h', '-j', '-l', '-U', '-w'],
  ],
  xargs: [
    ...['-I', '{}', '-n', '1', '-0', '-t', '-P', 'touch', 'cat', 'echo', 'ls', 'P', 'in1', 'cp', 'sort', '-o', 'tee'],
    ...['-a', 'in2', '-d', ',', 'wc', '-L1', '-r', '-s', '100', 'sh', '-c', 'touch P'],
  ],
  env: [
    ...['-i', '-u', 'X', 'LANG=C', 'touch', 'P', 'ls', '-S', 'touch P', 'timeout', '5', '-k', '1s', 'nice', '-n', '3'],
    ...['stdbuf', '-oL', 'setsid', 'command', 'cat', 'in1', 'echo', 'sort', 'tee', '--', 'sh', '-c'],
  ],
  sort: ['-o', '-oP', '-u', '-k', '2', '-T', 'd', '--output=P', '--compress-program=touch', '-S1', '-n', ...files],
  uniq: ['-c', '-f', '1', '-d', '--group', '-w', '2', ...files],
  xxd: ['-r', '-p', '-c', '4', '-l', '2', '-g2', '-i', ...files],
  tree: ['-o', 'P', '-R', '-L', '1', '-H', '.', '-J', ...files],
  split: ['-l', '1', '-d', '--filter=touch P', ...files],
  cp: ['-r', '-t', 'd', '-n', '-s', '-l', '-b', '-S', 'x', '-T', '--backup', ...files],
  mv: ['-t', 'd', '-n', '-b', '-S', 'x', '-T', ...files],
  ln: ['-s', '-f', '-t', 'd', '-b', '-r', '-T', ...files],
  tee: ['-a', '-i', ...files],
  install: ['-m', '644', '-t', 'd', '-D', '-b', '-d', '-T', ...files],
  diff: ['-u', '-r', '-q', '--output=P', '-l', '-D', 'x', '--from-file=in1', ...files],
  grep: ['-r', '-f', 'in1', '-o', 'a', '--include=P', '-l', ...files],
  gzip: ['-k', '-c', '-d', '-l', '-r', '-N', '-S', '.x', '-f', ...files],
  sed: ['-n', '-i', '-i.x', '-e', 's/a/b/', 'w P', 's/a/b/w P', '1e touch P', '-f', '-s', 'p', ...files],
  awk: ['-F', ',', '-v', 'x=1', '-f', '{print $1}', '{print > "P"}', 'BEGIN{system("touch P")}', ...files],
  date: ['-r', 'in1', '-d', '+%F', '-f', ...values],
};

test('a command that is known changes only what it is known to write', () => {
  const arbitrary = fc
    .constantFrom(...Object.keys(pools))
    .chain((name) =>
      fc.tuple(fc.constant(name), fc.array(fc.constantFrom(...(pools[name] ?? [])), { minLength: 1, maxLength: 7 })),
    );
  let ran = 0;
  fc.assert(
    fc.property(arbitrary, ([name, words]) => {
      const input = name === 'xargs' ? 'cat in1 | ' : '';
      const text = input + [name, ...words].map(quoted).join(' ');
      const { verdict, places, writes } = knowText(text);
      const elsewhere = writes.some((path) => /^\/|\.\.|\ue000/.test(path));
      if (/^(?:asked|unknown)$/.test(verdict) || places.some((place) => place !== 'anywhere') || elsewhere) return;
      ran += 1;
      const changed = changedBy('bash', ['-c', text]);
      const told = writes.map((path) => path.replace(/^\.\//, '').replaceAll(/\/+/g, '/').replace(/\/$/, ''));
      const untold = changed.filter(
        (file) => !told.some((path) => path === '.' || file === path || file.startsWith(`${path}/`)),
      );
      assert.deepEqual(untold, [], text);
    }),
    { numRuns: 6_000 },
  );
  assert.ok(ran > 500, String(ran));
});

test('a script that counts as plain makes no file', () => {
  const sed = [
    ...['s', '/', '|', 'a', '[', ']', '\\', '\n', ';', '{', '}', '!', '$', '1', ',', 'g', 'p', 'e', 'w', 'w P', '/x/'],
    ...['y', 'i\\\n', 'c', ' ', ':a', 'ba', '#', 'n', '[/]', '\\/', '=', 'q', 'r', 'W P', 's/a/b/', 'e touch P'],
  ];
  const awk = [
    ...[
      '{',
      '}',
      'print',
      ' ',
      '"',
      '/',
      '#',
      '\n',
      '|',
      ' | "sh"',
      ' > "P"',
      '$1',
      'NR',
      '(',
      ')',
      'x',
      '+',
      '-',
      '!',
    ],
    ...['~', '"touch P"', 'if', ';', ',', '\\', '\\\n', '[', ']', 'BEGIN', '1', '?', 'in', 'else', '/"/', '/#/', '&&'],
  ];
  const script = (pieces: readonly string[]): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(script(sed), script(awk), (forSed, forAwk) => {
      if (isPlainSed(forSed)) assert.deepEqual(changedBy('sed', [forSed, 'in1']), [], forSed);
      if (isPlainAwk(forAwk)) assert.deepEqual(changedBy('awk', [forAwk, 'in1']), [], forAwk);
    }),
    { numRuns: 5_000 },
  );
});

function quoted(text: string): string {
  return /^[\w.-]+$|^[A-Z]+=\w+$/.test(text) ? text : `'${text}'`;
}

/** Runs it in a folder of its own with a few files; tells which of them are new, gone or others. */
function changedBy(program: string, args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-known-'));
  try {
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'in1'), 'in1\nP "a" b\n');
    writeFileSync(join(folder, 'in2'), 'a 2\n');
    writeFileSync(join(folder, 'd', 'f'), 'x\n');
    const before = filesIn(folder);
    const env = { PATH: process.env['PATH'], HOME: folder };
    spawnSync(program, args, { cwd: folder, timeout: 5_000, input: 'in1\nP\n', env });
    const after = filesIn(folder);
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].filter((name) => before.get(name) !== after.get(name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.map((name) => {
      const entry = lstatSync(join(folder, name));
      return [name, `${entry.mode} ${entry.isDirectory() ? '' : `${entry.size} ${entry.mtimeMs}`}`];
    }),
  );
}
