/** A home with skills in it, in a directory of its own. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Variables } from '../../src/config/variables.ts';
import { skillEnvironment } from '../../src/config/skill-settings.ts';
import type { SkillSettings } from '../../src/skills/skill.ts';
import { createSkillLibrary, type SkillLibrary, type SkillLibraryOptions } from '../../src/skills/skill-library.ts';

export interface TestHome {
  /** The home, absolute and real. */
  readonly path: string;
  put(name: string, content: string | Uint8Array): string;
  get(name: string): string;
  library(options?: LibraryChanges): SkillLibrary;
}

export type LibraryChanges = Partial<Omit<SkillLibraryOptions, 'settings' | 'environment'>> & {
  settings?: Partial<SkillSettings>;
  env?: Variables;
};

export const plainSettings: SkillSettings = {
  externalDirs: [],
  disabled: [],
  platformDisabled: {},
  config: {},
  guardAgentCreated: false,
  writeApproval: false,
  templateVars: true,
  inlineShell: false,
  inlineShellTimeoutSeconds: 10,
};

export function makeHome(t: TestContext): TestHome {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-skills-')));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    put(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    get: (name) => readFileSync(join(path, name), 'utf8'),
    library: ({ settings, env = {}, ...rest } = {}) =>
      createSkillLibrary({
        homePath: path,
        settings: { ...plainSettings, ...settings },
        surface: 'cli',
        environment: skillEnvironment(env),
        os: 'linux',
        ...rest,
      }),
  };
}

/** A SKILL.md with this header (YAML lines) below its name and description. */
export function skillText(name: string, description: string, header = '', body = 'Do it step by step.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n${header === '' ? '' : `${header}\n`}---\n\n# ${name}\n\n${body}\n`;
}
