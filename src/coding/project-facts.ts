/** What the files of a project say about working on it: its manifests, its package managers, how it is checked. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../lib/json.ts';
import { contextFiles, manifests } from './workspace.ts';

export interface ProjectFacts {
  readonly root: string;
  readonly manifests: readonly string[];
  readonly packageManagers: readonly string[];
  /** At most eight shell commands that check the project. */
  readonly verifyCommands: readonly string[];
  readonly contextFiles: readonly string[];
}

const lockFiles: readonly (readonly [file: string, manager: string])[] = [
  ['uv.lock', 'uv'],
  ['poetry.lock', 'poetry'],
  ['Pipfile.lock', 'pipenv'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lockb', 'bun'],
  ['bun.lock', 'bun'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];
const scriptManagers = ['pnpm', 'bun', 'yarn', 'npm'];
const checks = ['test', 'tests', 'lint', 'typecheck', 'check', 'build', 'fmt', 'format'];
const maxCommands = 8;
const maxFileBytes = 256 * 1024;

const packageShape = z.object({ scripts: z.record(z.string(), z.unknown()).catch({}) }).catch({ scripts: {} });

export function projectFacts(root: string): ProjectFacts {
  const has = (name: string): boolean => existsSync(join(root, name));
  const managers = [...new Set(lockFiles.filter(([file]) => has(file)).map(([, manager]) => manager))];
  return {
    root,
    manifests: manifests.filter(has),
    packageManagers: managers,
    verifyCommands: verifyCommands(root, managers, has),
    contextFiles: contextFiles.filter(has),
  };
}

function verifyCommands(root: string, managers: readonly string[], has: (name: string) => boolean): string[] {
  const commands: string[] = [];
  if (has('scripts/run_tests.sh')) commands.push('scripts/run_tests.sh');
  const { scripts } = packageShape.parse(parseJson(textOf(join(root, 'package.json'))));
  const manager = managers.find((name) => scriptManagers.includes(name)) ?? 'npm';
  for (const name of checks) if (Object.hasOwn(scripts, name)) commands.push(`${manager} run ${name}`);
  if (has('pytest.ini') || textOf(join(root, 'pyproject.toml')).includes('[tool.pytest')) commands.push('pytest');
  const makefile = textOf(join(root, 'Makefile'));
  for (const name of checks) if (new RegExp(`^${name}\\s*:(?!=)`, 'm').test(makefile)) commands.push(`make ${name}`);
  return commands.slice(0, maxCommands);
}

/** Empty for what is not there, cannot be read, or is too large to be written by hand. */
function textOf(path: string): string {
  try {
    return statSync(path).size > maxFileBytes ? '' : readFileSync(path, 'utf8');
  } catch {
    // A project without this file has nothing to say in it.
    return '';
  }
}
