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

/** What commands are put together from; `_` stands for a blank within a word. */
const pools: Readonly<Record<string, string>> = {
  find: [
    '. d -name *.x in1 -print -fprint P -fprintf -fls -exec touch {} ; + echo -execdir -delete -o ! -type f -printf %p',
    '-newer -maxdepth 1 -quit -prune -files0-from - -ls -path -depth sh -c touch_P cat tee cp -empty',
  ].join(' '),
  tar: [
    '-c -t -x cf tf xf czf -f a.tar P -C d in1 -v -z -O -X in2 --to-command=touch_P --checkpoint=1 -I -r -u --delete',
    '--checkpoint-action=exec=touch_P --remove-files -T --index-file=P -g P2 -d --one-top-level=P -h -j -l -U -w',
  ].join(' '),
  xargs: '-I {} -n 1 -0 -t -P touch cat echo ls P in1 cp sort -o tee -a in2 -d , wc -L1 -r -s 100 sh -c touch_P',
  env: '-i -u X LANG=C touch P ls -S touch_P timeout 5 -k 1s nice -n 3 stdbuf -oL setsid command cat in1 echo sort tee -- sh -c',
  sort: '-o -oP -u -k 2 -T d --output=P --compress-program=touch -S1 -n in1 in2 d P - e=P',
  uniq: '-c -f 1 -d --group -w 2 in1 in2 d P - e=P',
  xxd: '-r -p -c 4 -l 2 -g2 -i in1 in2 d P - e=P',
  tree: '-o P -R -L 1 -H . -J in1 d',
  split: '-l 1 -d --filter=touch_P in1 in2 P -',
  cp: '-r -t d -n -s -l -b -S x -T --backup in1 in2 P - e=P',
  mv: '-t d -n -b -S x -T in1 in2 P - e=P',
  ln: '-s -f -t d -b -r -T in1 in2 P - e=P',
  tee: '-a -i in1 in2 d P - e=P',
  install: '-m 644 -t d -D -b -d -T in1 in2 P e=P',
  diff: '-u -r -q --output=P -l -D x --from-file=in1 in1 in2 d P -',
  grep: '-r -f in1 -o a --include=P -l in2 d P -',
  gzip: '-k -c -d -l -r -N -S .x -f in1 in2 d P -',
  sed: '-n -i -i.x -e s/a/b/ w_P s/a/b/w_P 1e_touch_P -f -s p in1 in2 P',
  awk: '-F , -v x=1 -f {print_$1} {print>"P"} BEGIN{system("touch_P")} in1 in2 e=P',
  date: '-r in1 -d +%F -f P 1 2 x',
};

test('a command that is known changes only what it is known to write', () => {
  const arbitrary = fc
    .constantFrom(...Object.keys(pools))
    .chain((name) => fc.tuple(fc.constant(name), fc.array(wordsOf(pools[name]), { minLength: 1, maxLength: 7 })));
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
  const sed = String.raw`s / | a [ ] \ ¶ ; { } ! $ 1 , g p e w w_P /x/ y i\¶ c _ :a ba # n [/] \/ = q r W_P s/a/b/ e_touch_P`;
  const awk = String.raw`{ } print _ " / # ¶ | _|_"sh" _>_"P" $1 NR ( ) x + - ! ~ "touch_P" if ; , \ \¶ [ ] BEGIN 1 ? in else /"/ /#/ &&`;
  const script = (pieces: string): fc.Arbitrary<string> =>
    fc.array(wordsOf(pieces), { minLength: 1, maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(script(sed), script(awk), (forSed, forAwk) => {
      if (isPlainSed(forSed)) assert.deepEqual(changedBy('sed', [forSed, 'in1']), [], forSed);
      if (isPlainAwk(forAwk)) assert.deepEqual(changedBy('awk', [forAwk, 'in1']), [], forAwk);
    }),
    { numRuns: 5_000 },
  );
});

function wordsOf(text = ''): fc.Arbitrary<string> {
  return fc.constantFrom(...text.split(' ').map((word) => word.replaceAll('_', ' ').replaceAll('¶', '\n')));
}

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
