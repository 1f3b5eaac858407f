/** The shell text around commands: how a shell is set up, fed, and made to report. */
import { markedLocks } from '../../lib/shell-mark.ts';
import type { ShellProgram } from './find-shell.ts';

export type Dialect = ShellProgram['dialect'];

/**
 * File descriptors of the shell, out of the way of numbers that scripts use (`exec 9>lock; flock 9`, `200>`), and of
 * bash's own (10 and up, 63 and down). POSIX shells know only one digit.
 */
const descriptors = {
  bash: { output: 187, state: 188, stdin: 189 },
  posix: { output: 9, state: 8, stdin: 7 },
} as const;

/** Text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Command line arguments that start a shell reading its commands from stdin, without files of its own choice. */
export function shellArguments(dialect: Dialect): string[] {
  return dialect === 'bash' ? ['--noprofile', '--norc', '-l', '-s'] : ['-s'];
}

/** What a shell reads first. */
export interface ShellBeginning {
  /** Start-up files; or the one file that holds an earlier shell's state. */
  readonly files: readonly string[];
  /** The caller's search path, which start-up files may add to but not lose. */
  readonly searchPath?: string;
}

export interface ShellSetup {
  readonly dialect: Dialect;
  /** 32 hex digits that nobody can guess. */
  readonly secret: string;
  readonly cwd: string;
  readonly beginning: ShellBeginning;
  /** Variables that win over whatever those files set. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly hasStdin: boolean;
  /** Adds what changes the meaning of words (functions, aliases, options, traps) to every report. */
  readonly reportsMeanings?: boolean;
}

/**
 * The first lines a shell reads. Outside of commands its output goes nowhere: neither start-up files nor `set -x`
 * and `set -v` can show our own lines. Ends with a first report.
 */
export function setupText(setup: ShellSetup): string {
  const fd = descriptors[setup.dialect];
  const lines = [
    markText(setup.dialect),
    `exec ${fd.output}>&1 ${fd.state}>&3 3>&-${setup.hasStdin ? ` ${fd.stdin}<&4 4<&-` : ''} >/dev/null 2>&1`,
    ...initText(setup.dialect, setup.beginning),
    ...exportLines(setup.fixed),
    `${word(setup.dialect, 'cd')} -- ${quote(setup.cwd)}`,
    `trap ${quote(exitText(setup))} EXIT`,
    ...(setup.dialect === 'bash' ? [definitionsText] : []),
    'true',
    reportText(setup, 'r'),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * One command and the report after it. `eval` keeps unbalanced quotes, here-documents and comments inside; its
 * redirections give every command the same three streams, whatever an earlier `exec >file` did.
 */
export function commandText(
  setup: Pick<ShellSetup, 'dialect' | 'secret' | 'hasStdin' | 'reportsMeanings'>,
  command: string,
  cwd: string | undefined,
): string {
  const fd = descriptors[setup.dialect];
  const stdin = setup.hasStdin ? `<&${fd.stdin}` : '</dev/null';
  const move = cwd === undefined ? '' : `${word(setup.dialect, 'cd')} -- ${quote(cwd)} 2>&${fd.output} && `;
  return `${move}eval ${quote(command)} ${stdin} >&${fd.output} 2>&1\n${reportText(setup, 'r')}\n`;
}

/** A script for a background process: start-up files or an earlier shell's state, the directory, the command. */
export function backgroundScript(options: {
  readonly dialect: Dialect;
  readonly path: string;
  readonly cwd: string;
  readonly beginning: ShellBeginning;
  readonly fixed: Readonly<Record<string, string>>;
  readonly command: string;
  readonly mergeStderr: boolean;
}): string {
  const lines = [
    `${word(options.dialect, 'rm')} -f -- ${quote(options.path)}`,
    markText(options.dialect),
    ...(options.mergeStderr ? ['exec 2>&1'] : []),
    ...initText(options.dialect, options.beginning),
    ...exportLines(options.fixed),
    `${word(options.dialect, 'cd')} -- ${quote(options.cwd)} || exit 1`,
    `eval ${quote(options.command)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One message of the state pipe. */
export interface StateFrame {
  /** `d` definitions, `m` meanings, `e` exports; one of the last belongs to every report. */
  readonly letter: string;
  readonly text: string;
}

/** Splits what comes through the state pipe: frames of a letter, a line break, text and NUL. */
export function readState(
  unfinished: string,
  chunk: string,
): { readonly unfinished: string; readonly frames: readonly StateFrame[] } {
  const frames = (unfinished + chunk).split('\0');
  const rest = frames.pop() ?? '';
  return { unfinished: rest, frames: frames.map((frame) => ({ letter: frame.slice(0, 1), text: frame.slice(2) })) };
}

/** The bytes around a report: start, `r` or (last words of the shell) `x`, status, NUL, directory, end. */
export function reportFrame(secret: string): { readonly start: Buffer; readonly end: Buffer } {
  return { start: Buffer.from(`\u001e${secret}`), end: Buffer.from(`\u001f${secret}`) };
}

/**
 * Writes status and directory to the output and the exported variables to the state pipe. The secret is written in
 * two halves, so that a command that prints traps cannot show it in one piece. Options that would end, flood or mute
 * the shell (`set -euo pipefail`) hold for one command only.
 */
function reportText(setup: Pick<ShellSetup, 'dialect' | 'secret' | 'reportsMeanings'>, kind: 'r' | 'x'): string {
  const { dialect, secret } = setup;
  const fd = descriptors[dialect];
  const halves = `${secret.slice(0, 16)} ${secret.slice(16)}`;
  const printf = word(dialect, 'printf');
  const options = dialect === 'bash' ? 'set +euvx +o pipefail' : 'set +euvx';
  return [
    `${printf} '\\036%s%s${kind}%d\\0%s\\037%s%s' ${halves} "$?" "\${PWD-}" ${halves} >&${fd.output}`,
    options,
    ...(setup.reportsMeanings === true ? [meaningsText(dialect)] : []),
    `{ echo e; export -p; ${printf} '\\0'; } >&${fd.state}`,
  ].join('; ');
}

/** Functions, aliases and shell options. bash alone can print its functions as text. */
const definitionsText = `{ echo d; shopt -p; declare -f; declare -Fx; alias -p; builtin printf '\\0'; } >&${descriptors.bash.state}`;

/** Comes before the exports: who has those has these. */
function meaningsText(dialect: Dialect): string {
  const fd = descriptors[dialect];
  const bashOnly = dialect === 'bash' ? 'shopt -p; declare -f; ' : '';
  return `{ echo m; set +o; alias; trap; ${bashOnly}${word(dialect, 'printf')} '\\0'; } >&${fd.state}`;
}

function exitText(setup: Pick<ShellSetup, 'dialect' | 'secret'>): string {
  const definitions = setup.dialect === 'bash' ? `; ${definitionsText}` : '';
  return `{ ${reportText(setup, 'x')}${definitions}; } 2>/dev/null`;
}

/** Before anything else runs. Where the shell or the system knows no such limit, the other marks must do. */
function markText(dialect: Dialect): string {
  return `${word(dialect, 'ulimit')} -${dialect === 'bash' ? 'x' : 'w'} ${markedLocks} 2>/dev/null`;
}

function initText(dialect: Dialect, { files, searchPath }: ShellBeginning): string[] {
  const sources = files.map((file) => `[ -r ${quote(file)} ] && . ${quote(file)} </dev/null >/dev/null 2>&1`);
  const resets = dialect === 'bash' ? ['shopt -s expand_aliases', 'set +euvx +o pipefail'] : ['set +euvx'];
  return [...sources, ...resets, ...(searchPath === undefined ? [] : [searchPathText(searchPath)])];
}

/** Where a start-up file has set another search path (`/etc/profile` does), its folders come after the caller's. */
function searchPathText(own: string): string {
  const merge = [
    `set -f; IFS=:; all=${quote(own)}`,
    'for folder in $PATH; do case ":$all:" in *":$folder:"*) ;; *) all="$all:$folder" ;; esac; done',
    'echo "$all"',
  ].join('; ');
  return `case ":$PATH:" in *:${quote(own)}:*) ;; *) export PATH="$(${merge})" ;; esac`;
}

/** One line each; values may hold anything. */
export function exportLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
}

/** Takes variables away, as far as the shell lets go of them. */
export function unsetLines(names: readonly string[]): string[] {
  return names.map((name) => `unset -v ${name}`);
}

/** A name that means the shell's own command even where a start-up file made a function or alias of it. */
function word(dialect: Dialect, name: string): string {
  return dialect === 'bash' && name !== 'rm' ? `builtin ${name}` : `command ${name}`;
}
