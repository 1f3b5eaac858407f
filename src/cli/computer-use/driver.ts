/** The program that operates the desktop, as `hermes computer-use` asks it. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { desktopVariables } from '../../config/computer-variables.ts';
import { modelVariables } from '../../config/model-variables.ts';
import { runProgram } from '../../environments/local/run-program.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import { CuaDriver } from '../../runtime/cua-driver.ts';
import { findDriver } from '../../runtime/find-driver.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';

export const howToInstall = 'Run: hermes computer-use install';

export interface InstalledDriver {
  readonly path: string;
  /** As it says itself; undefined when it does not. */
  readonly version: string | undefined;
}

/** What one of its commands wrote. `exitCode` 124: it took too long, -1: it could not be started. */
interface Said {
  readonly output: string;
  readonly exitCode: number;
}

export async function installedDriver(context: CliContext): Promise<InstalledDriver | undefined> {
  const path = findDriver(context.env);
  if (path === undefined) return undefined;
  const { output, exitCode } = await ask(context, path, ['--version'], 5000);
  const [first = ''] = output.trim().split('\n');
  return { path, version: exitCode === 0 && /\d\.\d/.test(first) ? first.slice(0, 100) : undefined };
}

/** What it writes as JSON; undefined when it writes none, as older ones do. */
export async function askForJson(
  context: CliContext,
  path: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<JsonObject | undefined> {
  const said = parseJson((await ask(context, path, args, timeoutMs)).output);
  return isJsonObject(said) ? said : undefined;
}

/** Without keys of ours, and without its reports unless they are wanted. */
export async function driverEnvironment({ env, config }: CliContext): Promise<Record<string, string>> {
  const { computer_use } = (await config()).config;
  return { ...childEnvironment(env), ...desktopVariables(env, computer_use.cua_telemetry) };
}

/** The same that conversations use, to be closed. */
export async function openDriver(context: CliContext, program: string): Promise<CuaDriver> {
  const { env, home, log, config } = context;
  return new CuaDriver({
    program,
    homePath: home.path,
    env,
    telemetry: (await config()).config.computer_use.cua_telemetry,
    network: modelVariables(env).network,
    version: readPackage().version,
    log: log.named('desktop'),
  });
}

async function ask(context: CliContext, path: string, args: readonly string[], timeoutMs: number): Promise<Said> {
  const mark = randomUUID();
  const env = { ...(await driverEnvironment(context)), HERMES_RUN_ID: mark };
  const bounds = { cwd: homedir(), timeoutMs, signal: AbortSignal.timeout(timeoutMs + 1000), maxOutput: 200_000 };
  try {
    return await runProgram([path, ...args], bounds, env, mark);
  } catch {
    // It is there and does not run: whoever asked says that nothing is known of it.
    return { output: '', exitCode: -1 };
  }
}
