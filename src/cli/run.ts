/** Finds the command that was typed, loads it, and runs it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import { loadEnvironment, replaceVariables } from '../config/dotenv.ts';
import { ensureHome, type Home, userDirectory } from '../config/home.ts';
import { logSettings, openLog } from '../config/open-log.ts';
import { processSettings } from '../config/process-settings.ts';
import { mayHaveSecretSources } from '../config/secret-settings.ts';
import { proxyVariables } from '../config/proxy-variables.ts';
import type { Variables } from '../config/variables.ts';
import { UserError } from '../lib/errors.ts';
import { fetchedMark } from '../lib/fetched-names.ts';
import type { Io } from '../lib/io.ts';
import { createRedactor, type Redactor } from '../safety/redact.ts';
import { secretValuesOf } from '../safety/secret-variables.ts';
import { addChatOptions } from './chat/options.ts';
import { commandCatalogue } from './catalogue.ts';
import { exitAfter } from './exit-watchdog.ts';
import type { CliContext, CommandEntry } from './command.ts';
import { missingPart, notInThisBuild } from './not-in-this-build.ts';
import { commandName, readTypedWords } from './typed-words.ts';
import { refuseUnderAgent } from './under-agent.ts';

export interface CliRun {
  /** Arguments without the profile flag. */
  readonly argv: readonly string[];
  readonly home: Home;
  readonly env: Variables;
  readonly io: Io;
  /** What stray code throws in the process is then this run's to judge. */
  readonly ownsProcess?: true;
}

/** Runs one command line; returns the exit code. Throws `UserError` for what the user can mend. */
export async function runCli(run: CliRun): Promise<number> {
  const argv = readTypedWords(run.argv);
  const name = commandName(argv);
  const entry = commandCatalogue.find((candidate) => candidate.name === name);
  if (name !== undefined && entry === undefined && !mayBePlugged(name, run.home)) throw await unknown(name);
  refuseUnderAgent({ argv, name, home: run.home, env: run.env });
  const started = await createContext(run);
  if (name === undefined || entry !== undefined) return await runWith(started, { run, argv, name, entry });
  // Only now is code of plug-ins loaded: for a word that is no command of the program.
  const { openPluginCommand } = await import('./plugins/plugin-command.ts');
  const opened = await openPluginCommand(started.context, name, () => started.fetchSecrets(new Command(name)));
  if (opened === undefined) throw await unknown(name);
  try {
    return await runWith({ ...started, fetchSecrets: () => undefined }, { run, argv, name, entry: opened.entry });
  } finally {
    await opened.close();
  }
}

/** Plug-ins are enabled in `config.yaml`; without one a mistyped word touches nothing. */
function mayBePlugged(name: string, home: Home): boolean {
  return missingPart(name) === undefined && existsSync(join(home.path, 'config.yaml'));
}

interface Called {
  readonly run: CliRun;
  readonly argv: readonly string[];
  readonly name: string | undefined;
  readonly entry: CommandEntry | undefined;
}

async function runWith(
  { context, fetchSecrets, tidyUp }: Started,
  { run, argv, name, entry }: Called,
): Promise<number> {
  const program = buildProgram(context).hook('preAction', (_program, command) => fetchSecrets(command));
  // One that a plug-in brings stands behind those of the program.
  const commands = new Set(entry === undefined ? commandCatalogue : [...commandCatalogue, entry]);
  for (const candidate of commands) {
    const command = candidate === entry ? (await entry.load()).build(context) : new Command(candidate.name);
    if (candidate === entry) await checkWords(command, argv);
    program.addCommand(configure(command.summary(candidate.summary), run.io, `hermes ${candidate.name}`));
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    // Commander has already written its message or the help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof UserError)) context.log.named('cli').error(`'hermes ${name ?? ''}' failed`, error);
    throw error;
  } finally {
    exitAfter(context.settings.exitSeconds);
    await tidyUp();
  }
}

async function unknown(name: string): Promise<UserError> {
  const { unknownCommand } = await import('./mistyped.ts');
  return await unknownCommand(name);
}

/** Only where there is something to check: a conversation has no sub-commands and starts at once. */
async function checkWords(command: Command, argv: readonly string[]): Promise<void> {
  if (command.name() === 'chat') return;
  const { refuseMistyped } = await import('./mistyped.ts');
  await refuseMistyped(command, argv.slice(argv.indexOf(command.name()) + 1), command.name());
}

interface Started {
  readonly context: CliContext;
  /** Undefined where there is nothing to ask: then nothing is loaded for it. */
  readonly fetchSecrets: (command: Command) => Promise<void> | undefined;
  readonly tidyUp: () => Promise<void>;
}

async function createContext(run: CliRun): Promise<Started> {
  const flags = {
    ...(run.argv.includes('--safe-mode') ? { HERMES_SAFE_MODE: '1' } : {}),
    ...(run.argv.includes('--accept-hooks') ? { HERMES_ACCEPT_HOOKS: '1' } : {}),
  };
  const { env: found, warnings } = loadEnvironment(run.home, run.env);
  const env: Record<string, string | undefined> = { ...found, ...flags };
  let settings = processSettings(env);
  await reachOutside(env);
  const verbose = run.argv.includes('--verbose') || run.argv.includes('-v');
  const ignoreUserConfig = run.argv.includes('--ignore-user-config') || settings.ignoreUserConfig;
  // Secrets never get into the log, whatever `security.redact_secrets` says about the rest.
  let redact: Redactor | undefined;
  const log = openLog(run.home, (text) => {
    redact ??= createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
    return redact(text);
  });
  let loaded: Promise<LoadedConfig> | undefined;
  const warn = (lines: readonly string[]): void => {
    for (const line of lines) run.io.stderr.write(`${line}\n`);
  };
  warn(warnings);
  const closings: (() => Promise<void>)[] = [];
  const context: CliContext = {
    io: run.io,
    home: run.home,
    env,
    shell: { ...run.env, ...flags },
    get settings() {
      return settings;
    },
    global: { ignoreUserConfig, verbose },
    log,
    commands: commandCatalogue,
    exitCode: 0,
    atEnd: (close) => void closings.push(close),
    reloadVariables() {
      const fresh = loadEnvironment(run.home, run.env);
      warn(fresh.warnings);
      context.fetched?.layOver(fresh.env);
      return replaceVariables(env, { ...fresh.env, ...flags }).filter((name) => name !== fetchedMark);
    },
    config() {
      loaded ??= loadConfig({ home: run.home, env, ignoreUserConfig }).then(async (config) => {
        warn(config.warnings);
        log.configure(logSettings(config.config));
        if (run.ownsProcess === true && config.config.plugins.enabled.length > 0) {
          const { outliveStrayErrors } = await import('./plugins/stray-errors.ts');
          context.strayErrors = outliveStrayErrors(log.named('plugins'));
          const projects = settings.plugins.project ? [process.cwd(), userDirectory(env)] : [];
          context.strayErrors.watch(run.home.path, projects);
        }
        return config;
      });
      return loaded;
    },
  };
  async function takeSecrets(): Promise<void> {
    const { fetchAtStart } = await import('./secrets/at-start.ts');
    const report = await fetchAtStart({ home: run.home, env, ignoreUserConfig });
    if (report === undefined) return;
    context.fetched = report;
    warn(report.warnings);
    // All that was made of the variables before is made anew.
    settings = processSettings(env);
    redact = undefined;
    await reachOutside(env);
  }
  return {
    context,
    async tidyUp() {
      await Promise.allSettled(closings.splice(0).map((close) => close()));
    },
    fetchSecrets: (command) =>
      needsSecrets(command) && mayHaveSecretSources(run.home, env) ? takeSecrets() : undefined,
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

/** Commands that also make sense where nothing can be written. */
const readingCommands: ReadonlySet<string> = new Set(['sessions', 'insights', 'status', 'doctor', 'logs']);

/** Commands that neither ask a model nor say what is set: they need not wait for a secret manager. */
const secretless: ReadonlySet<string> = new Set(
  'secrets version completion logs backup import checkpoints permissions postinstall uninstall'.split(' '),
);

function needsSecrets(command: Command): boolean {
  return !secretless.has(topOf(command).name()) && command.opts()['version'] !== true;
}

/** What a home lacks is made; where that is impossible, what is there can still be read. */
function prepareHome({ home, env, log }: CliContext, command: Command): void {
  try {
    ensureHome(home, env);
  } catch (error) {
    if (!readingCommands.has(topOf(command).name()) || !existsSync(home.path)) throw error;
    log.info('the home is incomplete and cannot be completed', error);
  }
}

/** The command of the catalogue that a sub-command belongs to. */
function topOf(command: Command): Command {
  let top = command;
  while (top.parent?.parent) top = top.parent;
  return top;
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
