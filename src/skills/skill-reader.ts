/** Finding and reading the skills of one session: the index of its prompt, lists, and single skills. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setEnvValue } from '../config/dotenv-edit.ts';
import type { Authorship } from './authorship.ts';
import { skillRoots } from './external-dirs.ts';
import type { SkillSearch } from './load-skill.ts';
import type { AvailableTools, Skill, SkillCatalogue } from './skill.ts';
import { HomeCatalogue } from './skill-catalogue.ts';
import { renderIndex } from './skill-index.ts';
import type { OpenedSkill, SkillAnswer, SkillUse, ViewContext } from './skill-view.ts';
import type { SkillUsage } from './usage.ts';
import { byCategory, disabledNames, fitsSystem, isActive, isDisabled } from './visibility.ts';

/**
 * The skills of a home, for reading.
 *
 * @example
 * const prompt = await reader.index();
 * const answer = await reader.view('pdf-forms', { sessionId, signal });
 */
export interface SkillReader {
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
  /**
   * True for an answer of this library to `view` or `viewFile` that is the agent's own words: it wrote the skill while
   * nobody else had a word in the conversation, and the skill has not changed since.
   */
  isOwnWords(answer: SkillAnswer): boolean;
  /** One line for each thing on disk that could not be used. */
  warnings(): Promise<readonly string[]>;
  /** Looks at the disk anew. */
  reload(): void;
}

/** By default a secret is stored in the home's `.env`, and skills are for this machine's system. */
export interface SkillReaderOptions
  extends Omit<ViewContext, 'stored' | 'authorship' | Optional>,
    Partial<Pick<ViewContext, Optional>> {
  /** Default `skill-bundles` in the home. */
  readonly bundlesFolder?: string;
  /** That of the home, where other sessions use it too. */
  readonly catalogue?: HomeCatalogue;
  /** What the session can do; `undefined` when that is not known (then nothing is hidden for it). */
  readonly available?: () => AvailableTools | undefined;
  /** `plugin:skill` → the directory of a skill that a plugin brings. */
  readonly pluginSkills?: ReadonlyMap<string, string>;
  /**
   * Called with what the user should look at: once, when the index is first asked for, what could not be used; and once
   * each skill that was loaded and reads like an order to the model.
   */
  readonly onWarning?: (line: string) => void;
}

type Optional = 'os' | 'saveSecret' | 'onLoaded' | 'directoryThere';

/** Of what is wrong with the skills, the user sees so many lines unasked. */
const maxWarnings = 5;

/** Most of what it can do is not needed to begin a conversation, and is loaded when it is. */
export class HomeSkillReader implements SkillReader {
  readonly homePath: string;
  readonly bundlesFolder: string;
  readonly #options: SkillReaderOptions;
  readonly usage: SkillUsage;
  readonly #catalogue: HomeCatalogue;
  readonly #context: ViewContext;
  readonly #disabled: ReadonlySet<string>;
  readonly #own = new WeakSet<SkillAnswer>();
  /** Files of skills that the user was warned of. */
  readonly #suspects = new Set<string>();
  #hasWarned = false;
  #lastIndex: { readonly found: SkillCatalogue; readonly tools: string; readonly text: string } | undefined;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(options: SkillReaderOptions, usage: SkillUsage, authorship: Authorship) {
    const { homePath, settings, surface } = options;
    this.homePath = homePath;
    this.bundlesFolder = options.bundlesFolder ?? join(homePath, 'skill-bundles');
    this.#options = options;
    this.usage = usage;
    this.#catalogue = options.catalogue ?? new HomeCatalogue(homePath);
    this.#disabled = disabledNames(settings, surface);
    this.#context = {
      os: process.platform,
      stored: new Map(),
      authorship,
      saveSecret: (name, value) => setEnvValue(join(homePath, '.env'), name, value),
      onLoaded: () => undefined,
      directoryThere: (directory) => directory,
      ...options,
    };
  }

  async index(): Promise<string> {
    const found = await this.#catalogue.read(this.#roots());
    this.#warnOnce(found.warnings);
    const available = this.#options.available?.();
    const tools = available === undefined ? '?' : [...available.tools, '', ...available.toolsets].join('\n');
    if (this.#lastIndex?.found === found && this.#lastIndex.tools === tools) return this.#lastIndex.text;
    const active = this.#visible(found).filter(({ conditions }) => isActive(conditions, available));
    const text = renderIndex(active, found.categories);
    this.#lastIndex = { found, tools, text };
    return text;
  }

  async list(): Promise<readonly Skill[]> {
    const skills = this.#visible(await this.#catalogue.read(this.#roots()));
    return skills.sort(byCategory);
  }

  async listAnswer(category?: string): Promise<SkillAnswer> {
    mkdirSync(join(this.#options.homePath, 'skills'), { recursive: true });
    const all = await this.list();
    const shown = category === undefined || category === '' ? all : all.filter((skill) => skill.category === category);
    return {
      success: true,
      skills: shown.map(({ name, description, category }) => ({ name, description, category })),
      categories: [...new Set(shown.map(({ category }) => category))],
      count: shown.length,
      ...(all.length === 0 ? { message: 'There are no skills yet.' } : {}),
      hint: 'skill_view(name) loads a skill.',
    };
  }

  async view(name: string, use: SkillUse): Promise<SkillAnswer> {
    const opened = await this.open(name, use);
    if ('refusal' in opened) return opened.refusal;
    const others = this.#besideInPlugin(name);
    // Those of plug-ins are not the home's to count.
    if (others === undefined) await this.usage.count(opened.skill.directoryName, 'view');
    const { describeSkill, withSiblings } = await import('./skill-view.ts');
    const described = describeSkill(opened, this.#context);
    const answer = others === undefined ? described : withSiblings(described, name, others);
    if (opened.isOwnWords) this.#own.add(answer);
    return answer;
  }

  async viewFile(name: string, filePath: string): Promise<SkillAnswer> {
    const { viewFile } = await import('./skill-view.ts');
    const { answer, isOwnWords } = await viewFile(name, filePath, await this.search(), this.#context);
    if (isOwnWords) this.#own.add(answer);
    return answer;
  }

  isOwnWords(answer: SkillAnswer): boolean {
    return this.#own.has(answer);
  }

  async warnings(): Promise<readonly string[]> {
    return (await this.#catalogue.read(this.#roots())).warnings;
  }

  reload(): void {
    this.#catalogue.clear();
  }

  /** Everything that can be found by name, switched off or not. */
  async search(): Promise<SkillSearch> {
    const pluginSkills = this.#options.pluginSkills ?? new Map<string, string>();
    return { catalogue: await this.#catalogue.read(this.#roots()), roots: this.#roots(), pluginSkills };
  }

  /** A skill ready for the model. One after the other: a person is asked for one secret at a time, and for none twice. */
  async open(name: string, use: SkillUse): Promise<OpenedSkill | { readonly refusal: SkillAnswer }> {
    const next = this.#opening.then(() => this.#openNow(name, use));
    // Who opens the next skill does not care how this one ended; who opened this one is answered below.
    this.#opening = next.catch(() => undefined);
    return await next;
  }

  async #openNow(name: string, use: SkillUse): Promise<OpenedSkill | { readonly refusal: SkillAnswer }> {
    const { openSkill } = await import('./skill-view.ts');
    const opened = await openSkill(name, await this.search(), this.#context, use);
    if (!('refusal' in opened)) await this.#warnOfOrders(opened);
    return opened;
  }

  /** The other skills of the plug-in that brings this one; undefined for a skill of the home. */
  #besideInPlugin(name: string): readonly string[] | undefined {
    const all = this.#options.pluginSkills;
    if (all?.has(name) !== true) return undefined;
    const plugin = name.slice(0, name.indexOf(':') + 1);
    return [...all.keys()].filter((other) => other.startsWith(plugin) && other !== name);
  }

  #roots(): readonly string[] {
    const { homePath, settings, environment } = this.#options;
    return skillRoots(homePath, settings.externalDirs, environment);
  }

  #visible({ skills }: SkillCatalogue): Skill[] {
    return skills.filter(
      (skill) => fitsSystem(skill.platforms, this.#context.os) && !isDisabled(skill, this.#disabled),
    );
  }

  /** The skill is loaded all the same: words that give orders also stand in harmless texts. */
  async #warnOfOrders({ skill: { file }, text }: OpenedSkill): Promise<void> {
    const { onWarning } = this.#options;
    if (onWarning === undefined || this.#suspects.has(file)) return;
    const { findInjection } = await import('../safety/skill-guard/guard.ts');
    const [finding] = findInjection(text);
    if (finding === undefined) return;
    this.#suspects.add(file);
    onWarning(`Skill ${file}:${finding.line} ${finding.description}: ${finding.match}`);
  }

  #warnOnce(warnings: readonly string[]): void {
    const { onWarning } = this.#options;
    if (this.#hasWarned || onWarning === undefined) return;
    this.#hasWarned = true;
    for (const line of warnings.slice(0, maxWarnings)) onWarning(line);
    const more = warnings.length - maxWarnings;
    if (more > 0) onWarning(`… and ${more} more about skills: see them with /reload-skills`);
  }
}
