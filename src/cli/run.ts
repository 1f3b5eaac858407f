/** Finds the command that was typed, loads it, and runs it. */
import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import { loadEnvironment, replaceVariables } from '../config/dotenv.ts';
import { ensureHome, type Home } from '../config/home.ts';
import { logSettings, openLog } from '../config/open-log.ts';
import { processSettings } from '../config/process-settings.ts';
import { proxyVariables } from '../config/proxy-variables.ts';
import type { Variables } from '../config/variables.ts';
import { UserError } from '../lib/errors.ts';
import type { FileLog } from '../lib/file-log.ts';
import type { Io } from '../lib/io.ts';
import { createRedactor, type Redactor } from '../safety/redact.ts';
import { secretValuesOf } from '../safety/secret-variables.ts';
import { addChatOptions } from './chat/options.ts';
import { commandCatalogue } from './catalogue.ts';
import { exitAfter } from './exit-watchdog.ts';
import type { CliContext } from './command.ts';
import { notInThisBuild } from './not-in-this-build.ts';
import { commandName, readTypedWords } from './typed-words.ts';

export interface CliRun {
  /** Arguments without the profile flag. */
  readonly argv: readonly string[];
  readonly home: Home;
  readonly env: Variables;
  readonly io: Io;
}

/** Runs one command line; returns the exit code. Throws `UserError` for what the user can mend. */
export async function runCli(run: CliRun): Promise<number> {
  const argv = readTypedWords(run.argv);
  const name = commandName(argv);
  const entry = commandCatalogue.find((candidate) => candidate.name === name);
  if (name !== undefined && entry === undefined) {
    const { unknownCommand } = await import('./mistyped.ts');
    throw await unknownCommand(name);
  }
  const context = await createContext(run);
  const program = buildProgram(context);
  for (const candidate of commandCatalogue) {
    const command = candidate === entry ? (await entry.load()).build(context) : new Command(candidate.name);
    if (candidate === entry) await checkWords(command, argv);
    program.addCommand(configure(command.summary(candidate.summary), run.io, `hermes ${candidate.name}`));
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    exitAfter(context.settings.exitSeconds);
    return context.exitCode;
  } catch (error) {
    // Commander has already written its message or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof UserError)) context.log.named('cli').error(`'hermes ${name ?? ''}' failed`, error);
    throw error;
  }
}

/** Only where there is something to check: a conversation has no sub-commands and starts at once. */
async function checkWords(command: Command, argv: readonly string[]): Promise<void> {
  if (command.name() === 'chat') return;
  const { refuseMistyped } = await import('./mistyped.ts');
  await refuseMistyped(command, argv.slice(argv.indexOf(command.name()) + 1), command.name());
}

async function createContext(run: CliRun): Promise<CliContext> {
  const flags = run.argv.includes('--safe-mode') ? { HERMES_SAFE_MODE: '1' } : {};
  const { env: found, warnings } = loadEnvironment(run.home, run.env);
  const env: Record<string, string | undefined> = { ...found, ...flags };
  const settings = processSettings(env);
  await reachOutside(env);
  const verbose = run.argv.includes('--verbose') || run.argv.includes('-v');
  const ignoreUserConfig = run.argv.includes('--ignore-user-config') || settings.ignoreUserConfig;
  const log = openHomeLog(run.home, env);
  let loaded: Promise<LoadedConfig> | undefined;
  const warn = (lines: readonly string[]): void => {
    for (const line of lines) run.io.stderr.write(`${line}\n`);
  };
  warn(warnings);
  return {
    io: run.io,
    home: run.home,
    env,
    settings,
    global: { ignoreUserConfig, verbose },
    log,
    commands: commandCatalogue,
    exitCode: 0,
    reloadVariables() {
      const fresh = loadEnvironment(run.home, run.env);
      warn(fresh.warnings);
      return replaceVariables(env, { ...fresh.env, ...flags });
    },
    config() {
      loaded ??= loadConfig({ home: run.home, env, ignoreUserConfig }).then((config) => {
        warn(config.warnings);
        log.configure(logSettings(config.config));
        return config;
      });
      return loaded;
    },
  };
}

/** Libraries that ask by themselves (the login of a cloud) are told of the proxies too, where Node can do that. */
async function reachOutside(env: Variables): Promise<void> {
  const named = proxyVariables(env);
  if (named.https === undefined && named.http === undefined) return;
  const { nodeProxies } = await import('../lib/proxies.ts');
  const proxies = nodeProxies(named);
  const { setGlobalProxyFromEnv } = process.getBuiltinModule('node:http');
  // Older versions of Node 24 lack it.
  if (Object.keys(proxies).length > 0 && typeof setGlobalProxyFromEnv === 'function') setGlobalProxyFromEnv(proxies);
}

/** Secrets never get into the log, whatever `security.redact_secrets` says about the rest. */
function openHomeLog(home: Home, env: Variables): FileLog {
  let redact: Redactor | undefined;
  return openLog(home, (text) => {
    redact ??= createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
    return redact(text);
  });
}

/** Commands that also make sense where nothing can be written. */
const readingCommands: ReadonlySet<string> = new Set(['sessions', 'insights', 'status', 'doctor', 'logs']);

/** What a home lacks is made; where that is impossible, what is there can still be read. */
function prepareHome({ home, env, log }: CliContext, command: Command): void {
  try {
    ensureHome(home, env);
  } catch (error) {
    let top = command;
    while (top.parent?.parent) top = top.parent;
    if (!readingCommands.has(top.name()) || !existsSync(home.path)) throw error;
    log.info('the home is incomplete and cannot be completed', error);
  }
}

/** The program without its commands, each of which is loaded when it is asked for. */
export function buildProgram(context: CliContext): Command {
  const program = configure(new Command('hermes'), context.io)
    .description('A self-hosted AI agent. Without a command it starts an interactive chat.')
    .option('-p, --profile <name>', 'use another profile; may stand anywhere')
    .option('-V, --version', 'show the version')
    .enablePositionalOptions()
    // Only for a command that runs: help and usage errors need no home.
    .hook('preAction', (_program, command) => prepareHome(context, command))
    .addHelpText('after', () => `${helpExamples}\n\n${plannedCommands()}`);
  addChatOptions(program).action(async (_options: unknown, command: Command) => {
    if (command.opts()['version'] === true) {
      const { printVersion } = await import('./commands/version.ts');
      printVersion(context);
      return;
    }
    const { startChat } = await import('./chat/start.ts');
    context.exitCode = await startChat(context, command.opts());
  });
  return program;
}

/** Streams instead of globals, errors as exceptions, and help only as `--help`. */
function configure(command: Command, io: Io, path = 'hermes'): Command {
  command
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError(`'${path} --help' shows the usage.`);
  for (const child of command.commands) configure(child, io, `${path} ${child.name()}`);
  return command;
}

/** The original's commands that are still to come, so that nobody looks for them in vain. */
function plannedCommands(): string {
  const lines = ['Not available in this build:'];
  for (const name of notInThisBuild) {
    const line = lines.at(-1) ?? '';
    if (lines.length === 1 || line.length + name.length > 74) lines.push(`  ${name}`);
    else lines[lines.length - 1] = `${line}, ${name}`;
  }
  return lines.join('\n');
}

const helpExamples = `
Examples:
  hermes                            chat in the terminal
  hermes -z "what is in this folder?"   one answer, nothing else
  cat notes.txt | hermes -z "summarise this"
  hermes -c                         go on with the last conversation
  hermes --provider demo            try it offline, without a key
  hermes config set model.default openai/gpt-5.4
  hermes sessions search "invoice"`;
