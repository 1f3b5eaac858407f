/** What the environment says about skills and about the places they come from. */
import { delimiter, join } from 'node:path';
import { filled } from './env-values.ts';
import { userDirectory } from './home.ts';
import type { Variables } from './variables.ts';

/** What skills may ask of the environment. */
export interface SkillEnvironment {
  /** The user's own folder, for `~`. */
  readonly userHome: string;
  /** Folders in which programs are looked for, in order. */
  readonly programFolders: readonly string[];
  /** The value of a variable, which may be empty; `undefined` when it is missing. */
  readonly variable: (name: string) => string | undefined;
}

export function skillEnvironment(env: Variables): SkillEnvironment {
  return {
    userHome: userDirectory(env),
    programFolders: (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    variable: (name) => env[name],
  };
}

/** `HERMES_BUNDLES_DIR`, where the groups of skills lie; default `skill-bundles` in the home. */
export function bundlesFolder(homePath: string, env: Variables): string {
  return filled(env['HERMES_BUNDLES_DIR']) ?? join(homePath, 'skill-bundles');
}

/** Where skills can be had from. */
export interface SkillSourceSettings {
  /** The user's own folder, for `~`. */
  readonly userHome: string;
  /** `HERMES_BUNDLED_SKILLS`: instead of the folder that the package ships. */
  readonly bundledFolder: string | undefined;
  /** `HERMES_OPTIONAL_SKILLS`: official skills that are not bundled; may be relative. */
  readonly optionalFolder: string | undefined;
  /** `GITHUB_TOKEN` or `GH_TOKEN`. */
  readonly githubToken: string | undefined;
}

export function skillSourceSettings(env: Variables): SkillSourceSettings {
  return {
    userHome: userDirectory(env),
    bundledFolder: filled(env['HERMES_BUNDLED_SKILLS']),
    optionalFolder: filled(env['HERMES_OPTIONAL_SKILLS']),
    githubToken: filled(env['GITHUB_TOKEN']) ?? filled(env['GH_TOKEN']),
  };
}
