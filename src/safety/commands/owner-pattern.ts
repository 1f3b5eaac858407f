/** One pattern of the owner (`approvals.allow`, `approvals.deny`): a program, then sub-commands, options and paths. */
import { knowCall } from '../programs/catalogue.ts';
import { globMatch } from '../glob-match.ts';
import { UNKNOWN } from './fields.ts';
import type { CommandPaths } from './paths.ts';
import { namesPrivatePlaces } from './private-reads.ts';
import type { SimpleCommand } from './simple-command.ts';

/** The words of a pattern; quotes keep blanks together. */
export function patternWords(pattern: string): string[] {
  return [...pattern.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/**
 * True when an allowed pattern covers the call: its words are the call's, `*` at the end standing for any more, or it
 * names how the call begins and the rest only chooses what is looked at. Options that make the program run something
 * else must be named by the pattern itself.
 */
export function coversCall(pattern: readonly string[], call: SimpleCommand, paths: CommandPaths): boolean {
  const [program = '', ...rest] = pattern;
  const args = call.args.map((field) => field.text);
  const at = call.via.lastIndexOf(program);
  if (at !== -1) return coversWords(rest, [call.name, ...args], call);
  // Without a folder it is the program of the system, not one of that name that lies somewhere.
  if (program.includes('/') ? program !== call.path : program !== call.name || !systemPath.test(call.path))
    return false;
  if (coversWords(rest, args, call)) return true;
  const words = withoutGlobalOptions(call.name, args);
  return rest.every((word, index) => sameWord(word, words[index])) && onlyLooks(call, paths);
}

const systemPath = /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/)?[^/]+$/;

function coversWords(pattern: readonly string[], words: readonly string[], { name }: SimpleCommand): boolean {
  const open = pattern.at(-1) === '*';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  if (!fixed.every((word, index) => sameWord(word, words[index]))) return false;
  const others = words.slice(fixed.length);
  return !others.some((word) => runsOther(name, word));
}

/** A word that only the running shell knows is covered by an open end alone. */
function sameWord(pattern: string, word: string | undefined): boolean {
  if (word === undefined || word.includes(UNKNOWN)) return false;
  return pattern === word || (/[*?[]/.test(pattern) && matchesCase(pattern, word));
}

/** Names of files have case; the glob itself has none. */
function matchesCase(pattern: string, word: string): boolean {
  return (
    globMatch(pattern, word) &&
    pattern
      .replaceAll(/[*?]|\[[^\]]*\]/g, '\0')
      .split('\0')
      .every((part) => word.includes(part))
  );
}

/** Keys and logins are not among what a program may look at unless the pattern says so. */
function onlyLooks(call: SimpleCommand, paths: CommandPaths): boolean {
  if (namesPrivatePlaces(call, paths)) return false;
  const known = knowCall(call);
  if (known === undefined || known.place === 'outside') return false;
  return known.writes.length + known.contacts.length + known.findings.length === 0;
}

/** `git -C dir --no-pager status` is `git status`. */
function withoutGlobalOptions(name: string, args: readonly string[]): readonly string[] {
  if (name !== 'git') return args;
  let index = 0;
  for (; index < args.length; index++) {
    if (args[index] === '-C') index += 1;
    else if (!/^(?:-P|--no-pager|--no-optional-locks|--literal-pathspecs)$/.test(args[index] ?? '')) break;
  }
  return args.slice(index);
}

/** Options by which a program runs another one, or takes settings that do. */
const running: Readonly<Record<string, RegExp>> = {
  git: /^(?:-c.*|--config-env.*|--exec-path=.*|--upload-pack.*|--receive-pack.*|--exec(?:=.*)?|-O.*|--open-files-in-pager.*|--ext-diff|--template=.*|-u)$/,
  ssh: /^(?:-o.*|-F.*|-E.*|-S.*)$/,
  scp: /^(?:-o.*|-F.*|-S.*)$/,
  rsync: /^(?:-e.*|--rsh.*|--rsync-path.*)$/,
  tar: /^(?:--to-command.*|--checkpoint.*|--use-compress.*|--rsh-.*|--info-script.*|--new-volume.*|-[a-zA-Z]*[IF].*)$/,
  find: /^-(?:exec|ok|execdir|okdir|delete|fprint.*|fls)$/,
  sort: /^--(?:compress-program|files0).*$/,
  rg: /^--(?:pre|hostname-bin).*$/,
  npm: /^--(?:script-shell|prefix|userconfig|globalconfig).*$/,
};

function runsOther(name: string, word: string): boolean {
  return running[name]?.test(word) === true;
}

/**
 * True when a forbidden pattern fits the call, whatever options stand between its words. A program alone fits every call
 * of it.
 */
export function forbidsCall(pattern: readonly string[], call: SimpleCommand): boolean {
  const [program = '', ...rest] = pattern.map((word) => word.toLowerCase());
  const words = call.args.map((field) => field.text.toLowerCase());
  if (call.via.some((starter) => globMatch(program, starter))) {
    return rest.length === 0 || forbidsWords(rest, [call.name, ...words]);
  }
  const names = [call.name, call.path.toLowerCase()];
  return names.some((name) => globMatch(program, name)) && forbidsWords(rest, words);
}

function forbidsWords(pattern: readonly string[], words: readonly string[]): boolean {
  const wanted = pattern.filter((word, index) => word !== '*' || index < pattern.length - 1);
  const options = wanted.filter((word) => word.startsWith('-'));
  const operands = wanted.filter((word) => !word.startsWith('-'));
  if (!options.every((option) => words.some((word) => givesOption(option, word)))) return false;
  return startsOf(words).some((rest) => operands.every((operand, index) => fits(operand, rest[index])));
}

function fits(pattern: string, word: string | undefined): boolean {
  return word !== undefined && globMatch(pattern, word);
}

/** `-f` also in `-rf`, `--force` also as `--force=x`. */
function givesOption(option: string, word: string): boolean {
  if (globMatch(option, word) || word.startsWith(`${option}=`)) return true;
  return /^-[a-z\d]$/.test(option) && /^-[a-z\d]+$/.test(word) && word.includes(option.slice(1));
}

/** Where the sub-command may begin: behind each option in front of it, with a value of its own or without. */
function startsOf(words: readonly string[]): string[][] {
  const starts = [operandsFrom(words, 0)];
  for (let index = 0; index < words.length && words[index]?.startsWith('-') === true; index++) {
    starts.push(operandsFrom(words, index + 1), operandsFrom(words, index + 2));
    if (words[index + 1]?.startsWith('-') !== true) index += 1;
  }
  return starts;
}

function operandsFrom(words: readonly string[], from: number): string[] {
  return words.slice(from).filter((word) => !word.startsWith('-'));
}
