/** Command text that a program is given to run: `bash -c`, `eval`, `ssh host …`, here-documents for a shell. */
import { UNKNOWN } from './fields.ts';
import { isShell, runsStdin, shellInput, standardInput } from './shells.ts';
import { optionValue, type SimpleCommand } from './simple-command.ts';

/** Every text that the command hands to a shell, as far as it is known. */
export function nestedScripts(command: SimpleCommand): string[] {
  const { name, args } = command;
  const texts = args.map((field) => field.text);
  if (isShell(name)) return shellScripts(command);
  switch (name) {
    case 'eval':
      return [texts.join(' ')];
    case 'trap':
    case 'alias':
      return name === 'trap' ? texts.slice(0, 1) : texts.map((text) => text.replace(/^[^=]*=/, ''));
    case 'su':
    case 'runuser':
      return [...present(optionValue(command, 'c', 'command')), ...present(command.stdin)];
    case 'sudo':
    case 'chroot':
      return present(command.stdin);
    case 'source':
    case '.':
      return standardInput.test(texts[0] ?? '') ? present(command.stdin) : present(command.args[0]?.printed);
    case 'script':
    case 'flock':
    case 'newgrp':
    case 'sg':
      return present(optionValue(command, 'c', 'command'));
    case 'env':
      return present(optionValue(command, 'S', 'split-string'));
    case 'watch':
      return [dropOptions(texts, 'nd', ['interval', 'equexit']).join(' ')];
    case 'parallel':
      return [
        dropOptions(texts, 'jNnaI', ['jobs', 'arg-file', 'colsep'])
          .join(' ')
          .replace(/\s:{3,4}.*$/, ''),
      ];
    case 'ssh':
      return [dropOptions(texts, 'BbcDEeFIiJLlmOopQRSWw', []).slice(1).join(' '), ...present(command.stdin)];
    case 'at':
    case 'batch':
      return present(command.stdin);
    case 'crontab':
      return present(command.stdin).flatMap(cronCommands);
    case 'tmux':
      return [...withSpaces(texts), ...typedIntoTmux(texts)];
    case 'screen':
      return [...withSpaces(texts), dropOptions(texts, 'ScehpstT', []).join(' ')];
    case 'docker':
    case 'podman':
    case 'nerdctl':
    case 'kubectl':
      return containerCommand(texts);
    case 'git':
      return gitShellTexts(texts);
    case 'busybox':
    case 'make':
      return [];
    default:
      return texts.flatMap(commandInOption);
  }
}

/** The commands of a table of jobs: what stands behind the times, or behind a name such as `@daily`. */
function cronCommands(table: string): string[] {
  return table.split('\n').flatMap((line) => /^\s*(?:@\w+|(?:[^\s#=]+\s+){4}[^\s#=]+)\s+(\S.*)$/.exec(line)?.[1] ?? []);
}

/** What is typed into a terminal that lies outside, or runs in a new one, word by word behind its verb. */
function typedIntoTmux(texts: readonly string[]): string[] {
  const verb = texts.findIndex((text) => tmuxVerbs.test(text));
  return verb === -1 ? [] : [dropOptions(texts.slice(verb + 1), 'tcnsxyFeL', []).join(' ')];
}

const tmuxVerbs =
  /^(?:send(?:-keys)?|new(?:-session|-window)?|neww|run(?:-shell)?|split(?:-window|w)|respawn-.*|if(?:-shell)?|pipe-pane)$/;

function withSpaces(texts: readonly string[]): string[] {
  return texts.filter((text) => /\s/.test(text));
}

/** GNU tar and rsync run what these options hold. */
function commandInOption(text: string): string[] {
  const found = /^--(?:to-command|checkpoint-action|use-compress-program|rsh|rsync-path)=(?:exec=)?(.*)$/s.exec(text);
  return found === null ? [] : [found[1] ?? ''];
}

function shellScripts(command: SimpleCommand): string[] {
  const input = shellInput(command);
  if (input.kind === 'text') return present(command.args[input.index]?.text);
  if (input.kind === 'file') return present(command.args[input.index]?.printed);
  return runsStdin(command) ? present(command.stdin) : [];
}

/** `docker exec … container program` and `kubectl exec … -- program`: what runs inside, word by word. */
function containerCommand(texts: readonly string[]): string[] {
  const verb = texts.findIndex((text) => text === 'exec' || text === 'run');
  if (verb === -1) return [];
  const rest = texts.slice(verb + 1);
  const marked = rest.indexOf('--');
  const longValued = [
    'env',
    'user',
    'workdir',
    'env-file',
    'name',
    'volume',
    'network',
    'entrypoint',
    'publish',
    'mount',
  ];
  const inside = marked === -1 ? dropOptions(rest, 'euwvpnclh', longValued).slice(1) : rest.slice(marked + 1);
  return inside.length === 0 ? [] : [inside.map(quoteWord).join(' ')];
}

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Aliases that begin with `!`, and configured programs, are run by a shell. */
function gitShellTexts(texts: readonly string[]): string[] {
  return texts.flatMap((text, index) => {
    if (texts[index - 1] !== '-c') return [];
    const found =
      /^(?:alias\.[^=]*=!(.*)|(?:core\.(?:pager|editor|sshcommand|fsmonitor)|[\w.-]*\.(?:textconv|command|helper))=(.*))$/is.exec(
        text,
      );
    return found === null ? [] : [(found[1] ?? found[2] ?? '').replace(/^!/, '')];
  });
}

function dropOptions(texts: readonly string[], valued: string, longValued: readonly string[]): string[] {
  let index = 0;
  for (; index < texts.length; index++) {
    const text = texts[index] ?? '';
    if (!text.startsWith('-')) break;
    const short = text.length === 2 && valued.includes(text[1] ?? '');
    if (short || longValued.includes(text.slice(2))) index += 1;
  }
  return texts.slice(index);
}

function present(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

/** Programs that `find` runs for what it finds; `{}` is something below a start directory. */
export function findExecutions(command: SimpleCommand): string[][] {
  const texts = command.args.map((field) => field.text);
  const start = findStarts(command)[0] ?? '.';
  const executions: string[][] = [];
  for (let index = 0; index < texts.length; index++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(texts[index] ?? '')) continue;
    const rest = texts.slice(index + 1);
    const end = rest.findIndex((text, at) => text === ';' || (text === '+' && rest[at - 1] === '{}'));
    const program = end === -1 ? rest : rest.slice(0, end);
    executions.push(program.map((text) => text.replaceAll('{}', `${start.replace(/\/$/, '')}/${UNKNOWN}`)));
    index += program.length;
  }
  return executions;
}

/** Directories in which `find` starts. */
export function findStarts(command: Pick<SimpleCommand, 'args'>): string[] {
  const operands: string[] = [];
  for (const { text } of command.args) {
    if (/^-[HLP]$/.test(text)) continue;
    if (/^[-(!]/.test(text)) break;
    operands.push(text);
  }
  return operands;
}
