/** Writes to system files, credentials and start-up files, and anything that would change the agent's own rules. */
import { isPolicyVariable } from '../../secret-variables.ts';
import { containable, finding, type Finding, learnedChange, selfChange } from '../../finding.ts';
import { type CommandPaths, holdsHome, type PathKind, pathKind, resolvePath } from '../paths.ts';
import { inlineProgram, isInterpreter, isShell } from '../shells.ts';
import { isStartedLater } from '../../started-later.ts';
import { hasShort, type SimpleCommand, textOf } from '../simple-command.ts';
import { writtenPaths } from '../written-paths.ts';
import type { Rule } from './rule.ts';

/** Programs that only read the files they are given, unless their output is redirected. */
const readers =
  /^(?:cat|bat|less|more|head|tail|grep|egrep|fgrep|rg|ag|ack|wc|ls|ll|stat|file|du|test|\[|\[\[|diff|cmp|md5sum|sha\d+sum|cksum|tree|find|realpath|readlink|basename|dirname|cd|pushd|jq|yq|sort|uniq|cut|awk|sed|xxd|od|hexdump|strings|base64|cp|scp|rsync|tar|zip|echo|printf|cat|source|\.|export|openssl|curl|wget|git|which|pwd|df|mkdir|tac|nl|column)$/;
/** Of these, the ones whose output would carry a file's content. */
const showsContent =
  /^(?:cat|bat|less|more|head|tail|grep|egrep|fgrep|rg|ag|ack|diff|jq|yq|sort|uniq|cut|awk|sed|xxd|od|hexdump|strings|base64|cp|scp|rsync|tar|zip|curl|tac|nl|source|\.|tee|dd|openssl|vi|vim|nano|xargs)$/;

const changesRules = "changes Hermes' own settings, credentials or records";

export const protectedFiles: Rule = (command, paths) => {
  const kindOf = (path: string): PathKind => pathKind(path, command.cwd, paths);
  const written = writtenPaths(command);
  const kinds = new Set(written.map(kindOf));
  const findings: Finding[] = [];
  if (changesOwnFiles(command, paths, written, kinds, kindOf)) findings.push(selfChange(changesRules));
  if (kinds.has('learned')) findings.push(learnedChange());
  if (kinds.has('system') && !onlyDeletes(command, kindOf)) findings.push(finding('write to a system file'));
  if (kinds.has('user credential')) findings.push(finding('write to a credential file'));
  if (written.some((path) => kindOf(path) === 'system' && startsLater(path, command, paths))) {
    findings.push(finding('write to a file that runs commands later'));
  }
  if (kinds.has('start-up file')) findings.push(finding('write to a shell start-up file'));
  if (findings.length === 0 && showsCredentials(command, kindOf)) findings.push(finding('read of a credential file'));
  else if (findings.length === 0 && showsProcess(command))
    findings.push(containable(finding('read of a credential file')));
  return findings;
};

function startsLater(text: string, { cwd }: SimpleCommand, { userHome, follow }: CommandPaths): boolean {
  const path = resolvePath(text, cwd);
  if (path === undefined) return false;
  return isStartedLater(path, userHome) || (follow !== undefined && isStartedLater(follow(path), userHome));
}

/** Deleting has rules of its own; what `rm` prints may be written to a file like any other output. */
function onlyDeletes({ name, redirections }: SimpleCommand, kindOf: (path: string) => PathKind): boolean {
  return name === 'rm' && !redirections.some(({ operator, target }) => operator !== '<' && kindOf(target) === 'system');
}

function changesOwnFiles(
  command: SimpleCommand,
  paths: CommandPaths,
  written: readonly string[],
  kinds: ReadonlySet<PathKind>,
  kindOf: (path: string) => PathKind,
): boolean {
  if ([...kinds].some(isOwnFile)) return true;
  if (kinds.has('home') && !makesOnlyDirectories(command)) return true;
  if (takesTreesAway(command) && written.some((path) => holdsHome(path, command.cwd, paths))) return true;
  if (setsPolicyVariable(command)) return true;
  if (command.name === 'find' && findChangesOwnFiles(command, kindOf)) return true;
  if (command.name === 'git') return gitChangesOwnFiles(command, kindOf);
  if (handsHomeToContainer(command, paths)) return true;
  if (mentionsOwnFile(command, paths)) return true;
  if (onlyReads(command) || isOwnProgram(command)) return false;
  // A program that is not known to read only, given one of these files, may do anything with it.
  const named = command.args.flatMap((field) => pathsIn(field.text)).some((path) => isOwnFile(kindOf(path)));
  return named || programNamesOwnFile(command, paths);
}

/** Inside nobody knows it for ours, and nobody there is known for an agent. */
function handsHomeToContainer({ name, args, cwd }: SimpleCommand, paths: CommandPaths): boolean {
  if (!/^(?:docker|podman|nerdctl)$/.test(name)) return false;
  return args.some(({ text }, index) => {
    const volume = /^(?:-v|--volume|--mount)$/.test(args[index - 1]?.text ?? '')
      ? text
      : (/^(?:-v|--(?:volume|mount)=)(.+)$/.exec(text)?.[1] ?? '');
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(volume)?.[1] ?? volume.split(':')[0] ?? '';
    return source.includes('/') && holdsHome(source, cwd, paths);
  });
}

const lookingGit =
  /^(?:status|log|diff|show|blame|grep|ls-files|ls-tree|cat-file|rev-parse|rev-list|describe|shortlog|reflog|show-ref|for-each-ref|check-ignore|merge-base|name-rev|whatchanged|count-objects)$/;

/** git writes whole trees: into a folder that options or variables name, into one it clones to, into that it runs in. */
function gitChangesOwnFiles(command: SimpleCommand, kindOf: (path: string) => PathKind): boolean {
  const texts = command.args.map((field) => field.text);
  const named = [...command.args.flatMap((field) => pathsIn(field.text)), '.', ...command.assignments.map(valueOf)];
  const touches = named.some(
    (path) => kindOf(path) === 'home' || isOwnFile(kindOf(path)) || kindOf(path) === 'learned',
  );
  return touches && !texts.some((text) => lookingGit.test(text));
}

function valueOf(assignment: string): string {
  return assignment.slice(assignment.indexOf('=') + 1);
}

/** The program of `sed` and `awk` may write a file that it names. */
function mentionsOwnFile({ name, args }: SimpleCommand, paths: CommandPaths): boolean {
  if (!/^(?:g?sed|[gmn]?awk)$/.test(name)) return false;
  return args.some(
    ({ text }) =>
      /\s|["']/.test(text) &&
      (text.includes('.hermes/') || text.includes('HERMES_HOME') || text.includes(`${paths.homePath}/`)),
  );
}

function isOwnFile(kind: PathKind): boolean {
  return kind === 'credential' || kind === 'rules' || kind === 'record';
}

function onlyReads({ name, args }: SimpleCommand): boolean {
  return readers.test(name) || (name === 'sqlite3' && args.some((field) => /^--?readonly$/.test(field.text)));
}

function isOwnProgram({ name }: SimpleCommand): boolean {
  return name === 'hermes' || name === 'hermes-agent';
}

function makesOnlyDirectories({ name, redirections }: SimpleCommand): boolean {
  return (name === 'mkdir' || name === 'touch') && redirections.length === 0;
}

function takesTreesAway(command: SimpleCommand): boolean {
  const { name } = command;
  return (
    (name === 'rm' && hasShort(command, 'rR')) ||
    name === 'mv' ||
    name === 'ln' ||
    (/^ch(?:mod|own|grp|attr)$/.test(name) && hasShort(command, 'R'))
  );
}

function findChangesOwnFiles({ args }: SimpleCommand, kindOf: (path: string) => PathKind): boolean {
  const acts = args.some((field) => /^-(?:delete|exec|execdir|ok|okdir|fprint|fls)$/.test(field.text));
  return acts && args.some((field) => kindOf(field.text) === 'home' || isOwnFile(kindOf(field.text)));
}

function setsPolicyVariable(command: SimpleCommand): boolean {
  if (command.assignments.some((text) => isPolicyVariable(text.split('=')[0] ?? ''))) return true;
  const sets = /^(?:export|declare|typeset|readonly|setenv|set|unset|launchctl|systemctl)$/.test(command.name);
  if (sets && command.args.some((field) => isPolicyVariable(field.text.split('=')[0] ?? ''))) return true;
  // Written into a file that a shell or the agent reads later.
  const writes = command.redirections.length > 0 || command.name === 'tee' || command.name === 'sed';
  return (
    writes &&
    /\bHERMES_(?:YOLO_MODE|ACCEPT_HOOKS|IGNORE_\w+|REDACT_SECRETS|ALLOW_PRIVATE_URLS)\s*=/.test(
      `${textOf(command)}\n${command.stdin ?? ''}`,
    )
  );
}

/** Program text (`python -c`, a here-document) that names one of the files. */
function programNamesOwnFile(command: SimpleCommand, paths: CommandPaths): boolean {
  if (!isInterpreter(command.name) && !isShell(command.name)) return false;
  const text = `${inlineProgram(command) ?? ''}\n${command.stdin ?? ''}`;
  const namesHome = text.includes('.hermes') || text.includes('HERMES_HOME') || text.includes(paths.homePath);
  return namesHome && /config\.ya?ml|\.env\b|auth\.json|state\.db|allowlist|hooks|jobs\.json/.test(text);
}

function showsCredentials(command: SimpleCommand, kindOf: (path: string) => PathKind): boolean {
  const read = command.redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const given = showsContent.test(command.name) ? command.args.flatMap((field) => pathsIn(field.text)) : [];
  return [...read, ...given].some((path) => {
    const kind = kindOf(path);
    return kind === 'credential' || (kind === 'user credential' && !/\.pub$|known_hosts|\/config$/.test(path));
  });
}

/** What a process was started with holds its keys, ours among them; in a sandbox there are none but its own. */
function showsProcess({ name, args, redirections, cwd }: SimpleCommand): boolean {
  const read = redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const given = showsContent.test(name) ? args.flatMap((field) => pathsIn(field.text)) : [];
  return [...read, ...given].some((path) =>
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|maps|auxv)$/.test(resolvePath(path, cwd) ?? path),
  );
}

/** The argument itself, and what follows an `=` or `@` in it. Sentences are not paths. */
function pathsIn(text: string): string[] {
  const after = /^(?:-{0,2}[\w.-]+=@?|@|file:\/\/)(.+)$/s.exec(text)?.[1];
  return [text, after].filter((path) => path !== undefined).filter((path) => path.startsWith('/') || !/\s/.test(path));
}
