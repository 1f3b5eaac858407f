/** Programs that make, copy, move or change the files they are given. */
import { posix } from 'node:path';
import { UNKNOWN } from '../commands/fields.ts';
import { describe } from './describe.ts';
import { asks } from './findings.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

export const writing: readonly Program[] = [
  describe('mkdir', { plain: '-pv -m= --mode= --parents --verbose', operands: 'written' }),
  describe('touch', {
    plain: '-acmhf -d= -r= -t= --date= --reference= --time= --no-create --no-dereference',
    operands: 'written',
  }),
  describe('rmdir', { plain: '-pv --parents --verbose --ignore-fail-on-non-empty', operands: 'written' }),
  describe('mktemp', {
    plain: '-dquVt --directory --dry-run --quiet --suffix=',
    writes: '-p= --tmpdir?',
    operands: 'written',
  }),
  describe('tee sponge', { plain: '-aipu --append --ignore-interrupts --output-error?', operands: 'written' }),
  describe('truncate', {
    plain: '-co -s= -r= --no-create --io-blocks --size= --reference=',
    operands: 'written',
    ask: 'destroys the content of files',
  }),
  describe('shred wipe srm', {
    plain: '-fuvxz -n= -s= --force --iterations= --remove? --size= --verbose --exact --zero --random-source=',
    operands: 'written',
    ask: 'destroys the content of files',
  }),
  // Left out of these four: a copy of what was there gets a name that nobody knows (-b, -S).
  describe('cp gcp', {
    plain:
      '-adfHiLlnPpRrsTuvxZ --archive --force --interactive --no-clobber --recursive --update? --verbose --dereference --no-dereference --preserve? --no-preserve= --parents --sparse= --reflink? --link --symbolic-link --no-target-directory --one-file-system --remove-destination --attributes-only --copy-contents --debug',
    writes: '-t= --target-directory=',
    check: (known, args) => {
      const links = args.given.some(({ option }) => /^(?:-[ls]|--link|--symbolic-link)$/.test(option.name));
      const copy = copied(known, args);
      return links ? { ...copy, writes: [...copy.writes, ...args.operands.map(({ text }) => text)] } : copy;
    },
  }),
  describe('mv gmv', {
    plain:
      '-finTuvZ --force --interactive --no-clobber --no-target-directory --update? --verbose --strip-trailing-slashes --no-copy --exchange --debug',
    writes: '-t= --target-directory=',
    check: (known, args) => {
      const moved = copied(known, args);
      return { ...moved, writes: [...moved.writes, ...args.operands.map(({ text }) => text)] };
    },
  }),
  describe('ln link', {
    plain:
      '-fiLnPrsTv --force --interactive --logical --no-dereference --physical --relative --symbolic --no-target-directory --verbose',
    writes: '-t= --target-directory=',
    // A link makes another file be written under its name: what it leads to counts as written.
    check: (known, args) => {
      const linked = copied(known, args);
      return { ...linked, writes: [...linked.writes, ...args.operands.map(({ text }) => text)] };
    },
  }),
  describe('install ginstall', {
    // Left out: --strip-program runs one, -d makes folders of all operands, and owners need rights.
    plain: '-cCpTv -m= --mode= --compare --preserve-timestamps --no-target-directory --verbose',
    writes: '-t= --target-directory=',
    check: copied,
  }),
  describe('split', {
    // Left out: --filter runs a program.
    plain: '-dexu -a= -b= -C= -l= -t= --bytes= --lines= --numeric-suffixes? --suffix-length= --additional-suffix=',
    // What follows the beginning of the names is counted up: `.envr` becomes `.envrc`.
    check: (known, { operands }) => ({ ...known, place: 'sandbox', writes: [`${operands[1]?.text ?? 'x'}${UNKNOWN}`] }),
  }),
  describe('chmod', {
    plain: '-cfvRHLP --changes --silent --quiet --verbose --recursive --preserve-root',
    operands: 'rest written',
    // A mode that takes a right away begins like an option.
    check: (known, { operands }) => (operands.length < 2 ? undefined : known),
  }),
  describe('chown chgrp', {
    plain: '-cfhvRHLP --recursive --verbose --no-dereference --reference= --from=',
    operands: 'rest written',
    ask: 'rights of another user',
  }),
  describe('patch', {
    plain:
      '-0123456789bcefElnNRstTuvZ -p= -F= -i= -V= --strip= --forward --reverse --dry-run --input= --quiet --silent --verbose --fuzz= --batch --force --unified',
    writes: '-o= -d= -r= -B= --output= --directory= --reject-file=',
    operands: 'written',
    // Without an operand, which files it changes stands in the patch.
    check: (known, { operands }) => (operands.length === 0 ? undefined : known),
  }),
  describe('dos2unix unix2dos', { plain: '-fkqb --force --keepdate --quiet', operands: 'written' }),
];

/** The target, and each source's name in it where that is a folder. */
function copied(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const texts = operands.map(({ text }) => text);
  const folder = given.find(({ option }) => option.effect.kind === 'writes')?.value;
  const target = folder ?? texts.at(-1) ?? '.';
  const sources = folder === undefined ? texts.slice(0, -1) : texts;
  // A single operand is linked into the working folder.
  const alone = sources.length === 0 ? [posix.basename(target)] : [];
  const inside = sources.map((source) => `${target.replace(/\/$/, '')}/${posix.basename(source)}`);
  const blank = sources.includes('/dev/null') ? [asks('destroys the content of files')] : [];
  return {
    ...known,
    place: blank.length > 0 ? 'outside' : known.place,
    writes: [target, ...alone, ...inside],
    findings: [...known.findings, ...blank],
  };
}
