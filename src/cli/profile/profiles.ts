/** The profiles of a root: which there are, and what each is like. */
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DEFAULT_PROFILE, type Home, isProfileName, profileHome } from '../../config/home.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import { isRunning } from '../../lib/is-running.ts';
import type { CliContext } from '../command.ts';

/** Names that would be taken for the program itself or for something of the system. */
const RESERVED = new Set(['default', 'hermes', 'test', 'tmp', 'root', 'sudo']);

export interface ModelOfProfile {
  readonly model: string;
  readonly provider: string;
}

const modelSection = z.object({ default: z.string().catch(''), provider: z.string().catch('') });
const gatewayRecord = z.union([z.number().int().positive(), z.object({ pid: z.number().int().positive() })]);

/** The profile of that name, in whatever case it was typed. Throws `UserError` when there is none. */
export function findProfile(context: CliContext, typed: string): Home {
  const name = typed.toLowerCase();
  const home = profileHome(context.home.root, name);
  if (name === DEFAULT_PROFILE || (isProfileName(name) && isFolder(home.path))) return home;
  throw new UserError(`Profile '${typed}' does not exist.`, {
    hint: 'Run `hermes profile list` to see the profiles.',
  });
}

/** The home a new profile would get. Throws `UserError` for a name that cannot be one, or is taken. */
export function freeProfile(context: CliContext, typed: string): Home {
  const name = typed.toLowerCase();
  if (!isProfileName(name)) {
    throw new UserError(`Invalid profile name '${typed.slice(0, 80)}'.`, {
      hint: 'Profile names are 1–64 lowercase letters, digits, `-` and `_`, starting with a letter or digit.',
    });
  }
  if (RESERVED.has(name)) throw new UserError(`The profile name '${name}' is reserved; choose another.`);
  const home = profileHome(context.home.root, name);
  if (existsSync(home.path)) throw new UserError(`Profile '${name}' already exists at ${home.path}.`);
  return home;
}

/** The profile that is used when none is named. */
export function stickyProfile(root: string): string {
  const path = join(root, 'active_profile');
  return (existsSync(path) && readFileSync(path, 'utf8').trim()) || DEFAULT_PROFILE;
}

/** Makes a profile the one that is used when none is named. */
export function setStickyProfile(root: string, name: string): void {
  const path = join(root, 'active_profile');
  if (name === DEFAULT_PROFILE) rmSync(path, { force: true });
  else writeFileAtomic(path, `${name}\n`);
}

/** What its `config.yaml` names; undefined when it names none or cannot be read. */
export async function modelOf({ path }: Home): Promise<ModelOfProfile | undefined> {
  const file = await readYamlFile(join(path, 'config.yaml'));
  if (file.state !== 'read') return undefined;
  const { model } = file.data;
  if (typeof model === 'string') return model === '' ? undefined : { model, provider: '' };
  const parsed = modelSection.safeParse(model);
  if (!parsed.success || parsed.data.default === '') return undefined;
  return { model: parsed.data.default, provider: parsed.data.provider };
}

/** The process id of the profile's gateway, when one runs. */
export function gatewayOf({ path }: Home): number | undefined {
  const file = join(path, 'gateway.pid');
  if (!existsSync(file)) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Half a file is what a killed gateway leaves: nobody runs.
    return undefined;
  }
  const parsed = gatewayRecord.safeParse(record);
  if (!parsed.success) return undefined;
  const pid = typeof parsed.data === 'number' ? parsed.data : parsed.data.pid;
  return isRunning(pid) ? pid : undefined;
}

/** Its skills, without what the hub and the curator keep in folders of their own. */
export function countSkills({ path }: Home): number {
  return globSync('**/SKILL.md', { cwd: join(path, 'skills'), exclude: (name) => name.startsWith('.') }).length;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
