/** What a skill needs before it works: variables, credential files and programs; asks for secrets where that is safe. */
import { realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SkillEnvironment } from '../config/skill-settings.ts';
import { homeFileKind } from '../safety/home-files.ts';
import type { RequiredVariable, SkillFacts } from './skill-facts.ts';
import { readRelativePath, realPathInside } from './skill-paths.ts';
import { isExecutable } from '../lib/is-executable.ts';

/** Asks a person for a value with hidden input; `undefined` = skipped. Must never throw. */
export type AskSecret = (
  variable: RequiredVariable,
  skillName: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

export interface SetupOptions {
  readonly homePath: string;
  readonly environment: SkillEnvironment;
  /** What was stored since the environment was read, by name. */
  readonly stored: Map<string, string>;
  /** Absent where secrets must not be asked for. */
  readonly askSecret?: AskSecret | undefined;
  readonly saveSecret: (name: string, value: string) => void;
  readonly signal: AbortSignal;
}

export interface SkillSetup {
  readonly missingVariables: readonly string[];
  /** Variables that are there, by name. */
  readonly setVariables: Readonly<Record<string, string>>;
  readonly missingFiles: readonly string[];
  /** Real paths of the credential files that are there. */
  readonly files: readonly string[];
  readonly missingCommands: readonly string[];
  /** True when a person was asked and gave nothing. */
  readonly skipped: boolean;
}

/** Looks at everything a skill declares. */
export async function checkSetup(skillName: string, facts: SkillFacts, options: SetupOptions): Promise<SkillSetup> {
  const setVariables: Record<string, string> = {};
  const missingVariables: string[] = [];
  let skipped = false;
  for (const variable of facts.variables) {
    const { name } = variable;
    const value = knownValue(name, options) ?? (skipped ? undefined : await ask(variable, skillName, options));
    if (value === undefined && options.askSecret !== undefined) skipped = true;
    if (value === undefined) missingVariables.push(name);
    else setVariables[name] = value;
  }
  const files = facts.credentialFiles.map(({ path }) => ({ path, found: credentialFile(path, options.homePath) }));
  return {
    setVariables,
    missingVariables,
    files: files.flatMap(({ found }) => found ?? []),
    missingFiles: files.filter(({ found }) => found === undefined).map(({ path }) => path),
    missingCommands: facts.commands.filter((command) => !isOnPath(command, options.environment)),
    skipped,
  };
}

function knownValue(name: string, { environment, stored }: SetupOptions): string | undefined {
  return (stored.get(name) ?? environment.variable(name)) || undefined;
}

async function ask(variable: RequiredVariable, skillName: string, options: SetupOptions): Promise<string | undefined> {
  const value = (await options.askSecret?.(variable, skillName, options.signal))?.trim();
  if (value === undefined || value === '') return undefined;
  options.saveSecret(variable.name, value);
  options.stored.set(variable.name, value);
  return value;
}

/** The agent's own credentials, rules and records are nobody else's credential files. */
const ownSecrets = /^(?:\.env|auth[.\w-]*\.json|pairing|mcp-tokens|browser_auth)(?:[./]|$)/i;
/** Logins of skills that lie where everybody looks for them. */
const forSkills = /^(?:google_token|google_client_secret|honcho)\.json$|^credentials\//i;

/**
 * The real path of a file that commands elsewhere may be given; undefined for what is no file of the home, or none that
 * may be passed on.
 * @param path relative to the home
 */
export function credentialFile(path: string, homePath: string): string | undefined {
  const read = readRelativePath(path);
  if ('problem' in read) return undefined;
  const real = realPathInside(homePath, join(homePath, ...read.parts));
  if (real === undefined || !statSync(real).isFile()) return undefined;
  const inHome = relative(realpathSync(homePath), real).split(sep).join('/');
  const kind = homeFileKind(inHome);
  const isOwn = kind === 'rules' || kind === 'record' || (kind === 'credential' && !forSkills.test(inHome));
  return isOwn || ownSecrets.test(inHome) ? undefined : real;
}

function isOnPath(command: string, { programFolders }: SkillEnvironment): boolean {
  if (!/^[\w.+-]+$/.test(command)) return false;
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  return programFolders.some((folder) => endings.some((ending) => isExecutable(join(folder, command + ending))));
}
