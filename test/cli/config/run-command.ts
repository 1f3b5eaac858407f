/** Runs one terminal command in this process: real files, in-memory streams. */
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import type { CliContext, CommandModule } from '../../../src/cli/command.ts';
import { loadEnvironment } from '../../../src/config/dotenv.ts';
import type { Home } from '../../../src/config/home.ts';
import { loadConfig, type LoadedConfig } from '../../../src/config/load.ts';
import { processSettings } from '../../../src/config/process-settings.ts';
import { UserError } from '../../../src/lib/errors.ts';
import { noLog } from '../../../src/lib/log.ts';

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** What a command is given; the configuration is read anew each time. */
export function contextOn(place: { home: Home; env: Record<string, string | undefined> }, io: object): CliContext {
  return {
    io: io as CliContext['io'],
    ...place,
    shell: place.env,
    settings: processSettings(place.env),
    global: { ignoreUserConfig: false, verbose: false },
    log: noLog,
    commands: [],
    reloadVariables: () => [],
    exitCode: 0,
    config: () => loadConfig(place),
  };
}

/** A `UserError` becomes text on stderr and its exit code, as at the real entry. */
export async function runCommand(
  module: CommandModule,
  place: { home: Home; env: Record<string, string | undefined> },
  ...argv: string[]
): Promise<Outcome> {
  const out = new PassThrough();
  const err = new PassThrough();
  const { env } = loadEnvironment(place.home, place.env);
  let loaded: Promise<LoadedConfig> | undefined;
  const context: CliContext = {
    ...contextOn({ home: place.home, env }, { stdin: new PassThrough(), stdout: out, stderr: err }),
    shell: place.env,
    config: () => (loaded ??= loadConfig({ home: place.home, env })),
  };
  const command: Command = module.build(context).exitOverride();
  try {
    await command.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    err.write(`${error.message}\n${error.hint ?? ''}\n`);
    context.exitCode = error.exitCode;
  }
  const text = (stream: PassThrough) => ((stream.read() as Buffer | null) ?? '').toString();
  return { stdout: text(out), stderr: text(err), exitCode: context.exitCode };
}
