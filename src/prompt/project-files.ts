/** The rule files of a project: the one kind that counts in a directory, as a part of the prompt. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import type { Source } from '../llm/source.ts';
import { admitText, type FileRules, readRuleFile, type RuleTextLimits, trustedOwners } from './rule-text.ts';

export interface ProjectFilesOptions extends RuleTextLimits {
  /** Absolute. */
  readonly cwd: string;
}

export interface ProjectContext {
  /** The `# Project Context` part; empty when no file counts. */
  readonly text: string;
  readonly warnings: readonly string[];
}

interface Section {
  readonly label: string;
  readonly text: string;
}

const heading = '# Project Context';

/** Rules of a project are whoever's who wrote the project. `prompt` is a system prompt as it was sent. */
export function sourcesOfPrompt(prompt: string): readonly Source[] {
  return prompt.includes(`\n${heading}\n`) ? [{ from: 'file', name: 'project rules' }] : [];
}

/** Looks for one kind after the other; the first that has text is the only one taken. Never throws. */
export function readProjectContext(options: ProjectFilesOptions): ProjectContext {
  const warnings: string[] = [];
  const { cwd, names: wanted } = options;
  const kinds: readonly (() => readonly Section[])[] = [
    () => ownRules(options, warnings),
    () => firstOf(cwd, ['AGENTS.md', 'agents.md'].filter(wanted), options, warnings),
    () => firstOf(cwd, ['CLAUDE.md', 'claude.md'].filter(wanted), options, warnings),
    () => cursorRules(options, warnings),
  ];
  for (const kind of kinds) {
    const sections = kind();
    if (sections.length > 0) return { text: render(sections), warnings };
  }
  return { text: '', warnings };
}

function render(sections: readonly Section[]): string {
  return [
    heading,
    'The following project context files have been loaded and should be followed:',
    ...sections.map(({ label, text }) => `## ${label}\n\n${text}`),
  ].join('\n\n');
}

/** `.hermes.md` and `HERMES.md` are also looked for above the directory, up to the root of the repository. */
function ownRules(options: ProjectFilesOptions, warnings: string[]): Section[] {
  const names = ['.hermes.md', 'HERMES.md'].filter(options.names);
  if (names.length === 0) return [];
  for (let directory = options.cwd; ; directory = dirname(directory)) {
    const owners = directory === options.cwd ? undefined : trustedOwners(options.cwd);
    const found = firstOf(directory, names, { ...options, owners }, warnings, withoutFrontmatter);
    if (found.length > 0) return found;
    if (existsSync(join(directory, '.git')) || dirname(directory) === directory) return [];
  }
}

function firstOf(
  directory: string,
  names: readonly string[],
  limits: RuleTextLimits & FileRules,
  warnings: string[],
  change: (text: string) => string = (text) => text,
): Section[] {
  for (const name of names) {
    const section = readSection(join(directory, name), name, limits, warnings, change);
    if (section !== undefined) return [section];
  }
  return [];
}

function readSection(
  path: string,
  label: string,
  limits: RuleTextLimits & FileRules,
  warnings: string[],
  change: (text: string) => string,
): Section | undefined {
  const found = readRuleFile(path, limits);
  if (found === undefined) return undefined;
  if ('warning' in found) {
    warnings.push(found.warning);
    return undefined;
  }
  const text = change(found.text);
  if (text === '') return undefined;
  const admitted = admitText({ path, label, text }, limits);
  warnings.push(...admitted.warnings);
  return { label, text: admitted.text };
}

const maxCursorRules = 100;

function cursorRules(options: ProjectFilesOptions, warnings: string[]): Section[] {
  if (!options.names('.cursorrules')) return [];
  const same = (text: string): string => text;
  const sections = firstOf(options.cwd, ['.cursorrules'], options, warnings);
  // Many small files must not add up to what one large file may not be.
  let left = options.maxChars;
  for (const name of cursorRuleNames(join(options.cwd, '.cursor', 'rules'), warnings)) {
    const path = join(options.cwd, '.cursor', 'rules', name);
    const section = readSection(path, `.cursor/rules/${name}`, options, warnings, same);
    if (section === undefined) continue;
    if (section.text.length > left) {
      warnings.push(`${path}: left out, the rules are longer than ${options.maxChars} characters together.`);
      continue;
    }
    left -= section.text.length;
    sections.push(section);
  }
  return sections;
}

function cursorRuleNames(directory: string, warnings: string[]): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.mdc'));
    if (names.length > maxCursorRules) warnings.push(`${directory}: only the first ${maxCursorRules} rules are used.`);
    return names.sort().slice(0, maxCursorRules);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warnings.push(`${directory}: cannot be read (${code ?? 'unknown'}).`);
    return [];
  }
}

/** A header alone is kept: then it is what the file has to say. */
function withoutFrontmatter(text: string): string {
  const body = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n([\s\S]*))?$/.exec(text)?.[1]?.trim();
  return body === undefined || body === '' ? text : body;
}
