/** `find` and `fd`: what they run and delete; a program behind `-exec` is a call of its own. */
import { type Field, UNKNOWN } from '../commands/fields.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { describe } from './describe.ts';
import { asks } from './findings.ts';
import { type KnownCall, looksOnly, type Program } from './known.ts';
import { canBeMadeAgain } from './made-again.ts';

export const findingFiles: readonly Program[] = [
  { names: ['find', 'gfind'], know: knowFind },
  describe('fd fdfind', {
    // Left out: -x and -X run a program.
    plain:
      '-HIuUsigalLp0F -d= -e= -E= -t= -c= -j= -S= -o= --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size= --changed-within= --changed-before= --color= --threads= --max-results= --base-directory= --path-separator= --search-path= --strip-cwd-prefix? --no-ignore-vcs --and= --quiet --prune -1 -q',
    check: (known, { given }) => (given.some(({ option }) => option.name === '-l') ? undefined : known),
  }),
  describe('locate mlocate plocate mdfind', { plain: '-icelqr0bw -n= -onlyin= --limit= --ignore-case --count' }),
];

const withoutValue = new Set(
  'a and o or not ! , ( ) true false print print0 prune quit depth d mount xdev x daystart follow noleaf ls empty executable readable writable nouser nogroup warn nowarn ignore_readdir_race E L H P X s'.split(
    ' ',
  ),
);
const withValue = new Set(
  'name iname path ipath wholename iwholename regex iregex regextype lname ilname type xtype size user group uid gid perm links inum samefile newer anewer cnewer amin cmin mmin atime ctime mtime used maxdepth mindepth fstype printf D f context newermt newerat newerct newermm newercm'.split(
    ' ',
  ),
);

function knowFind({ args }: SimpleCommand): KnownCall | undefined {
  const writes: string[] = [];
  let unknown = false;
  let deletes = false;
  for (let index = 0; index < args.length; index++) {
    const field = args[index];
    const text = field?.text ?? '';
    if (field === undefined || field.splits || text.startsWith(UNKNOWN)) {
      unknown = true;
    } else if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      // In the folder of what it found, a name leads elsewhere than it says here.
      if (text.endsWith('dir')) unknown = true;
      index = endOfProgram(args, index);
    } else if (text === '-delete') {
      deletes = true;
    } else if (/^-f(?:printf?|print0|ls)$/.test(text)) {
      writes.push(args[index + 1]?.text ?? UNKNOWN);
      index += text === '-fprintf' ? 2 : 1;
    } else if (/^-O\d$/.test(text) || !/^[-(),!]/.test(text)) {
      if (field.globs && /^[*?[]/.test(text)) unknown = true;
    } else if (withValue.has(text.slice(1))) {
      index += 1;
    } else if (!withoutValue.has(text.replace(/^-/, ''))) {
      unknown = true;
    }
  }
  if (deletes && !deletesExpendable(args)) {
    return { ...looksOnly, place: 'outside', writes, findings: [asks('delete by pattern')] };
  }
  // Contained: it deletes what can be made again, wherever it finds it.
  return unknown ? undefined : { ...looksOnly, place: deletes ? 'sandbox' : 'anywhere', writes };
}

/** The index of the `;` or `+` that ends the program behind `-exec`. */
function endOfProgram(args: readonly Field[], from: number): number {
  const end = args.findIndex(
    ({ text }, index) => index > from && (text === ';' || (text === '+' && args[index - 1]?.text === '{}')),
  );
  return end === -1 ? args.length : end;
}

/** `find . -name '*.pyc' -delete`: every name it looks for can be made again, and nothing widens that. */
function deletesExpendable(args: readonly Field[]): boolean {
  const texts = args.map(({ text }) => text);
  if (texts.some((text) => /^(?:-o|-or|-not|!|,)$/.test(text))) return false;
  const inTemporary = texts.length > 0 && canBeMadeAgain(texts[0] ?? '');
  const names = texts.filter((_text, index) => /^-i?name$/.test(texts[index - 1] ?? ''));
  const onlyEmpty = texts.includes('-empty') && texts[texts.indexOf('-type') + 1] === 'd';
  const last = texts.at(-1) === '-delete';
  return last && (inTemporary || onlyEmpty || (names.length > 0 && names.every((name) => canBeMadeAgain(name))));
}
