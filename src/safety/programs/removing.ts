/** `rm`: a file that is named may go, a tree or what a pattern meets is somebody's work. */
import { type Field, UNKNOWN } from '../commands/fields.ts';
import { describe } from './describe.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { asks } from './findings.ts';
import type { KnownCall, Program } from './known.ts';
import { canBeMadeAgain } from './made-again.ts';
import type { Arguments } from './options.ts';

export const removing: readonly Program[] = [
  describe('rm unlink grm trash', {
    plain: '-fivdIx --force --dir --verbose --interactive? --one-file-system --preserve-root?',
    asks: { 'recursive delete': '-rR --recursive --no-preserve-root' },
    operands: 'written',
    check: removed,
  }),
];

function removed(known: KnownCall, args: Arguments, call: SimpleCommand): KnownCall | undefined {
  const { operands, asks: asked } = args;
  const recursive = asked.includes('recursive delete');
  const expendable = operands.length > 0 && operands.every(({ text }) => canBeMadeAgain(text));
  if (expendable || isFoundExpendable(call)) {
    // Unknown where it is a tree, and so contained: a link in its place may lead elsewhere.
    return recursive ? unknownTree : { ...known, place: 'anywhere', findings: [] };
  }
  if (recursive || !operands.some(isWide)) return known;
  return { ...known, place: 'outside', findings: [...known.findings, asks('delete by pattern')] };
}

/** `find . -name __pycache__ -exec rm -rf {} +`: each name that is looked for can be made again. */
function isFoundExpendable({ via, source }: SimpleCommand): boolean {
  if (via.at(-1) !== 'find') return false;
  const words = source.split(/\s+/).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
  if (words.some((word) => /^(?:-o|-or|-not|!|\\!|,)$/.test(word))) return false;
  const names = words.filter((_word, index) => /^-i?name$/.test(words[index - 1] ?? ''));
  return names.length > 0 && names.every(canBeMadeAgain);
}

/** Runs what nobody can see from the arguments, and asks nothing. */
const unknownTree: KnownCall = { place: 'sandbox', writes: [], contacts: [], findings: [] };

/** `*`, `src/*`, `*.ts` and names that only the running shell knows. */
function isWide({ text, globs }: Field): boolean {
  return globs || text.includes(UNKNOWN) || /[*?]/.test(text);
}
