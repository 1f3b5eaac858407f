/** Words of the shell itself, as far as they leave what later commands mean as it is. */
import { type Field, UNKNOWN } from '../commands/fields.ts';
import { isShell, shellInput } from '../commands/shells.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { describe } from './describe.ts';
import { asks } from './findings.ts';
import { type KnownCall, looksOnly, type Program } from './known.ts';
import { changesMeaning } from './variables.ts';

const withoutEffect =
  ': true false cd pushd popd dirs pwd echo test [ [[ exit return break continue shift wait sleep times';

export const shellWords: readonly Program[] = [
  { names: withoutEffect.split(' '), know: ({ args }) => (args.some(hidesCommand) ? undefined : looksOnly) },
  // Left out: -x runs a program.
  describe('jobs', { plain: '-lnprs' }),
  // Left out: -v puts the text into a variable.
  describe('printf', { optionsFirst: true }),
  describe('type which whereis', { inert: true, plain: '-aptPfsb --all --skip-alias' }),
  describe('umask ulimit', { plain: '-SpaHcdefilmnqrstuvx' }),
  describe('hash', { operands: 'none' }),
  describe('shopt', {
    plain: '-supq',
    check: (known, { operands }) => (operands.every(({ text }) => options.test(text)) ? known : undefined),
  }),
  {
    names: ['command', 'builtin'],
    know: ({ args }) => (/^-[pvV]+$/.test(args[0]?.text ?? '') ? looksOnly : undefined),
  },
  { names: 'export declare typeset readonly local unset read getopts'.split(' '), know: knowVariables },
  { names: ['set'], know: knowSet },
  { names: ['eval'], know: ({ args }) => (args.every(isKnown) ? looksOnly : undefined) },
  { names: ['sh', 'bash', 'dash', 'ksh'], know: knowShellText },
  { names: ['kill'], know: knowKill },
];

/** Names and values that change nothing of what programs mean. */
function knowVariables({ args, assignments, name }: SimpleCommand): KnownCall | undefined {
  const texts = args.map(({ text }) => text);
  const allowed = plainOptions.get(name) ?? /^-[xrgaAilup]+$/;
  if (args.some((field) => hidesCommand(field) || field.splits)) return undefined;
  if (args.some(({ text }) => text.split('=')[0]?.includes(UNKNOWN) === true)) return undefined;
  const given = texts.filter((text) => text.startsWith('-'));
  if (!given.every((text) => allowed.test(text))) return undefined;
  const names = [...texts.filter((text) => !text.startsWith('-')), ...assignments].map(
    (text) => text.split(/\+?=|\[/)[0] ?? '',
  );
  return names.some(changesMeaning) ? undefined : looksOnly;
}

/** Left out: -n makes another name for a variable, -f is about functions. */
const plainOptions: ReadonlyMap<string, RegExp> = new Map([
  ['read', /^-(?:[rse]+|[rs]*[dnNptu].*)$/],
  ['unset', /^-v$/],
]);

const options =
  /^(?:errexit|nounset|pipefail|noclobber|noglob|nullglob|globstar|extglob|dotglob|failglob|nocaseglob|xtrace|verbose|inherit_errexit)$/;

function knowSet({ args }: SimpleCommand): KnownCall | undefined {
  const plain = args.every(({ text }, index) => {
    if (options.test(text)) return (args[index - 1]?.text ?? '').endsWith('o');
    return /^[-+](?:[efuCxv]+o?|o)$/.test(text);
  });
  return plain && args.length > 0 ? looksOnly : undefined;
}

function isKnown({ text, computed, splits }: Field): boolean {
  return !text.includes(UNKNOWN) && !computed && !splits;
}

/** The index of an array is computed, and a substitution in it is run, also where quotes kept it from being one. */
function hidesCommand({ text }: Field): boolean {
  return /\[.*(?:\$\(|`|\$\{)/s.test(text);
}

/** The text behind `-c` is read and judged by itself. */
function knowShellText(call: SimpleCommand): KnownCall | undefined {
  const { kind, index } = shellInput(call);
  const text = call.args[index];
  if (kind !== 'text' || text === undefined || !isKnown(text) || !isShell(call.name)) return undefined;
  const before = call.args.slice(0, index);
  const plain = before.every((field) => /^-[ceux]+$|^-[eu]*o$|^pipefail$|^--norc$|^--noprofile$/.test(field.text));
  return plain && index === call.args.length - 1 ? looksOnly : undefined;
}

/** Jobs of the shell itself may be ended; another process may be anybody's. */
function knowKill({ args, source }: SimpleCommand): KnownCall {
  const texts = args.map(({ text }) => text);
  if (/^-[0lL]$/.test(texts[0] ?? '')) return looksOnly;
  const targets = texts.filter((text, index) => !text.startsWith('-') && !/^-[sn]$/.test(texts[index - 1] ?? ''));
  const jobs = targets.every((text) => /^%[\w+-]*$/.test(text) || (text === UNKNOWN && /\$!/.test(source)));
  if (targets.length > 0 && jobs && !/\$(?:\{?PPID|\()|`/.test(source)) return looksOnly;
  return { ...looksOnly, place: 'outside', findings: [asks('stops processes it did not start')] };
}
