/** Archives: what is packed is read; what is unpacked nobody has looked at, and so it belongs into a sandbox. */
import type { Field } from '../commands/fields.ts';
import { describe } from './describe.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

const tar = describe('tar gtar bsdtar', {
  // Left out: -I, --to-command, --checkpoint-action and their like run programs, -T may hold options, -P and --one-top-level
  // write elsewhere, --remove-files removes.
  plain:
    '-ctxrudvzjJZakmpOhSlnUwW0123456789 -f= -X= --create --list --extract --get --append --update --file= --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma --auto-compress --keep-old-files --keep-newer-files --skip-old-files --overwrite --touch --preserve-permissions --same-permissions --no-same-owner --no-same-permissions --to-stdout --dereference --exclude= --exclude-from= --exclude-vcs --strip-components= --owner= --group= --mtime= --sort= --numeric-owner --totals --wildcards --no-recursion --show-transformed-names --format= --no-xattrs --one-file-system --anchored --diff --compare --verify',
  writes: '-C= --directory= --cd=',
  check: knowTar,
});

export const archives: readonly Program[] = [
  { names: tar.names, know: (call) => tar.know({ ...call, args: withDashes(call.args) }) },
  describe('zip', {
    // Left out: -T and --unzip-command run a program, -lf writes a log, -m removes what it packed, -@ reads names.
    plain: '-0123456789rqvjyXDofuk -x= -i= -n= -t= -P= --recurse-paths --quiet --exclude= --junk-paths --symlinks',
    writes: '-b= -O= --output-file= --temp-path=',
    check: (known, { operands }) => ({ ...known, writes: [...known.writes, operands[0]?.text ?? '.'] }),
  }),
  describe('unzip', {
    plain: '-lvtpcqonjuCaLUVXZTfs12z -x= -P= -O= -I=',
    writes: '-d=',
    check: (known, { given }) => {
      const looks = given.some(({ option }) => /^-[lvtpcZz]$/.test(option.name));
      return looks ? { ...known, writes: [] } : unpacked(known);
    },
  }),
  describe('zipinfo', { inert: true, plain: '-12smlvhtTzuCMZ' }),
  describe('gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 compress uncompress pigz', {
    plain:
      '-0123456789cdfhklLnqtvVz -T= --stdout --to-stdout --decompress --uncompress --force --keep --list --no-name --quiet --test --verbose --fast --best --threads= --rm --compress --rsyncable --extreme --ultra --long?',
    writes: '-o=',
    check: (known, { given, operands }) => {
      const looks = given.some(({ option }) => /^(?:-[cltV]|--(?:stdout|to-stdout|list|test))$/.test(option.name));
      const texts = operands.map(({ text }) => text);
      // The other file gets a name that follows from its own; -S and -N, which make another of it, are left out.
      const names = texts.flatMap((text) => [text, text.replace(/\.\w+$/, ''), ...endings.map((end) => text + end)]);
      return looks ? known : { ...known, writes: [...known.writes, ...names] };
    },
  }),
  { names: ['7z', '7za', '7zr', '7zz'], know: ({ args }) => knowSevenZip(args) },
];

const endings = ['.gz', '.bz2', '.xz', '.lzma', '.zst', '.lz4', '.Z', '.tar'];

/** In the old way of writing, values follow the letters in their order: `tar xfC a.tar dir`. */
function withDashes(args: readonly Field[]): readonly Field[] {
  const [first, ...rest] = args;
  if (first === undefined || !/^[A-Za-z]+$/.test(first.text)) return args;
  const words: Field[] = [];
  const values = [...rest];
  for (const letter of first.text) {
    words.push({ ...first, text: `-${letter}` });
    const value = /[fCXbTIKNVgF]/.test(letter) ? values.shift() : undefined;
    if (value !== undefined) words.push(value);
  }
  return [...words, ...values];
}

function knowTar(known: KnownCall, { given }: Arguments): KnownCall | undefined {
  const has = (names: RegExp): boolean => given.some(({ option }) => names.test(option.name));
  const archive = given.find(({ option }) => option.name === '-f' || option.name === '--file')?.value;
  const folders = known.writes.map((folder) => `${folder}/${archive ?? ''}`);
  // A colon means another machine.
  if (archive?.includes(':') === true) return undefined;
  if (has(/^(?:-[cruA]|--(?:create|append|update))$/))
    return { ...known, writes: archive === undefined || archive === '-' ? [] : [archive, ...folders] };
  if (has(/^(?:-[td]|--(?:list|diff|compare))$/) || has(/^(?:-O|--to-stdout)$/)) return { ...known, writes: [] };
  return has(/^(?:-x|--extract|--get)$/) ? unpacked(known) : undefined;
}

function unpacked(known: KnownCall): KnownCall {
  return { ...known, place: 'sandbox', writes: known.writes.length === 0 ? ['.'] : known.writes };
}

function knowSevenZip(args: readonly Field[]): KnownCall | undefined {
  const texts = args.map(({ text }) => text);
  const [verb = '', ...rest] = texts;
  if (args.some(({ splits }) => splits) || texts.some((text) => text.startsWith('@'))) return undefined;
  if (!rest.every((text) => /^(?:[^-]|-(?:y|o.+|r|mx=?\d|t\w+|bd|so|aoa|aos|slt|ba)$)/.test(text))) return undefined;
  const folder = rest.find((text) => text.startsWith('-o'))?.slice(2) ?? '.';
  const none = { contacts: [], findings: [] };
  if (verb === 'l' || verb === 't') return { place: 'anywhere', writes: [], ...none };
  if (verb === 'x' || verb === 'e') return { place: 'sandbox', writes: [folder], ...none };
  const archive = rest.find((text) => !text.startsWith('-'));
  return (verb === 'a' || verb === 'u') && archive !== undefined
    ? { place: 'anywhere', writes: [archive], ...none }
    : undefined;
}
