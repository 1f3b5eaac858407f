/** The page of every command: arguments and options as commander knows them. */
import type { Argument, Command, Option } from 'commander';
import { commandCatalogue } from '../../src/cli/catalogue.ts';
import type { CliContext } from '../../src/cli/command.ts';
import { buildProgram } from '../../src/cli/run.ts';
import { profileHome } from '../../src/config/home.ts';
import { processSettings } from '../../src/config/process-settings.ts';
import { noLog } from '../../src/lib/log.ts';
import { blocks, code, codes, type Page, plain, table } from './markdown.ts';

export async function commandsPage(): Promise<Page> {
  const context = nowhere();
  const parts = [
    '# Commands',
    'Every command of `hermes`. `hermes --help` and `hermes <command> --help` show the same in the terminal; how to use them from scripts stands in [scripting](../scripting.md).',
    table(
      ['command', 'what it is for'],
      commandCatalogue.map(({ name, summary }) => [`[\`hermes ${name}\`](#hermes-${name})`, plain(summary)]),
    ),
    '## hermes',
    'Without a command `hermes` opens a conversation, and takes every option of [`hermes chat`](#hermes-chat) as well as these, which may stand before any command.',
    optionsTable(ownOptions(buildProgram(context), (await loadCommand('chat', context)).options)),
  ];
  for (const { name, summary } of commandCatalogue) {
    const command = await loadCommand(name, context);
    parts.push(...commandParts(command, `hermes ${name}`, 2, command.description() || summary));
  }
  return { name: 'commands.md', text: blocks(...parts) };
}

async function loadCommand(name: string, context: CliContext): Promise<Command> {
  const entry = commandCatalogue.find((each) => each.name === name);
  if (entry === undefined) throw new Error(`no command is called ${name}`);
  return (await entry.load()).build(context);
}

/** What only the program itself has. */
function ownOptions(program: Command, ofChat: readonly Option[]): readonly Option[] {
  return program.options.filter(({ long }) => !ofChat.some((option) => option.long === long));
}

function commandParts(command: Command, path: string, depth: number, about: string): string[] {
  const parts = [
    `${'#'.repeat(Math.min(depth, 4))} ${path}`,
    plain(sentence(about)),
    code(usage(command, path)),
    aliases(command),
    argumentsTable(command.registeredArguments),
    optionsTable(command.options.filter(({ hidden }) => !hidden)),
  ];
  for (const child of command.commands) {
    parts.push(...commandParts(child, `${path} ${child.name()}`, depth + 1, child.description()));
  }
  return parts;
}

function usage(command: Command, path: string): string {
  const words = command.registeredArguments.map(shown);
  const options = command.options.length > 0 ? ['[options]'] : [];
  const children = command.commands.length > 0 ? ['[command]'] : [];
  return [path, ...options, ...children, ...words].join(' ');
}

function shown(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function aliases(command: Command): string {
  return command.aliases().length === 0 ? '' : `Also: ${codes(command.aliases())}.`;
}

function argumentsTable(list: readonly Argument[]): string {
  const rows = list
    .filter(({ description, argChoices, defaultValue }) => description || argChoices || defaultValue !== undefined)
    .map((argument) => [code(shown(argument)), described(argument.description, argument)]);
  return rows.length === 0 ? '' : table(['argument', 'meaning'], rows);
}

function optionsTable(list: readonly Option[]): string {
  const rows = list.map((option) => [code(option.flags), described(option.description, option)]);
  return rows.length === 0 ? '' : table(['option', 'meaning'], rows);
}

function described(
  text: string,
  {
    argChoices,
    defaultValue,
  }: { readonly argChoices?: readonly string[] | undefined; readonly defaultValue?: unknown },
): string {
  const choices = argChoices === undefined ? [] : [`one of ${codes(argChoices)}`];
  const fallback = isWorthSaying(defaultValue) ? [`default ${code(asText(defaultValue))}`] : [];
  return [text === '' ? [] : plain(text), choices, fallback].flat().join('; ');
}

function isWorthSaying(value: unknown): boolean {
  return value !== undefined && value !== true && value !== false && !(Array.isArray(value) && value.length === 0);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) || text === '' ? text : `${text}.`;
}

/** A context for looking at commands, not for running them: no home, no variables, no streams in use. */
export function nowhere(): CliContext {
  return {
    io: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    home: profileHome('/home/you/.hermes', 'default'),
    global: { ignoreUserConfig: false, verbose: false },
    env: {},
    shell: {},
    settings: processSettings({}),
    config: () => Promise.reject(new Error('commands are looked at here, not run')),
    log: noLog,
    commands: commandCatalogue,
    reloadVariables: () => [],
    exitCode: 0,
  };
}
