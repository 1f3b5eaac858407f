/** Programs given as text, fetched from elsewhere, or fed through a pipe: what they do cannot be seen in the command. */
import { UNKNOWN } from '../fields.ts';
import { containable, finding, type Finding, unclear } from '../../finding.ts';
import { type CommandPaths, holdsHome, pathKind, resolvePath } from '../paths.ts';
import { inlineProgram, isInterpreter, isShell, runsStdin, shellInput } from '../shells.ts';
import { hasShort, type SimpleCommand, textOf } from '../simple-command.ts';
import type { Rule } from './rule.ts';

const fetches = /\b(?:curl|wget|fetch|aria2c|http|https|xh|lynx|nc|ncat)\b/;

export const code: Rule = (command, paths) => {
  const findings: Finding[] = [];
  if (command.unknownName || command.name === '{}')
    findings.push(containable(unclear('the program to run is computed by the shell')));
  if (runsRemoteText(command)) findings.push(finding('pipe remote content to shell'));
  else if (runsPipe(command)) findings.push(containable(finding('pipe content to shell')));
  if (isShellText(command)) findings.push(containable(finding('shell command via -c/-lc flag')));
  if (isProgramText(command)) findings.push(containable(finding('script execution via -e/-c flag')));
  if (isHostContainer(command, paths)) findings.push(finding('container with access to the host'));
  if (isSchedule(command)) findings.push(finding('scheduled command'));
  return findings;
};

/** Fetched text that is run, through a pipe, `<(…)`, `$(…)` or `<<<`. */
export function runsRemoteText(command: SimpleCommand): boolean {
  if (!runsText(command)) return false;
  if (command.args.some((field) => fetches.test(field.inner ?? ''))) return true;
  if (!runsStdin(command)) return false;
  return command.pipedFrom.some((from) => fetches.test(from.name)) || fetches.test(redirectedText(command));
}

/** A `< <(curl …)` or `<<< "$(curl …)"` shows only in the source. */
function redirectedText({ source }: SimpleCommand): string {
  return /<(?:<<|\s*<\()(.*)/s.exec(source)?.[1] ?? '';
}

function runsText({ name }: SimpleCommand): boolean {
  return isShell(name) || isInterpreter(name) || name === 'eval' || name === 'source' || name === '.';
}

/** Text that arrives through a pipe or `<(…)`. */
function runsPipe(command: SimpleCommand): boolean {
  if (runsStdin(command) && command.pipedFrom.length > 0) return true;
  return runsText(command) && command.args.some((field) => field.inner?.startsWith('<(') === true);
}

function isShellText(command: SimpleCommand): boolean {
  const { name } = command;
  if (isShell(name)) {
    const { kind } = shellInput(command);
    return kind === 'text' || (kind === 'stdin' && command.stdin !== undefined && command.pipedFrom.length === 0);
  }
  if (name === 'eval') return command.args.some((field) => field.text.includes(UNKNOWN));
  return (name === 'su' || name === 'runuser') && hasShort(command, 'c');
}

function isProgramText(command: SimpleCommand): boolean {
  const { name } = command;
  if (isInterpreter(name)) {
    return (
      inlineProgram(command) !== undefined ||
      (runsStdin(command) && command.stdin !== undefined && command.pipedFrom.length === 0)
    );
  }
  if (/^[gmn]?awk$/.test(name)) return /\bsystem\s*\(|\|\s*getline|print[^|]{0,200}\|\s*"/.test(textOf(command));
  return (
    /^(?:vi|vim|nvim|ex|emacs)$/.test(name) &&
    command.args.some((field) => /^(?:[-+](?:c|-cmd)?!|\+?:?!|--eval)/.test(field.text))
  );
}

const devices =
  /^--(?:privileged|pid=host|ipc=host|userns=host|cap-add=(?:all|sys_admin|sys_ptrace)|device(?:=|$)|security-opt=.*unconfined)/i;
const wholeFolders =
  /^\/(?:etc|root|var|usr|home|proc|sys|dev|boot|run|var\/run)?\/?$|docker\.sock|podman\.sock|containerd\.sock/;

/** A container that can reach the host's devices, or files that commands must not touch, is no boundary. */
function isHostContainer(command: SimpleCommand, paths: CommandPaths): boolean {
  const { name, args, cwd } = command;
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(name)) return false;
  if (args.some(({ text }) => devices.test(text))) return true;
  return mountedPaths(args.map(({ text }) => text)).some((source) => {
    if (wholeFolders.test(source)) return true;
    if (!/^[/.~]/.test(source)) return false;
    const kind = pathKind(source, cwd, paths);
    return (
      (kind !== undefined && kind !== 'system') ||
      holdsHome(source, cwd, paths) ||
      resolvePath(source, cwd) === paths.userHome
    );
  });
}

/** What `-v host:inside` and `--mount type=bind,source=host,…` name of this machine. */
function mountedPaths(texts: readonly string[]): string[] {
  return texts.flatMap((text, index) => {
    const value = /^(?:-v|--volume|--mount)$/.test(texts[index - 1] ?? '')
      ? text
      : /^(?:-v|--volume=|--mount=)(.+)$/.exec(text)?.[1];
    if (value === undefined) return [];
    return [/(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1] ?? value.split(':')[0] ?? ''];
  });
}

function isSchedule(command: SimpleCommand): boolean {
  const { name, args } = command;
  if (name === 'at' || name === 'batch') return !hasShort(command, 'lcV');
  return name === 'crontab' && !args.some((field) => field.text === '-l');
}
