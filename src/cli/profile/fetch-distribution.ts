/** Brings a distribution from where it is kept into a folder of this machine. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Variables } from '../../config/variables.ts';
import { runInteractive } from '../../environments/run-interactive.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';

export interface Fetched {
  readonly folder: string;
  /** Where a later update looks. */
  readonly recorded: string;
}

/** A folder is used where it is; everything else is cloned with the user's own git, whose prompts reach the terminal. */
export async function fetchDistribution(source: string, stage: string, env: Variables): Promise<Fetched> {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() === true) {
    return { folder: resolve(source), recorded: resolve(source) };
  }
  const url = /^github\.com\/[\w.-]+\/[\w.-]+$/.test(source) ? `https://${source}` : source;
  if (!/^(?:https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) {
    throw new UserError(`'${source}' is neither a folder nor the address of a git repository.`, { exitCode: 2 });
  }
  const folder = join(stage, 'clone');
  await clone(url, folder, env);
  return { folder, recorded: url };
}

async function clone(url: string, folder: string, env: Variables): Promise<void> {
  const code = await runInteractive('git', ['clone', '--quiet', '--depth', '1', '--', url, folder], env).catch(
    (error: unknown) => {
      throw new UserError(`git could not be started: ${errorMessage(error)}`, { cause: error });
    },
  );
  if (code !== 0) throw new UserError(`git could not clone ${url} (exit code ${code}).`);
}
