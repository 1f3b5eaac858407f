/** The folders that skills are looked for in, in order of precedence. */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SkillEnvironment } from '../config/skill-settings.ts';
import { statOf } from './skill-paths.ts';

/**
 * The home's own folder first, then `skills.external_dirs` with `~` and `${VAR}` filled in, absolute, each once. Missing
 * ones and the own folder are left out; relative paths start at the home.
 */
export function skillRoots(homePath: string, externalDirs: readonly string[], environment: SkillEnvironment): string[] {
  const own = join(homePath, 'skills');
  if (externalDirs.length === 0) return [own];
  const seen = new Set([realOrSame(own)]);
  const roots = [own];
  for (const entry of externalDirs) {
    const path = resolve(homePath, expandPath(entry.trim(), environment));
    if (entry.trim() === '' || statOf(path)?.isDirectory() !== true || seen.has(realOrSame(path))) continue;
    seen.add(realOrSame(path));
    roots.push(path);
  }
  return roots;
}

/** The path with `~` at its start filled in. */
export function expandTilde(path: string, userHome: string): string {
  return path === '~' || path.startsWith('~/') ? userHome + path.slice(1) : path;
}

/** Unknown variables stay as they are written. */
function expandPath(path: string, { userHome, variable }: SkillEnvironment): string {
  return expandTilde(
    path.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => variable(name) ?? whole),
    userHome,
  );
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is there: then only its name can be compared.
    return path;
  }
}
