/** The small scripts in `~/.local/bin` that start the program with a profile: `coder` for `hermes -p coder`. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../../config/home.ts';
import type { Variables } from '../../config/variables.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { findProgram } from '../find-program.ts';
import { notInThisBuild } from '../not-in-this-build.ts';

const ON_WINDOWS = process.platform === 'win32';
/** Any wrapper of ours is far smaller. */
const LARGEST_WRAPPER = 400;

export interface Wrapper {
  /** What is typed to start it. */
  readonly name: string;
  readonly path: string;
}

/** Where wrappers lie. */
export function wrapperFolder(env: Variables): string {
  return join(userDirectory(env), '.local', 'bin');
}

/** The wrappers of a profile; the one with the profile's own name comes last. */
export function wrappersOf(profile: string, env: Variables): Wrapper[] {
  const folder = wrapperFolder(env);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((file) => ({ name: ON_WINDOWS ? file.replace(/\.cmd$/, '') : file, path: join(folder, file) }))
    .filter(({ path }) => profileOf(path) === profile)
    .sort((left, right) => Number(left.name === profile) - Number(right.name === profile));
}

/** Writes a wrapper. Throws `UserError` where a command of that name exists or a file of somebody else is in the way. */
export function makeWrapper(context: CliContext, profile: string, name = profile): Wrapper {
  const { env } = context;
  const path = join(wrapperFolder(env), ON_WINDOWS ? `${name}.cmd` : name);
  const reason = existsSync(path) && profileOf(path) === profile ? undefined : whyNot(name, path, context);
  if (reason !== undefined) {
    throw new UserError(`Cannot create alias '${name}': ${reason}.`, {
      hint: `Choose another name: hermes profile alias ${profile} --name NAME, or write: hermes -p ${profile}`,
    });
  }
  mkdirSync(wrapperFolder(env), { recursive: true });
  writeFileAtomic(path, wrapperText(profile));
  chmodSync(path, 0o755);
  return { name, path };
}

export function removeWrapper({ path }: Wrapper): void {
  rmSync(path, { force: true });
}

function whyNot(name: string, path: string, { commands, env }: CliContext): string | undefined {
  if (['hermes', ...notInThisBuild].includes(name) || commands.some((entry) => entry.name === name)) {
    return 'that is the name of a command of this program';
  }
  if (existsSync(path)) return `${path} exists and is not a wrapper of this profile`;
  const other = findProgram(name, env);
  return other === undefined ? undefined : `a program of that name exists (${other})`;
}

/** The original knows its wrappers by exactly these lines, so nothing may be added. */
function wrapperText(profile: string): string {
  return ON_WINDOWS ? `@echo off\r\nhermes -p ${profile} %*\r\n` : `#!/bin/sh\nexec hermes -p ${profile} "$@"\n`;
}

function profileOf(path: string): string | undefined {
  try {
    const about = statSync(path);
    if (!about.isFile() || about.size > LARGEST_WRAPPER) return undefined;
    const text = readFileSync(path, 'utf8');
    return /^(?:#!\/bin\/sh\nexec|@echo off\r\n)\s*hermes -p ([a-z0-9][a-z0-9_-]{0,63}) (?:"\$@"|%\*)\s*$/.exec(
      text,
    )?.[1];
  } catch {
    // A broken link, or a file of somebody else that may not be read: not a wrapper of ours.
    return undefined;
  }
}
