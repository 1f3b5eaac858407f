/** Which skills a session is shown: operating system, disabled lists, and what its tools make useful. */
import type { AvailableTools, Skill, SkillConditions, SkillSettings } from './skill.ts';

/** True where the skill can work; `os` is Node's name of the operating system. */
export function fitsSystem(platforms: readonly string[], os: string): boolean {
  return platforms.length === 0 || platforms.some((platform) => os.startsWith(systemNames[platform] ?? platform));
}

/** The names that are switched off for a surface; its own list replaces the general one. */
export function disabledNames(settings: SkillSettings, surface: string): ReadonlySet<string> {
  const own = Object.hasOwn(settings.platformDisabled, surface) ? settings.platformDisabled[surface] : undefined;
  return new Set(own ?? settings.disabled);
}

export function isDisabled(skill: Skill, disabled: ReadonlySet<string>): boolean {
  return disabled.has(skill.name) || disabled.has(skill.directoryName);
}

/** For the index only: a skill that another tool makes needless, or that lacks its tools, is not advertised. */
export function isActive(conditions: SkillConditions, available: AvailableTools | undefined): boolean {
  if (available === undefined) return true;
  const { tools, toolsets } = available;
  return (
    !conditions.fallbackForToolsets?.some((name) => toolsets.has(name)) &&
    !conditions.fallbackForTools?.some((name) => tools.has(name)) &&
    (conditions.requiresToolsets?.every((name) => toolsets.has(name)) ?? true) &&
    (conditions.requiresTools?.every((name) => tools.has(name)) ?? true)
  );
}

/** The order of lists: by category, then by name. */
export function byCategory(a: Skill, b: Skill): number {
  return compare(a.category, b.category) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const systemNames: Readonly<Record<string, string>> = { macos: 'darwin', linux: 'linux', windows: 'win32' };
