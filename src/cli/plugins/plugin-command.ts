/** `hermes <name>` of a plug-in: its code is loaded when its command is called. */
import { Command } from 'commander';
import { openEnabledPlugins } from '../../runtime/open-hooks.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { PluginCliCommand } from '../../plugins/packages/cli-command.ts';
import { currentDirectory } from '../chat/current-directory.ts';
import type { CliContext, CommandEntry } from '../command.ts';
import { oneLine } from '../render/terminal-text.ts';

export interface OpenedCommand {
  readonly entry: CommandEntry;
  /** Lets the plug-ins tidy up. */
  close(): Promise<void>;
}

/** Of the plug-ins that are enabled, the first that has a command of this name; undefined for none. */
export async function openPluginCommand(
  context: CliContext,
  name: string,
  fetchSecrets: () => Promise<void> | undefined,
): Promise<OpenedCommand | undefined> {
  const { home, env, io, log, commands } = context;
  // With settings that cannot be read no plug-in is on, and the word means nothing: that is what is told.
  const config = await context.config().catch(() => undefined);
  if (config === undefined || config.process.safeMode || config.config.plugins.enabled.length === 0) return undefined;
  await fetchSecrets();
  const warn = (line: string): void => void io.stderr.write(`${oneLine(line, 300)}\n`);
  const opened = await openEnabledPlugins(
    { home, env, config, cwd: currentDirectory(), commandNames: commands.map((each) => each.name) },
    log,
    warn,
  );
  const found = opened.cliCommands.find((each) => each.name === name);
  if (found === undefined) {
    await opened.close();
    return undefined;
  }
  const build = (given: CliContext): Command => buildCommand(given, found);
  const summary = found.help === '' ? `of the plug-in ${found.plugin}` : found.help;
  return { entry: { name, summary, load: () => Promise.resolve({ build }) }, close: () => opened.close() };
}

function buildCommand(context: CliContext, plugged: PluginCliCommand): Command {
  const { name, help, description, plugin, setup_fn } = plugged;
  const command = new Command(name).description(description === '' ? help : description);
  const part: Part = { context, plugged, top: command, command, path: '' };
  prepare(part);
  try {
    setup_fn?.(parserOf(part));
  } catch (error) {
    throw new UserError(`'hermes ${name}' of the plug-in ${plugin} cannot be set up: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  return command;
}

/** The command of a plug-in, or one of its sub-commands. */
interface Part {
  readonly context: CliContext;
  readonly plugged: PluginCliCommand;
  readonly top: Command;
  readonly command: Command;
  /** The words of the sub-command, such as `list add`. */
  readonly path: string;
}

/** What `setup_fn` may do: a small door, so that no plug-in depends on the library behind it. */
function parserOf(part: Part): object {
  const { command, path } = part;
  const own = {
    option(flags: unknown, text: unknown = '', usual?: unknown) {
      command.option(String(flags), String(text), plain(usual));
      return own;
    },
    argument(written: unknown, text: unknown = '', usual?: unknown) {
      command.argument(String(written), String(text), usual);
      return own;
    },
    command(name: unknown, text: unknown = '') {
      const inner = command.command(String(name)).description(String(text));
      const within: Part = { ...part, command: inner, path: `${path} ${inner.name()}`.trim() };
      prepare(within);
      return parserOf(within);
    },
  };
  return own;
}

function plain(value: unknown): string | boolean | string[] | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'number' ? String(value) : undefined;
}

function prepare({ context, plugged: { name, plugin, handler_fn }, top, command, path }: Part): void {
  command.action(async () => {
    const named = command.registeredArguments.map((argument, index) => {
      const value: unknown = command.processedArgs[index];
      return [argument.name(), value] as const;
    });
    const values = { ...optionsOf(command, top), ...Object.fromEntries(named), command: path };
    let said: unknown;
    try {
      said = await handler_fn(values);
    } catch (error) {
      throw new UserError(`'hermes ${name}' of the plug-in ${plugin} failed: ${errorMessage(error)}`, { cause: error });
    }
    if (typeof said === 'number' && Number.isInteger(said)) context.exitCode = said & 0xff;
    else if (typeof said === 'string' && said !== '') context.io.stdout.write(said.endsWith('\n') ? said : `${said}\n`);
  });
}

/** Its own and those of the commands that it stands in, up to the one of the plug-in: what is above belongs to the program. */
function optionsOf(command: Command, top: Command): Readonly<Record<string, unknown>> {
  const above = command === top || command.parent === null ? {} : optionsOf(command.parent, top);
  return { ...above, ...command.opts() };
}
