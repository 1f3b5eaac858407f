/** `hermes computer-use install`: the driver's own installer, which brings the newest one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelVariables } from '../../config/model-variables.ts';
import { runInteractive } from '../../environments/run-interactive.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { fetchOver } from '../../lib/fetch-over.ts';
import { downloadFile } from '../../lib/released-program.ts';
import { findDriver } from '../../runtime/find-driver.ts';
import type { CliContext } from '../command.ts';
import { driverEnvironment, installedDriver } from './driver.ts';
import { newerVersion } from './status.ts';

/** https://github.com/trycua/cua/blob/main/libs/cua-driver/README.md */
const scripts = 'https://raw.githubusercontent.com/trycua/cua/main/libs/cua-driver/scripts';
const downloadMs = 120_000;
const maxScriptBytes = 2_000_000;

export interface InstallOptions {
  readonly upgrade: boolean;
  /** Where the scripts lie; tests have their own. */
  readonly from?: string;
  /** Default: that of this machine. */
  readonly platform?: string;
}

export async function install(context: CliContext, options: InstallOptions): Promise<void> {
  const { upgrade, from = scripts, platform = process.platform } = options;
  const say = (line: string): void => void context.io.stdout.write(`${line}\n`);
  if (!['darwin', 'linux', 'win32'].includes(platform)) throw new UserError(`There is no cua-driver for ${platform}.`);
  const before = await installedDriver(context);
  if (before !== undefined && !upgrade) {
    say(`cua-driver is installed already: ${before.path}${before.version === undefined ? '' : ` (${before.version})`}`);
    return say('The newest one: hermes computer-use install --upgrade');
  }
  if (before !== undefined) {
    const found = await newerVersion(context, before.path);
    if (found !== undefined && found.newer === undefined) {
      return say(`cua-driver is the newest already${before.version === undefined ? '' : ` (${before.version})`}.`);
    }
  }
  say(`Installing cua-driver from ${from} …`);
  const code = await (platform === 'win32' ? runPowershell(context, from) : runScript(context, from));
  if (code !== 0) throw new UserError(`The installer of cua-driver ended with exit code ${code}.`);
  const after = await installedDriver(context);
  if (after === undefined) {
    throw new UserError('The installer is done, and there is no cua-driver in PATH.', {
      hint: 'Open a new terminal, or write its path into HERMES_CUA_DRIVER_CMD.',
    });
  }
  say(`✓ cua-driver: ${after.path}${after.version === undefined ? '' : ` (${after.version})`}`);
  say(platform === 'darwin' ? 'Next: hermes computer-use permissions grant' : 'Next: hermes computer-use doctor');
}

/** For `hermes update`: brings one that is installed up to date. Says what went wrong, and fails nothing by it. */
export async function refreshDriver(context: CliContext, options: Omit<InstallOptions, 'upgrade'> = {}): Promise<void> {
  if (findDriver(context.env) === undefined) return;
  try {
    await install(context, { ...options, upgrade: true });
  } catch (error) {
    context.io.stderr.write(`cua-driver was not brought up to date: ${errorMessage(error)}\n`);
  }
}

/** The whole script is here before its first line runs. */
async function runScript(context: CliContext, from: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-cua-driver-'));
  try {
    const bounds = { maxBytes: maxScriptBytes, signal: AbortSignal.timeout(downloadMs) };
    const script = await downloadFile(
      fetchOver(modelVariables(context.env).network),
      `${from}/install.sh`,
      bounds,
    ).catch((error: unknown) => {
      throw new UserError(`The installer could not be fetched from ${from}: ${errorMessage(error)}`, { cause: error });
    });
    const path = join(folder, 'install.sh');
    writeFileSync(path, script, { mode: 0o600 });
    return await runInteractive('/bin/bash', [path], await driverEnvironment(context));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runPowershell(context: CliContext, from: string): Promise<number> {
  const args = ['-NoProfile', '-ExecutionPolicy', 'Bypass', '-Command', `irm ${from}/install.ps1 | iex`];
  return await runInteractive('powershell', args, await driverEnvironment(context));
}
