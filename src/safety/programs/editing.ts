/** `sed` and `awk`: small languages that can write files and run programs. */
import { UNKNOWN } from '../commands/fields.ts';
import { isPlainAwk } from './awk-program.ts';
import { describe } from './describe.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';
import { isPlainSed } from './sed-script.ts';

export const editing: readonly Program[] = [
  describe('sed gsed', {
    // Left out: -f reads commands from a file.
    plain:
      '-bEnrsuz -e= -l= --expression= --quiet --silent --regexp-extended --separate --unbuffered --null-data --line-length= --posix --sandbox --debug --follow-symlinks',
    edits: '-i? --in-place?',
    check: knowSed,
  }),
  describe('awk gawk mawk nawk', {
    // Left out: -f, -i, -l and -E read programs; -p, -d and -o write files.
    plain: '-F= -v= -S -b --field-separator= --assign= --posix --re-interval --sandbox --csv --characters-as-bytes',
    optionsFirst: true,
    check: (known, { operands, given }) => {
      const values = given.map(({ value }) => value ?? '');
      if (values.some((text) => text.includes(UNKNOWN))) return undefined;
      return isPlainAwk(operands[0]?.text ?? '') ? known : undefined;
    },
  }),
];

function knowSed(known: KnownCall, args: Arguments): KnownCall | undefined {
  const given = args.given.filter(({ option }) => option.name === '-e' || option.name === '--expression');
  const scripts = given.length > 0 ? given.map(({ value }) => value ?? '') : [args.operands[0]?.text ?? ''];
  // Several scripts are one, and `a\` at the end of one takes the next as its text.
  if (!isPlainSed(scripts.join('\n'))) return undefined;
  if (known.writes.length === 0) return known;
  // The copies that -i leaves: their name may be given by a pattern, with another folder in it.
  const files = (given.length > 0 ? args.operands : args.operands.slice(1)).map(({ text }) => text);
  const endings = args.given.flatMap(({ option, value }) => (option.effect.kind === 'edits' ? [value ?? ''] : []));
  // On macOS the word behind a bare -i is the ending.
  if (given.length === 0) endings.push(/^[\w.~]*/.exec(args.operands[0]?.text ?? '')?.[0] ?? '');
  if (endings.some((ending) => /[*/]/.test(ending))) return undefined;
  const copies = endings.filter((ending) => ending !== '').flatMap((ending) => files.map((file) => file + ending));
  return { ...known, writes: [...files, ...copies] };
}
