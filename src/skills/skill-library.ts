/** The skills of one session: what its prompt, its tools and its slash commands ask for. */
import type { Env } from '../config/home.ts';
import { skillRoots } from './external-dirs.ts';
import type { AvailableTools, Skill, SkillCatalogue, SkillSettings } from './skill.ts';
import { openCatalogue } from './skill-catalogue.ts';
import { renderIndex } from './skill-index.ts';
import { disabledNames, fitsSystem, isActive, isDisabled } from './visibility.ts';

export interface SkillLibraryOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  readonly settings: SkillSettings;
  /** The session's surface: `cli`, `telegram` … */
  readonly surface: string;
  /** The environment with `.env` laid over it. */
  readonly env: Env;
  /** What the session can do; `undefined` when that is not known (then nothing is hidden for it). */
  readonly available?: () => AvailableTools | undefined;
  /** Node's name of the operating system; default: this machine's. */
  readonly os?: NodeJS.Platform;
}

export interface SkillLibrary {
  /** The block for the system prompt; empty when no skill is visible. */
  index(): Promise<string>;
  /** Every skill that is neither switched off nor made for another system, sorted by category and name. */
  list(): Promise<readonly Skill[]>;
  /** One line for each thing on disk that could not be used. */
  warnings(): Promise<readonly string[]>;
  /** Looks at the disk anew. */
  reload(): void;
}

/** Opens nothing until it is asked. */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const { homePath, settings, surface, env, os = process.platform } = options;
  const catalogue = openCatalogue(homePath, () => skillRoots(homePath, settings.externalDirs, env));
  const disabled = disabledNames(settings, surface);

  function visible({ skills }: SkillCatalogue): Skill[] {
    return skills.filter((skill) => fitsSystem(skill.platforms, os) && !isDisabled(skill, disabled));
  }

  let lastIndex: { readonly found: SkillCatalogue; readonly tools: string; readonly text: string } | undefined;

  return {
    async index() {
      const found = await catalogue.read();
      const available = options.available?.();
      const tools = available === undefined ? '?' : [...available.tools, '', ...available.toolsets].join('\n');
      if (lastIndex?.found === found && lastIndex.tools === tools) return lastIndex.text;
      const active = visible(found).filter(({ conditions }) => isActive(conditions, available));
      const text = renderIndex(active, found.categories);
      lastIndex = { found, tools, text };
      return text;
    },
    async list() {
      const skills = visible(await catalogue.read());
      return skills.sort((a, b) => compare(a.category, b.category) || compare(a.name, b.name));
    },
    warnings: async () => (await catalogue.read()).warnings,
    reload: () => catalogue.clear(),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
