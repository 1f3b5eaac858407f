/** Skills that a person asks for by name: as slash commands, in bundles, or for a whole session. */
import type { FoundBundles } from './bundles.ts';
import { commandName } from './command-name.ts';
import type { SkillCommand } from './skill-command.ts';
import type { Skill } from './skill.ts';
import type { HomeSkillReader } from './skill-reader.ts';
import type { OpenedSkill, SkillUse } from './skill-view.ts';

export interface SkillCommands {
  /** What can be typed as `/name`: bundles first, then the visible skills that no bundle hides. */
  commands(): Promise<readonly SkillCommand[]>;
  /** The user message for `/name text`; `undefined` when no skill or bundle has that name, an error text when it cannot be loaded. */
  command(name: string, text: string, use: SkillUse): Promise<CommandAnswer | undefined>;
  /** Loads skills for a whole session, each once. */
  preload(names: readonly string[], use: SkillUse): Promise<PreloadedSkills>;
  /** Groups of skills that one command loads, with what is wrong with their files. */
  bundles(): Promise<FoundBundles>;
}

export type CommandAnswer = { readonly message: string; readonly isOwnWords: boolean } | { readonly error: string };

export interface PreloadedSkills {
  /** Empty when nothing was loaded. */
  readonly text: string;
  readonly loaded: readonly string[];
  /** All that was loaded is the agent's own words. */
  readonly isOwnWords: boolean;
  /** Names that could not be loaded. */
  readonly missing: readonly string[];
}

/** `/a /b words` loads so many skills at most. */
const maxStacked = 5;

export class HomeSkillCommands implements SkillCommands {
  readonly #reader: HomeSkillReader;

  constructor(reader: HomeSkillReader) {
    this.#reader = reader;
  }

  async commands(): Promise<readonly SkillCommand[]> {
    const { bundles } = await this.bundles();
    const commands = new Map<string, SkillCommand>();
    for (const { slug, description } of bundles) commands.set(slug, { name: slug, description, kind: 'bundle' });
    for (const { name: skillName, description } of await this.#reader.list()) {
      const name = commandName(skillName);
      if (name !== '' && !commands.has(name)) commands.set(name, { name, description, kind: 'skill' });
    }
    return [...commands.values()];
  }

  async command(name: string, text: string, use: SkillUse): Promise<CommandAnswer | undefined> {
    const typed = commandName(name);
    const { bundleMessage, skillMessage, stackMessage } = await import('./skill-command.ts');
    const bundle = (await this.bundles()).bundles.find(({ slug }) => slug === typed);
    if (bundle !== undefined) {
      const { opened, missing } = await this.#openAll(bundle.skills, use);
      // Who wrote the instruction of a bundle is not known.
      const isOwnWords = bundle.instruction === '' && areOwn(opened);
      return { message: bundleMessage(bundle, opened, missing, text), isOwnWords };
    }
    const skills = await this.#reader.list();
    const skill = skills.find((entry) => commandName(entry.name) === typed);
    if (skill === undefined) return undefined;
    const stack = stackOf(skill, text, skills);
    if (stack.skills.length > 1) {
      const { opened, missing } = await this.#openAll(
        stack.skills.map(({ directoryName }) => directoryName),
        use,
      );
      if (opened.length > 0) return { message: stackMessage(opened, missing, stack.text), isOwnWords: areOwn(opened) };
      return { error: `None of these skills can be loaded: ${missing.join(', ')}` };
    }
    const opened = await this.#reader.open(skill.directoryName, use);
    if ('refusal' in opened) {
      const { error } = opened.refusal;
      return { error: typeof error === 'string' ? error : `The skill '${skill.name}' cannot be loaded.` };
    }
    await this.#reader.usage.count(opened.skill.directoryName, 'use');
    return { message: skillMessage(opened, stack.text), isOwnWords: opened.isOwnWords };
  }

  async preload(names: readonly string[], use: SkillUse): Promise<PreloadedSkills> {
    const { opened, missing } = await this.#openAll(names, use);
    const { preloadText } = await import('./skill-command.ts');
    const loaded = opened.map(({ skill }) => skill.name);
    return { text: preloadText(opened), loaded, isOwnWords: areOwn(opened), missing };
  }

  async bundles(): Promise<FoundBundles> {
    const { readBundles } = await import('./bundles.ts');
    return await readBundles(this.#reader.bundlesFolder);
  }

  /** Each skill once; the names of those that cannot be had. */
  async #openAll(names: readonly string[], use: SkillUse) {
    const opened = new Map<string, OpenedSkill>();
    const missing: string[] = [];
    for (const name of new Set(names.map((entry) => entry.trim()).filter((entry) => entry !== ''))) {
      const skill = await this.#reader.open(name, use);
      if ('refusal' in skill) missing.push(name);
      else if (!opened.has(skill.skill.file)) {
        opened.set(skill.skill.file, skill);
        await this.#reader.usage.count(skill.skill.directoryName, 'use');
      }
    }
    return { opened: [...opened.values()], missing };
  }
}

function areOwn(opened: readonly OpenedSkill[]): boolean {
  return opened.every(({ isOwnWords }) => isOwnWords);
}

/** The first skill and those that follow it at once, each as a command; the text begins with the first word that is none. */
function stackOf(first: Skill, typed: string, all: readonly Skill[]): { skills: readonly Skill[]; text: string } {
  const skills = [first];
  let text = typed.trim();
  while (skills.length < maxStacked) {
    const [, name, rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const next = name === undefined ? undefined : all.find((entry) => commandName(entry.name) === commandName(name));
    if (next === undefined || skills.includes(next)) break;
    skills.push(next);
    text = rest.trim();
  }
  return { skills, text };
}
