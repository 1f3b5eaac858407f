/** The shell text around what runs on another host: how it is started, where it reports, what is kept for the next. */

/**
 * What a host is asked to run. The script follows on standard input up to a NUL, then what the script itself reads:
 * neither is seen in the list of processes, and neither is too long. The outer shell makes a number of a deadly signal,
 * which `ssh` would not hand on. Login shells that are no POSIX shells understand it, too.
 */
export const launcher = `exec sh -c 'bash -c "IFS= read -r -d \\"\\" s; eval \\"\\$s\\""; exit $?'`;

/** What the launcher reads. */
export function scriptInput(script: string, stdin: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(script.replaceAll('\0', '')), Buffer.of(0), stdin]);
}

/** Text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A path as one word; `~` and `~user` in front stand for directories of the host. */
export function quotePath(path: string): string {
  const [, home, rest] = /^(~[A-Za-z0-9._-]*)(\/.*)?$/s.exec(path) ?? [];
  if (home === undefined) return quote(path);
  return rest === undefined ? home : `${home}/${quote(rest.slice(1))}`;
}

/**
 * The first line of every script: nothing of what follows is seen until it wants to be. Some engines run commands without
 * HOME; where it is not set, `~` is what the account says.
 */
const header = `unset s; exec 187>&1 >/dev/null 2>&1; [ -n "\${HOME-}" ] || { unset HOME; export HOME=~; }`;

/** Where the files of one environment are on its host. */
export interface Ground {
  readonly directory: string;
  /** `NAME=value`, in the environment of everything that was started there. */
  readonly mark: string;
}

/** The exit status of a script that could not start where it was told to. */
export const noDirectory = 1;

export interface CommandScript {
  readonly ground: Ground;
  /** 32 hex digits that nobody can guess. */
  readonly secret: string;
  /** Name of this run, in the environment of all it starts. */
  readonly run: string;
  /** Set once more before the command: what was provided since the last one. */
  readonly variables: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly hasStdin: boolean;
}

/**
 * A command in the state that the last one left. `eval` keeps unbalanced quotes, here-documents and comments inside. All
 * of ours that follows the command stands on its line, where `set -v` cannot show it; the report is written in halves, so
 * that a command that prints traps cannot show it in one piece.
 */
export function commandScript(options: CommandScript, command: string): string {
  const { ground, secret, hasStdin } = options;
  const report = `${saveState(ground.directory)}; ${reportText(secret, 'x', '"$_hermes_status"', '"${PWD-}"')}`;
  const ending = `{ _hermes_status=$?; set +euvx +o pipefail; [ -n "\${_hermes_done-}" ] || { ${report}; _hermes_done=1; }; } 2>/dev/null`;
  const lines = [
    ...prelude(options, 'state'),
    `trap ${quote(ending)} EXIT; exec >&187 2>&1; eval ${quote(command)}${hasStdin ? '' : ' </dev/null'}; ${ending}; exit "$_hermes_status"`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One program, in the state from before all commands. After the report comes what it wrote to stderr. */
export function programScript(options: CommandScript, argv: readonly string[], stderrLimit: number): string {
  const { ground, run, secret } = options;
  const errors = quote(`${ground.directory}/${run}.err`);
  const [program = '', ...args] = argv;
  const lines = [
    ...prelude(options, 'start'),
    `p=$(type -P -- ${quotePath(program)}) || { ${reportText(secret, 'x', '127', '""')}; exit 127; }`,
    `"$p" ${args.map(quote).join(' ')} </dev/null >&187 2>${errors}`,
    reportText(secret, 'x', '$?', '""'),
    `head -c ${stderrLimit} ${errors} >&187; rm -f -- ${errors}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Starts a command that goes on when this script has ended; reports its process id. */
export function backgroundScript(options: CommandScript, command: string): string {
  const { ground, run, secret } = options;
  const base = `${ground.directory}/${run}`;
  const body = [
    'unset s',
    'shopt -s expand_aliases',
    sourceText(ground, 'state'),
    ...ownVariables(options),
    `eval ${quote(command)}`,
    '',
  ].join('\n');
  const keeper = `trap : TERM INT; bash -c 'IFS= read -r -d "" s <"$1"; eval "$s"' bash ${quote(`${base}.sh`)}; echo $? >${quote(`${base}.end`)}; mv -f -- ${quote(`${base}.end`)} ${quote(`${base}.exit`)}`;
  const lines = [
    ...prelude(options, 'state'),
    `(umask 077; builtin printf '%s\\0' ${quote(body)} >${quote(`${base}.sh`)}; : >${quote(`${base}.log`)})`,
    // What nohup would do, which small images do not have.
    "trap '' HUP; if type -P setsid; then s=setsid; else s=; set -m; fi",
    `$s bash -c ${quote(keeper)} </dev/null >>${quote(`${base}.log`)} 2>&1 187>&- &`,
    `echo $! >${quote(`${base}.pid`)}`,
    reportText(secret, 'x', '0', '"$!"'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Any work of our own: prints what it has to say to fd 187, and reports its exit status. */
export function workScript(secret: string, body: string): string {
  const ending = reportText(secret, 'x', '"$?"', '""');
  return [header, `trap ${quote(ending)} EXIT`, reportText(secret, 'r', '0', '"$$"'), body, ''].join('\n');
}

/**
 * Waits for a byte on its input. When the input ends without one, whoever was to send it was killed: everything that was
 * started on the ground is ended, and the ground goes.
 * @param ending ends it, as shell text
 */
export function guardScript({ directory }: Ground, ending: string): string {
  return [header, 'IFS= read -r -n 1 byte && exit 0', ending, `rm -rf -- ${quote(directory)}`, ''].join('\n');
}

/**
 * Makes the ground and reports what is to be known of the host: our directory, the user's home, where a command starts.
 */
export function groundScript(secret: string, cwd: string): string {
  const facts = `"$(builtin printf '%s\\n' "$d" "$HOME" "$PWD")"`;
  return [
    header,
    'umask 077',
    'd=$(mktemp -d "${TMPDIR:-/tmp}/hermes-XXXXXXXXXX") || { echo "mktemp failed" >&187; exit 1; }',
    `builtin cd -- ${quotePath(cwd)} || builtin cd || builtin cd /`,
    reportText(secret, 'x', '0', facts),
    '',
  ].join('\n');
}

export interface Snapshot {
  readonly variables: Readonly<Record<string, string>>;
  /** Sourced by a login shell; undefined for a shell without any start-up files. */
  readonly initFiles: readonly string[] | undefined;
}

/**
 * Keeps what a shell holds after its start-up files: it is what the first command begins with. Must be given a deadline,
 * since such files may ask questions. Reports status 0 when it worked.
 */
export function snapshotScript(ground: Ground, secret: string, { variables, initFiles }: Snapshot): string {
  const inside = [
    ...(initFiles ?? []).map((file) => `[ -r ${quotePath(file)} ] && . ${quotePath(file)} </dev/null`),
    'set +euvx +o pipefail; shopt -s expand_aliases',
    saveState(ground.directory),
    `cp -- ${quote(`${ground.directory}/state`)} ${quote(`${ground.directory}/start`)}`,
  ];
  return [
    header,
    `export ${ground.mark}`,
    ...exportLines(variables),
    `bash ${initFiles === undefined ? '' : '-l '}-c ${quote(inside.join('\n'))} </dev/null`,
    `[ -s ${quote(`${ground.directory}/start`)} ]; ${reportText(secret, 'x', '$?', '""')}`,
    '',
  ].join('\n');
}

/** One line each; values may hold anything. */
function exportLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `builtin export ${name}=${quote(value)}`);
}

/** The state of before, the variables, the directory. Where that is gone, it is reported with the nearest one that is left. */
function prelude(options: CommandScript, state: 'state' | 'start'): string[] {
  const { ground, secret, cwd } = options;
  return [
    header,
    'shopt -s expand_aliases',
    sourceText(ground, state),
    ...ownVariables(options),
    `builtin cd -- ${quotePath(cwd)} || { p=${quotePath(cwd)}; while p=\${p%/*}; [ -n "$p" ] && ! builtin cd -- "$p"; do :; done; [ -n "$p" ] || builtin cd /`,
    `${reportText(secret, 'r', String(noDirectory), '"$$ $PWD"')}; exit ${noDirectory}; }; unset p`,
    reportText(secret, 'r', '0', '"$$ $PWD"'),
  ];
}

function ownVariables({ ground, run, variables }: CommandScript): string[] {
  return [`builtin export ${ground.mark} HERMES_RUN=${run}`, ...exportLines(variables)];
}

function sourceText({ directory }: Ground, state: 'state' | 'start'): string {
  return `. ${quote(`${directory}/${state}`)}`;
}

/** Exports, functions and aliases, replaced in one step. Names with `_` in front belong to completions. */
function saveState(directory: string): string {
  const file = quote(`${directory}/state`);
  const functions = `f=$(compgen -A function -X "_*") && [ -n "$f" ] && declare -f $f`;
  return `( IFS=$' \\t\\n'; umask 077; unset _hermes_status _hermes_done; { builtin export -p; ${functions}; declare -Fx; alias -p; :; } >${file}.$$ && command mv -f -- ${file}.$$ ${file} ) >/dev/null 2>&1`;
}

/**
 * The same frame that local shells report with: a start, the letter (`r` begun, `x` ended), the status, NUL, a text, an
 * end.
 */
function reportText(secret: string, kind: 'r' | 'x', status: string, text: string): string {
  const halves = `${secret.slice(0, 16)} ${secret.slice(16)}`;
  return `builtin printf '\\036%s%s${kind}%d\\0%s\\037%s%s' ${halves} ${status} ${text} ${halves} >&187`;
}
