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
import type { OpenedSkill, SkillAnswer, SkillUse, ViewContext } from './skill-view.ts';
import { commandName } from './command-name.ts';
import type { SkillCommand } from './skill-command.ts';
import type { FoundBundles } from './bundles.ts';
import { openPendingChanges, type PendingChange } from './authoring/pending-writes.ts';
import type { ManageRequest } from './authoring/skill-change.ts';
import type { ChangeApprovals, ManageContext, SkillProposal } from './authoring/skill-manage.ts';
import { openUsage, type SkillUsage } from './usage.ts';
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
  /** Told which variables and credential files a loaded skill may have in sandboxes for the session. Must not throw. */
  readonly onLoaded?: ViewContext['onLoaded'];
  /**
   * Told what the user should look at: once, when the index is first asked for, what could not be used; and once each
   * skill that was loaded and reads like an order to the model.
   */
  readonly onWarning?: (line: string) => void;
  /** `background_review` where nobody asked for the changes; such skills are the agent's own. Default `foreground`. */
  readonly origin?: ManageContext['origin'];
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
  /** What `skill_manage` answers. With `skills.write_approval` the change is only noted down for the user to review. */
  manage(request: ManageRequest, approvals: ChangeApprovals, signal: AbortSignal): Promise<SkillAnswer>;
  /** What a change would do, or why it cannot be made. Changes nothing. */
  propose(request: ManageRequest): Promise<SkillProposal | { readonly problem: SkillAnswer }>;
  /** Makes a change, if it still is the expected one. */
  apply(
    request: ManageRequest,
    options: { readonly expecting: SkillProposal | undefined },
    signal: AbortSignal,
  ): Promise<SkillAnswer>;
  /** Notes a change down for the user to review. */
  stage(request: ManageRequest): Promise<SkillAnswer>;
  /** Changes that wait for the user. */
  readonly pending: PendingReview;
  /** What can be typed as `/name`: bundles first, then the visible skills that no bundle hides. */
  commands(): Promise<readonly SkillCommand[]>;
  /** The user message for `/name text`; `undefined` when no skill or bundle has that name, an error text when it cannot be loaded. */
  command(name: string, text: string, use: SkillUse): Promise<CommandAnswer | undefined>;
  /** Loads skills for a whole session, each once. */
  preload(names: readonly string[], use: SkillUse): Promise<PreloadedSkills>;
  readonly usage: SkillUsage;
  /** Groups of skills that one command loads, with what is wrong with their files. */
  bundles(): Promise<FoundBundles>;
  /** One line for each thing on disk that could not be used. */
  warnings(): Promise<readonly string[]>;
  /** Looks at the disk anew. */
  reload(): void;
}

export interface PendingReview {
  list(): readonly PendingChange[];
  /** A unified diff against what is on disk now; `undefined` for an unknown id. */
  diff(id: string): Promise<string | undefined>;
  /** Makes the change if it still fits, and only then forgets it. */
  approve(id: string, signal: AbortSignal): Promise<SkillAnswer>;
  /** False for an unknown id. */
  reject(id: string): boolean;
}

export type CommandAnswer = { readonly message: string } | { readonly error: string };

export interface PreloadedSkills {
  /** Empty when nothing was loaded. */
  readonly text: string;
  readonly loaded: readonly string[];
  /** Names that could not be loaded. */
  readonly missing: readonly string[];
}

/** Of what is wrong with the skills, the user is told so many lines unasked. */
const mostWarnings = 5;

/** Opens nothing until it is asked. */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const { homePath, settings, surface, env, os = process.platform } = options;
  const roots = () => skillRoots(homePath, settings.externalDirs, env);
  const catalogue = openCatalogue(homePath, roots);
  const disabled = disabledNames(settings, surface);

  function visible({ skills }: SkillCatalogue): Skill[] {
    return skills.filter((skill) => fitsSystem(skill.platforms, os) && !isDisabled(skill, disabled));
  }

  const now = options.now ?? (() => new Date());
  const usage = openUsage(homePath, now);
  const pending = openPendingChanges(homePath, now);
  const context: ViewContext = {
    homePath,
    settings,
    surface,
    env,
    os,
    stored: new Map(),
    runInline: options.runInline,
    saveSecret: options.saveSecret ?? ((name, value) => setEnvValue(join(homePath, '.env'), name, value)),
    onLoaded: options.onLoaded ?? (() => undefined),
  };
  const places = async (): Promise<SkillPlaces> => ({
    catalogue: await catalogue.read(),
    roots: roots(),
    pluginSkills: options.pluginSkills ?? new Map(),
  });

  const manageContext: ManageContext = {
    homePath,
    guard: settings.guardAgentCreated,
    origin: options.origin ?? 'foreground',
    usage,
    pending,
    places,
    changed: () => catalogue.clear(),
  };

  let openings: Promise<unknown> = Promise.resolve();

  /** One after the other: a person is asked for one secret at a time, and for none twice. */
  function open(name: string, use: SkillUse): ReturnType<typeof openNow> {
    const next = openings.then(() => openNow(name, use));
    openings = next.catch(() => undefined);
    return next;
  }

  async function openNow(name: string, use: SkillUse) {
    const { openSkill } = await import('./skill-view.ts');
    const opened = await openSkill(name, await places(), context, use);
    if ('refusal' in opened) return opened;
    await warnOfOrders(opened);
    return opened;
  }

  const suspects = new Set<string>();

  /** The skill is loaded all the same: words that give orders also stand in harmless texts. */
  async function warnOfOrders({ skill: { file }, text }: OpenedSkill): Promise<void> {
    if (options.onWarning === undefined || suspects.has(file)) return;
    const { findInjection } = await import('../safety/skill-guard/guard.ts');
    const [finding] = findInjection(text);
    if (finding === undefined) return;
    suspects.add(file);
    options.onWarning(`Skill ${file}:${finding.line} ${finding.description}: ${finding.match}`);
  }

  let toldWarnings = false;

  function tellWarnings({ warnings }: SkillCatalogue): void {
    if (toldWarnings || options.onWarning === undefined) return;
    toldWarnings = true;
    for (const line of warnings.slice(0, mostWarnings)) options.onWarning(line);
    const more = warnings.length - mostWarnings;
    if (more > 0) options.onWarning(`… and ${more} more about skills: see them with /reload-skills`);
  }

  /** Each skill once; the names of those that cannot be had. */
  async function openAll(names: readonly string[], use: SkillUse) {
    const opened = new Map<string, OpenedSkill>();
    const missing: string[] = [];
    for (const name of new Set(names.map((entry) => entry.trim()).filter((entry) => entry !== ''))) {
      const skill = await open(name, use);
      if ('refusal' in skill) missing.push(name);
      else if (!opened.has(skill.skill.file)) {
        opened.set(skill.skill.file, skill);
        await usage.count(skill.skill.directoryName, 'use');
      }
    }
    return { opened: [...opened.values()], missing };
  }

  let lastIndex: { readonly found: SkillCatalogue; readonly tools: string; readonly text: string } | undefined;

  async function list(): Promise<readonly Skill[]> {
    const skills = visible(await catalogue.read());
    return skills.sort((a, b) => compare(a.category, b.category) || compare(a.name, b.name));
  }

  async function stage(request: ManageRequest): Promise<SkillAnswer> {
    const { stageChange } = await import('./authoring/skill-manage.ts');
    return await stageChange(request, manageContext);
  }

  return {
    async index() {
      const found = await catalogue.read();
      tellWarnings(found);
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
      const { describeSkill } = await import('./skill-view.ts');
      return describeSkill(opened, context);
    },
    async manage(request, approvals, signal) {
      if (settings.writeApproval) return await stage(request);
      const { makeChange } = await import('./authoring/skill-manage.ts');
      return await makeChange(request, manageContext, approvals, signal);
    },
    async propose(request) {
      const { proposeChange } = await import('./authoring/skill-manage.ts');
      return await proposeChange(request, manageContext);
    },
    async apply(request, { expecting }, signal) {
      const { makeChange } = await import('./authoring/skill-manage.ts');
      const approvals: ChangeApprovals = {
        findings: () => Promise.resolve(true),
        change: (diff) => Promise.resolve(expecting === undefined || diff === expecting.diff),
      };
      return await makeChange(request, manageContext, approvals, signal);
    },
    stage,
    pending: reviewPending(manageContext),
    async commands() {
      const { bundles } = await bundlesOf(homePath);
      const commands = new Map<string, SkillCommand>();
      for (const { slug, description } of bundles) commands.set(slug, { name: slug, description, kind: 'bundle' });
      for (const { name: skillName, description } of await list()) {
        const name = commandName(skillName);
        if (name !== '' && !commands.has(name)) commands.set(name, { name, description, kind: 'skill' });
      }
      return [...commands.values()];
    },
    async command(name, text, use) {
      const wanted = commandName(name);
      const bundle = (await bundlesOf(homePath)).bundles.find(({ slug }) => slug === wanted);
      if (bundle !== undefined) {
        const { opened, missing } = await openAll(bundle.skills, use);
        const { bundleMessage } = await import('./skill-command.ts');
        return { message: bundleMessage(bundle, opened, missing, text) };
      }
      const skill = (await list()).find((entry) => commandName(entry.name) === wanted);
      if (skill === undefined) return undefined;
      const opened = await open(skill.directoryName, use);
      if ('refusal' in opened) return { error: errorOf(opened.refusal) };
      await usage.count(opened.skill.directoryName, 'use');
      const { skillMessage } = await import('./skill-command.ts');
      return { message: skillMessage(opened, text) };
    },
    async preload(names, use) {
      const { opened, missing } = await openAll(names, use);
      const { preloadText } = await import('./skill-command.ts');
      return { text: preloadText(opened), loaded: opened.map(({ skill }) => skill.name), missing };
    },
    usage,
    bundles: () => bundlesOf(homePath),
    async viewFile(name, filePath) {
      const { viewFile } = await import('./skill-view.ts');
      return await viewFile(name, filePath, await places(), context);
    },
    warnings: async () => (await catalogue.read()).warnings,
    reload: () => catalogue.clear(),
  };
}

/** Most of what a library can do is not needed to begin a conversation, and is loaded when it is. */
async function bundlesOf(homePath: string): Promise<FoundBundles> {
  const { readBundles } = await import('./bundles.ts');
  return await readBundles(homePath);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function reviewPending(context: ManageContext): PendingReview {
  const { pending } = context;
  return {
    list: () => pending.list(),
    async diff(id) {
      const change = pending.find(id);
      if (change === undefined) return undefined;
      const { diffChange } = await import('./authoring/skill-manage.ts');
      return await diffChange(change.request, context);
    },
    async approve(id, signal) {
      const change = pending.find(id);
      if (change === undefined) return { success: false, error: `No change '${id}' is waiting.` };
      const origin = change.origin === 'background_review' ? 'background_review' : 'foreground';
      const { makeChange } = await import('./authoring/skill-manage.ts');
      // The person has the diff before them, so what the guard would ask is answered.
      const answer = await makeChange(
        change.request,
        { ...context, origin },
        { findings: () => Promise.resolve(true) },
        signal,
      );
      if (answer.success) pending.remove(id);
      return answer;
    },
    reject(id) {
      if (pending.find(id) === undefined) return false;
      pending.remove(id);
      return true;
    },
  };
}

function errorOf({ error }: SkillAnswer): string {
  return typeof error === 'string' ? error : 'The skill cannot be loaded.';
}
