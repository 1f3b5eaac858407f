/** The skills of one session: what its prompt, its tools and its slash commands ask for. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setEnvValue } from '../config/dotenv-edit.ts';
import type { Env } from '../config/home.ts';
import { skillRoots } from './external-dirs.ts';
import type { AvailableTools, Skill, SkillCatalogue, SkillSettings } from './skill.ts';
import { openCatalogue } from './skill-catalogue.ts';
import { renderIndex } from './skill-index.ts';
import type { SkillPlaces } from './load-skill.ts';
import type { RunInline } from './skill-body.ts';
import { describeSkill, openSkill, type SkillAnswer, type SkillUse, viewFile, type ViewContext } from './skill-view.ts';
import { findInjection } from './guard.ts';
import { openUsage } from './usage.ts';
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
  /** `plugin:skill` → the directory of a skill that a plugin brings. */
  readonly pluginSkills?: ReadonlyMap<string, string>;
  /** Runs `!`-commands on the host; used only with `skills.inline_shell`. */
  readonly runInline?: RunInline;
  /** Stores a secret that a person typed; default: the home's `.env`. */
  readonly saveSecret?: (name: string, value: string) => void;
  /** Told which variables and credential files a loaded skill may have in sandboxes for the session. */
  readonly onLoaded?: ViewContext['onLoaded'];
  /** Takes notes for the log, such as a skill that reads like an order to the model. */
  readonly log?: (line: string) => void;
  readonly now?: () => Date;
}

export interface SkillLibrary {
  /** The block for the system prompt; empty when no skill is visible. */
  index(): Promise<string>;
  /** Every skill that is neither switched off nor made for another system, sorted by category and name. */
  list(): Promise<readonly Skill[]>;
  /** What `skills_list` answers. */
  listAnswer(category?: string): Promise<SkillAnswer>;
  /** Loads a skill: what `skill_view` answers. Counts as a view. */
  view(name: string, use: SkillUse): Promise<SkillAnswer>;
  /** One file of a skill. */
  viewFile(name: string, filePath: string): Promise<SkillAnswer>;
  /** One line for each thing on disk that could not be used. */
  warnings(): Promise<readonly string[]>;
  /** Looks at the disk anew. */
  reload(): void;
}

/** Opens nothing until it is asked. */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const { homePath, settings, surface, env, os = process.platform } = options;
  const roots = () => skillRoots(homePath, settings.externalDirs, env);
  const catalogue = openCatalogue(homePath, roots);
  const disabled = disabledNames(settings, surface);

  function visible({ skills }: SkillCatalogue): Skill[] {
    return skills.filter((skill) => fitsSystem(skill.platforms, os) && !isDisabled(skill, disabled));
  }

  const usage = openUsage(homePath, options.now ?? (() => new Date()));
  const context: ViewContext = {
    homePath,
    settings,
    surface,
    env,
    os,
    stored: new Set(),
    runInline: options.runInline,
    saveSecret: options.saveSecret ?? ((name, value) => setEnvValue(join(homePath, '.env'), name, value)),
    onLoaded: options.onLoaded ?? (() => undefined),
  };
  const places = async (): Promise<SkillPlaces> => ({
    catalogue: await catalogue.read(),
    roots: roots(),
    pluginSkills: options.pluginSkills ?? new Map(),
  });

  let openings: Promise<unknown> = Promise.resolve();

  /** One after the other: a person is asked for one secret at a time, and for none twice. */
  function open(name: string, use: SkillUse): ReturnType<typeof openNow> {
    const next = openings.then(() => openNow(name, use));
    openings = next.catch(() => undefined);
    return next;
  }

  async function openNow(name: string, use: SkillUse) {
    const opened = await openSkill(name, await places(), context, use);
    if ('refusal' in opened) return opened;
    const [finding] = findInjection(opened.text);
    if (finding !== undefined) {
      options.log?.(`Skill ${opened.skill.file}:${finding.line} ${finding.description}: ${finding.match}`);
    }
    return opened;
  }

  let lastIndex: { readonly found: SkillCatalogue; readonly tools: string; readonly text: string } | undefined;

  async function list(): Promise<readonly Skill[]> {
    const skills = visible(await catalogue.read());
    return skills.sort((a, b) => compare(a.category, b.category) || compare(a.name, b.name));
  }

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
    list,
    async listAnswer(category) {
      mkdirSync(join(homePath, 'skills'), { recursive: true });
      const all = await list();
      const wanted =
        category === undefined || category === '' ? all : all.filter((skill) => skill.category === category);
      return {
        success: true,
        skills: wanted.map(({ name, description, category }) => ({ name, description, category })),
        categories: [...new Set(wanted.map(({ category }) => category))],
        count: wanted.length,
        ...(all.length === 0 ? { message: 'There are no skills yet.' } : {}),
        hint: 'skill_view(name) loads a skill.',
      };
    },
    async view(name, use) {
      const opened = await open(name, use);
      if ('refusal' in opened) return opened.refusal;
      await usage.count(opened.skill.directoryName, 'view');
      return describeSkill(opened, context);
    },
    viewFile: async (name, filePath) => await viewFile(name, filePath, await places(), context),
    warnings: async () => (await catalogue.read()).warnings,
    reload: () => catalogue.clear(),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
