/** `skill_view`: one skill with everything that comes with it, or one of its files. */
import { readFileSync, statSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import type { SkillEnvironment } from '../config/skill-settings.ts';
import { errorMessage } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import type { Authorship } from './authorship.ts';
import { type DeclaredNeeds, withinNeeds } from './declared-needs.ts';
import { availableFiles, type LinkedFiles, linkedFiles } from './linked-files.ts';
import { loadSkill, type LoadedSkill, type SkillSearch } from './load-skill.ts';
import type { Skill, SkillSettings } from './skill.ts';
import { configBlock, hasInlineCommands, prepareBody, type RunInline } from './skill-body.ts';
import { readRelativePath, realPathInside, statOf } from './skill-paths.ts';
import { type AskSecret, checkSetup, type SkillSetup } from './skill-setup.ts';
import { disabledNames, fitsSystem, isDisabled } from './visibility.ts';

/** What one use of a skill brings with it. */
export interface SkillUse {
  readonly signal: AbortSignal;
  readonly sessionId?: string;
  /** Given only where a person sits at the machine itself. */
  readonly askSecret?: AskSecret;
}

/** What a view may reach, the same for all views of one library. */
export interface ViewContext {
  /** The active home, absolute. */
  readonly homePath: string;
  readonly settings: SkillSettings;
  /** The session's surface: `cli`, `telegram` … */
  readonly surface: string;
  readonly environment: SkillEnvironment;
  /** Node's name of the operating system. */
  readonly os: string;
  /** Secrets that were stored since the environment was read. */
  readonly stored: Map<string, string>;
  /** Runs `!`-commands on the host; used only with `skills.inline_shell`. */
  readonly runInline?: RunInline;
  /** Stores a secret that a person typed. */
  readonly saveSecret: (name: string, value: string) => void;
  /** Called with the variables and credential files that a loaded skill may have in sandboxes. Must not throw. */
  readonly onLoaded: (needs: LoadedNeeds) => void;
  /** Where commands find a skill's directory: on another host it has another path. */
  readonly directoryThere: (directory: string) => string;
  readonly authorship: Authorship;
  /** What the owner agreed to when the skill in a directory was installed; undefined where nobody was asked: it is theirs. */
  readonly agreedNeeds?: ((directory: string) => Promise<DeclaredNeeds | undefined>) | undefined;
}

export interface LoadedNeeds {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Real paths of credential files. */
  readonly files: readonly string[];
  /** What it asks for by now, and did not when it was installed. It gets none of it. */
  readonly beyond: readonly string[];
}

/** What the model is answered. */
export type SkillAnswer = { readonly success: boolean; readonly [key: string]: unknown };

/** A skill that is ready for the model. */
export interface OpenedSkill extends LoadedSkill {
  /** Where commands find it. */
  readonly directory: string;
  /** The whole document with tokens filled in. */
  readonly document: string;
  /** The values of its settings as a block; empty when it has none. */
  readonly settings: string;
  readonly setup: SkillSetup;
  /** What is missing, in words; empty when nothing is. */
  readonly setupNote: string;
  /** Nothing in it is somebody else's. */
  readonly isOwnWords: boolean;
}

/** The skill, ready for the model, or the refusal. */
export async function openSkill(
  name: string,
  search: SkillSearch,
  context: ViewContext,
  use: SkillUse,
): Promise<OpenedSkill | { readonly refusal: SkillAnswer }> {
  const found = await findSkill(name, search, context);
  if ('refusal' in found) return found;
  const { skill, text } = found;
  const { facts, beyond } = withinNeeds(found.facts, await context.agreedNeeds?.(skill.directory));
  const askSecret = localSurfaces.has(context.surface) ? use.askSecret : undefined;
  const setup = await checkSetup(skill.name, facts, { ...context, askSecret, signal: use.signal });
  context.onLoaded({ name: skill.name, variables: setup.setVariables, files: setup.files, beyond });
  const directory = context.directoryThere(skill.directory);
  const document = await prepareBody(text, {
    directory,
    sessionId: use.sessionId,
    templateVars: context.settings.templateVars,
    runInline: context.settings.inlineShell ? context.runInline : undefined,
    inlineTimeoutMs: context.settings.inlineShellTimeoutSeconds * 1_000,
    signal: use.signal,
  });
  return {
    ...found,
    facts,
    directory,
    setup,
    document,
    settings: configBlock(facts.config, context.settings.config, context.environment.userHome),
    setupNote: setupNote({ ...found, facts }, setup),
    // What a command printed is nobody's own words.
    isOwnWords:
      !(context.settings.inlineShell && hasInlineCommands(text)) &&
      context.authorship.isOwn(skill, { name: 'SKILL.md', text }),
  };
}

/** Level 1: the document, its files and whether it is ready. */
export function describeSkill(opened: OpenedSkill, context: ViewContext): SkillAnswer {
  const { skill, facts, directory, setup, header, document, settings, setupNote: note } = opened;
  const files = filesOf(opened);
  const needed = note !== '';
  const metadata = header['metadata'];
  return {
    success: true,
    name: skill.name,
    description: skill.description,
    tags: facts.tags,
    related_skills: facts.relatedSkills,
    content: settings === '' ? document : `${document.trimEnd()}\n\n${settings}\n`,
    path: shownPath(opened),
    skill_dir: directory,
    linked_files: files ?? null,
    usage_hint:
      files === undefined ? null : "To read a linked file: skill_view(name, file_path), e.g. 'references/api.md'",
    required_environment_variables: facts.variables.map(({ name, prompt, help, requiredFor }) => ({
      name,
      ...(prompt === undefined ? {} : { prompt }),
      ...(help === undefined ? {} : { help }),
      ...(requiredFor === undefined ? {} : { required_for: requiredFor }),
    })),
    required_commands: facts.commands,
    missing_required_environment_variables: setup.missingVariables,
    missing_credential_files: setup.missingFiles,
    missing_required_commands: setup.missingCommands,
    setup_needed: needed,
    setup_skipped: setup.skipped,
    readiness_status: needed ? 'setup_needed' : 'available',
    ...(needed && facts.setupHelp !== undefined ? { setup_help: facts.setupHelp } : {}),
    ...(needed ? { setup_note: note } : {}),
    ...(needed && !localSurfaces.has(context.surface) ? { gateway_setup_hint: gatewayHint } : {}),
    ...(facts.compatibility === undefined ? {} : { compatibility: facts.compatibility }),
    ...(isJsonObject(metadata) ? { metadata } : {}),
  };
}

/** A skill of a plug-in begins with what else there is of it: nothing lists them. */
export function withSiblings(answer: SkillAnswer, name: string, others: readonly string[]): SkillAnswer {
  const { content } = answer;
  if (typeof content !== 'string') return answer;
  const [plugin = ''] = name.split(':');
  const more = others.length === 0 ? '' : ` Other skills of it, to be loaded by these names: ${others.join(', ')}.`;
  return { ...answer, name, content: `[This skill is part of the plug-in ${plugin}.${more}]\n\n${content}` };
}

/** Level 2: one file of a skill. Links that lead outside are refused. */
export async function viewFile(
  name: string,
  filePath: string,
  search: SkillSearch,
  context: ViewContext,
): Promise<{ readonly answer: SkillAnswer; readonly isOwnWords: boolean }> {
  const found = await findSkill(name, search, context);
  if ('refusal' in found) return { answer: found.refusal, isOwnWords: false };
  const { skill } = found;
  const file = findFile(skill, filePath);
  if ('refusal' in file) return { answer: file.refusal, isOwnWords: false };
  const answer = readLinkedFile(skill.name, file.shown, file.path);
  const { content: text } = answer;
  const isOwnWords = typeof text === 'string' && context.authorship.isOwn(skill, { name: file.shown, text });
  return { answer, isOwnWords };
}

/** The files that come with a skill; a legacy `<name>.md` has none. */
export function filesOf({ skill }: LoadedSkill): LinkedFiles | undefined {
  return basename(skill.file) === 'SKILL.md' ? linkedFiles(skill.directory) : undefined;
}

const localSurfaces: ReadonlySet<string> = new Set(['cli', 'tui']);
const gatewayHint =
  'Secrets are not asked for in chats. On the machine, run `hermes setup`, or put the values into ~/.hermes/.env.';
const maxFileBytes = 1024 * 1024;
const maxNames = 20;

async function findSkill(
  name: string,
  search: SkillSearch,
  context: ViewContext,
): Promise<LoadedSkill | { readonly refusal: SkillAnswer }> {
  let found: LoadedSkill | undefined;
  try {
    found = await loadSkill(name, search);
  } catch (error) {
    return { refusal: { success: false, error: errorMessage(error) } };
  }
  const disabled = disabledNames(context.settings, context.surface);
  if (found === undefined) {
    const names = search.catalogue.skills
      .filter((skill) => fitsSystem(skill.platforms, context.os) && !isDisabled(skill, disabled))
      .map((skill) => skill.name);
    return {
      refusal: {
        success: false,
        error: `Skill '${name.slice(0, 200)}' not found.`,
        available_skills: names.slice(0, maxNames),
        hint: 'Use skills_list to see all skills.',
      },
    };
  }
  if (!fitsSystem(found.skill.platforms, context.os)) {
    return {
      refusal: {
        success: false,
        error: `Skill '${found.skill.name}' is not made for this system (it is for ${found.skill.platforms.join(', ')}).`,
        readiness_status: 'unsupported',
      },
    };
  }
  if (isDisabled(found.skill, disabled)) {
    const command = enablingCommand(found.skill, context);
    const error = `Skill '${found.skill.name}' is disabled. The user can enable it with \`hermes skills config\` or \`${command}\`, for new sessions.`;
    return { refusal: { success: false, error } };
  }
  return found;
}

/** What takes the skill off the list that it stands on. */
function enablingCommand({ name, directoryName }: Skill, { settings, surface }: ViewContext): string {
  const key = Object.hasOwn(settings.platformDisabled, surface) ? `platform_disabled.${surface}` : 'disabled';
  const others = [...disabledNames(settings, surface)].filter((other) => other !== name && other !== directoryName);
  const list = JSON.stringify(others).replaceAll("'", String.raw`'\''`);
  return `hermes config set skills.${key} '${list}'`;
}

function findFile(
  { name, directory, file }: Skill,
  filePath: string,
): { readonly shown: string; readonly path: string } | { readonly refusal: SkillAnswer } {
  const read = readRelativePath(filePath);
  if ('problem' in read) {
    return { refusal: { success: false, error: read.problem, hint: 'Give a path inside the skill.' } };
  }
  const path = join(directory, ...read.parts);
  // A legacy `<name>.md` shares its folder with others, so nothing there is its own.
  if (basename(file) !== 'SKILL.md') {
    return { refusal: { success: false, error: `Skill '${name}' has no files.` } };
  }
  if (statOf(path) === undefined) {
    return {
      refusal: {
        success: false,
        error: `File '${filePath}' not found in skill '${name}'.`,
        available_files: availableFiles(directory),
        hint: 'Use one of the available paths.',
      },
    };
  }
  const real = realPathInside(directory, path);
  if (real === undefined) {
    return {
      refusal: {
        success: false,
        error: `The path leads outside the skill: ${filePath}`,
        hint: 'Give a path inside the skill.',
      },
    };
  }
  return { shown: read.parts.join('/'), path: real };
}

function readLinkedFile(name: string, file: string, path: string): SkillAnswer {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { success: false, error: `${file} is not a file.` };
    if (stat.size > maxFileBytes) {
      return { success: false, error: `${file} is too large to show (${stat.size} bytes).`, size: stat.size };
    }
    const content = readUtf8(path);
    if (content === undefined) return { success: true, name, file, is_binary: true, size: stat.size };
    return { success: true, name, file, content, file_type: extname(file) };
  } catch (error) {
    return { success: false, error: `${file} cannot be read: ${errorMessage(error)}` };
  }
}

/** `undefined` for bytes that are not text. */
function readUtf8(path: string): string | undefined {
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: the model is told that the file is binary.
    return undefined;
  }
}

/** Relative to the folder of skills it lies in. */
function shownPath({ skill }: LoadedSkill): string {
  return relative(skill.root, skill.file).split(sep).join('/') || basename(skill.file);
}

function setupNote({ facts }: LoadedSkill, setup: SkillSetup): string {
  const missing = [
    ...setup.missingVariables.map((name) => `environment variable $${name}`),
    ...setup.missingFiles.map((path) => `file ${path}`),
  ];
  if (missing.length === 0) return '';
  const help = facts.setupHelp === undefined ? '' : ` ${facts.setupHelp}`;
  return `Setup needed before all of this skill works: missing ${missing.join(', ')}.${help}`;
}
