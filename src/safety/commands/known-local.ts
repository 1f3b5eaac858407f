/** Which shell commands print nothing but facts of this machine. All others bring text from outside. */
import { UNKNOWN } from './fields.ts';
import { resolvePath } from './paths.ts';
import { readScript, type StartPlace } from './read-script.ts';
import { isShell, shellInput } from './shells.ts';
import { operandsOf, type Redirection, type SimpleCommand, textOf } from './simple-command.ts';

export interface CommandOrigin {
  /** A program that uses the network, or that nobody can see into; undefined when there is none. */
  readonly program: string | undefined;
  /** Absolute paths that the command names, files or not. */
  readonly files: readonly string[];
  /** Whether it shows what is in files, also in some that cannot be read off the command. */
  readonly shows: 'nothing' | 'files' | 'unnamed files';
}

/** Longer commands are not read. */
const maxCommandChars = 100_000;
/** Stands for what the shell decides only while it runs. */
const someShell = 'shell';

/** Never throws. In doubt a program is one that brings text from outside. */
export function commandOrigin(command: string, place: StartPlace): CommandOrigin {
  if (command.length > maxCommandChars) return { program: someShell, files: [], shows: 'nothing' };
  const facts = readScript(command, place);
  const unclear = facts.unread.length + facts.unchecked.length > 0 || facts.forkBomb;
  const program = unclear ? someShell : facts.commands.map(outsideProgram).find((name) => name !== undefined);
  return { program, files: [...new Set(facts.commands.flatMap(namedPaths))], shows: whatIsShown(facts.commands) };
}

function whatIsShown(commands: readonly SimpleCommand[]): CommandOrigin['shows'] {
  const showing = commands.filter(showsContents);
  if (showing.length === 0) return 'nothing';
  return showing.some(namesNoFile) ? 'unnamed files' : 'files';
}

const contents = new Set(
  [
    'cat head tail tac nl rev cut tr uniq paste join comm column fold fmt expand unexpand sort tee more less bat',
    'od xxd hexdump strings base64 base32 diff cmp grep egrep fgrep rg jq zcat zgrep bzcat xzcat awk gawk mawk sed gsed',
  ].flatMap((names) => names.split(' ')),
);
const gitContents = /^(?:diff|log|show|blame|grep|cat-file|stash|shortlog|reflog|branch|tag)$/;

function showsContents({ name, args, redirections }: SimpleCommand): boolean {
  if (name === 'git') return args.some(({ text }) => gitContents.test(text));
  return contents.has(name) || redirections.some(({ operator }) => operator === '<');
}

/** It reads the history, files that match a pattern, or what another command of the line names. */
function namesNoFile(command: SimpleCommand): boolean {
  if (command.name === 'git' || command.via.includes('xargs') || command.via.includes('find')) return true;
  return command.args.some(({ text, globs }) => globs || !isKnown(text));
}

/** The program's name when it is not known to stay on this machine. */
function outsideProgram(command: SimpleCommand): string | undefined {
  const { name, unknownName, path, via } = command;
  if (unknownName) return someShell;
  if (command.redirections.some(isConnection)) return 'network';
  if (command.assignments.some((text) => decidesPrograms.test(text))) return someShell;
  const starter = via.find((by) => !localStarters.has(by) && !isShell(by));
  if (starter !== undefined) return starter;
  if (name === '') return undefined;
  if (!systemDirectory.test(path.slice(0, path.lastIndexOf('/') + 1))) return name;
  if (isShell(name)) return shellInput(command).kind === 'text' && isKnown(textOf(command)) ? undefined : name;
  if (asksForVersion(command)) return undefined;
  return local.has(name) || localIf.get(name)?.(command) === true ? undefined : name;
}

/** bash opens a connection for a redirection to such a name; one that is computed may be one. */
function isConnection({ operator, target }: Redirection): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(target) || (operator.startsWith('<') && target.startsWith(UNKNOWN));
}

/** Variables that make a well-known name run something else. */
const decidesPrograms =
  /^(?:PATH|LD_\w+|DYLD_\w+|BASH_\w+|ENV|IFS|PAGER|EDITOR|VISUAL|LESSOPEN|PROMPT_COMMAND|GIT_\w+|PYTHON\w*|NODE_OPTIONS)=/;
const systemDirectory = /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/)?$/;

/** Programs that only start another one, which is looked at by itself. */
const localStarters = new Set(
  'sudo doas env nohup setsid nice ionice time timeout gtimeout stdbuf exec command builtin busybox xargs find eval trap alias'.split(
    ' ',
  ),
);

/** Whatever their arguments are. */
const local = new Set(
  [
    ': true false echo printf pwd cd pushd popd dirs test [ [[ let read return exit break continue shift wait jobs sleep',
    'export unset set shopt declare typeset local readonly getopts umask ulimit type which command builtin exec xargs',
    'sudo doas env printenv nohup time timeout nice xargs trap alias unalias',
    'ls ll dir tree find stat file du df wc cat head tail tac nl rev cut tr uniq paste join comm column fold fmt expand',
    'unexpand seq yes od xxd hexdump strings base64 base32 md5sum sha1sum sha256sum sha512sum cksum b2sum shasum diff cmp',
    'grep egrep fgrep jq zcat zgrep gzip gunzip bzip2 bunzip2 bzcat xz unxz xzcat zstd basename dirname realpath readlink',
    'mkdir rmdir touch rm unlink cp mv ln chmod chown chgrp truncate mktemp install tee split dd sync',
    'date cal whoami id groups users who uname arch hostname uptime nproc free tty locale getconf lscpu lsblk ps pgrep',
    'pidof kill pkill killall',
  ]
    .join(' ')
    .split(' '),
);

/** Local unless an argument makes them run or fetch something. A map: a program may be called `constructor`. */
const localIf: ReadonlyMap<string, (command: SimpleCommand) => boolean> = new Map([
  ['eval', (command) => isKnown(textOf(command))],
  ['rg', without(/^--(?:pre|hostname-bin)\b/)],
  ['sort', without(/^--(?:com|files0)/)],
  ['tar', without(/^--(?:to-command|checkpoint-action|use-compress|rsh-|info-script|new-volume)|^-?[A-Za-z]*[IF]|:/)],
  ['git', isLocalGit],
  ['sed', isPlainSed],
  ['gsed', isPlainSed],
  ['awk', isPlainAwk],
  ['gawk', isPlainAwk],
  ['mawk', isPlainAwk],
]);

function without(pattern: RegExp): (command: SimpleCommand) => boolean {
  return ({ args }) => !args.some(({ text }) => pattern.test(text));
}

/** Of these `git` asks no other machine and runs no program that an argument names. */
const localGit =
  /^(?:status|diff|log|show|branch|tag|add|commit|rev-parse|rev-list|stash|checkout|switch|restore|reset|merge|blame|grep|ls-files|ls-tree|cat-file|describe|shortlog|reflog|init|rm|mv|cherry-pick|revert|clean|worktree|merge-base|show-ref|symbolic-ref|for-each-ref|check-ignore|hash-object|diff-tree|diff-index|count-objects|version|help)$/;

function isLocalGit({ args }: SimpleCommand): boolean {
  const texts = args.map(({ text }) => text);
  const at = texts.findIndex((text, index) => !text.startsWith('-') && texts[index - 1] !== '-C');
  if (texts.slice(0, Math.max(0, at)).some((text) => /^(?:-c|--config-env|--exec-path)/.test(text))) return false;
  if (texts.some((text) => /^(?:-O|--open-files|--ext-diff|--upload-pack)/.test(text))) return false;
  return at === -1 ? texts.every(isKnown) : localGit.test(texts[at] ?? '');
}

/** No script file, nothing computed, and no `e`, with which sed runs commands. */
function isPlainSed({ args }: SimpleCommand): boolean {
  const runs = /(?:^|[;{}\n$/,!\d])\s*e\s+\S|(?:^|[^\w\s])\s*[gpmiIM\d]*e[gpmiIM\d]*\s*(?:$|[;}\n])/;
  return args.every(({ text }) => isKnown(text) && !/^(?:-[a-zA-Z]*f|--file)/.test(text) && !runs.test(text));
}

/** No program file, nothing computed, and no pipe, call or connection of awk's own. */
function isPlainAwk({ args }: SimpleCommand): boolean {
  const runs = /\bsystem\s*\(|\|&|\|\s*getline|\bprintf?\b[^;}\n]*(?<!\|)\|(?!\|)|\/inet|@\w/;
  return args.every(({ text }) => isKnown(text) && !/^(?:-[filEe]|--)/.test(text) && !runs.test(text));
}

function asksForVersion({ args }: SimpleCommand): boolean {
  return args.length === 1 && args[0]?.text === '--version';
}

function isKnown(text: string): boolean {
  return !text.includes(UNKNOWN);
}

function namedPaths(command: SimpleCommand): string[] {
  const texts = [...operandsOf(command).map(({ text }) => text), ...command.redirections.map(({ target }) => target)];
  return texts.flatMap((text) => (isKnown(text) ? (resolvePath(text, command.cwd) ?? []) : []));
}
