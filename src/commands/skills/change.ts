/** Changing what is installed: install, check, update, audit, uninstall, taps. */
import { isAbsolute, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { userDirectory } from '../../config/home.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { hubOf, installOptions, shown, type SkillsSurface } from './skills-surface.ts';

export interface InstallFlags {
  readonly category?: string;
  readonly name?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

export async function installFromHub(surface: SkillsSurface, identifier: string, flags: InstallFlags): Promise<void> {
  const { installSkill } = await import('../../skill-hub/install.ts');
  const fetched = await (await hubOf(surface)).fetch(identifier, surface.signal);
  const { name, entry, report } = await installSkill(fetched, flags, installOptions(surface, flags.yes === true));
  surface.changed();
  surface.print(
    `Installed '${name}' to skills/${entry.install_path} (guard: ${report.verdict}, ${entry.content_hash}).`,
  );
  surface.print('New sessions see it.');
  const { suggestJob } = await import('./suggest-job.ts');
  await suggestJob(surface, name, fetched);
}

/** Returns false when a source could not be asked. */
export async function checkSkills(surface: SkillsSurface, name: string | undefined): Promise<boolean> {
  const { checkInstalled } = await import('../../skill-hub/installed.ts');
  const checked = await checkInstalled(surface.homePath, name, await hubOf(surface), surface.signal);
  if (checked.length === 0) surface.print('No skills were installed from the hub.');
  for (const { name: skill, state, reason } of checked) {
    const words = {
      current: 'up to date',
      outdated: 'update available',
      failed: `not checked: ${shown(reason ?? '')}`,
    };
    surface.print(`${skill}  ${words[state]}`);
  }
  return checked.every(({ state }) => state !== 'failed');
}

/** Returns false when something could not be renewed. */
export async function updateSkills(surface: SkillsSurface, name: string | undefined): Promise<boolean> {
  const { checkInstalled, updateInstalled } = await import('../../skill-hub/installed.ts');
  const checked = await checkInstalled(surface.homePath, name, await hubOf(surface), surface.signal);
  let fine = true;
  for (const found of checked) {
    if (found.state === 'current') {
      if (name !== undefined) surface.print(`${found.name}  up to date`);
      continue;
    }
    try {
      if (found.state === 'failed') throw new UserError(found.reason ?? 'The source did not answer.');
      const { state, files = [] } = await updateInstalled(found, installOptions(surface, true));
      if (state === 'updated') surface.print(`${found.name}  updated`);
      else {
        fine = false;
        surface.print(`${found.name}  left alone: changed here (${shown(files.join(', '))}).`);
        surface.print(
          `  To lose the changes: hermes skills install ${shown(found.entry.identifier)} --name ${found.name} --force`,
        );
      }
    } catch (error) {
      if (surface.signal.aborted) throw error;
      fine = false;
      surface.print(`${found.name}  not updated: ${errorMessage(error)}`);
      if (error instanceof UserError && error.hint !== undefined) surface.print(`  ${error.hint}`);
    }
  }
  surface.changed();
  if (checked.every(({ state }) => state === 'current')) surface.print('Everything is up to date.');
  return fine;
}

/** Returns false when a skill is dangerous, missing, or not what was installed. */
export async function auditSkills(surface: SkillsSurface, name: string | undefined, deep = false): Promise<boolean> {
  const { auditInstalled } = await import('../../skill-hub/installed.ts');
  const { describeFinding } = await import('../../skill-hub/install.ts');
  const audited = auditInstalled(surface.homePath, name);
  if (audited.length === 0) surface.print('No skills were installed from the hub.');
  let fine = true;
  for (const { name: skill, local, report, entry } of audited) {
    if (report === undefined) {
      surface.print(`${skill}  missing on disk. Forget it: hermes skills uninstall ${skill}`);
      fine = false;
      continue;
    }
    surface.print(
      `${skill}  ${report.verdict}  ${local.changed.length === 0 ? 'as installed' : 'CHANGED since it was installed'}  (${shown(entry.identifier)})`,
    );
    if (local.changed.length > 0) surface.print(`  changed: ${shown(local.changed.join(', '), 400)}`);
    for (const finding of report.findings.slice(0, 10)) surface.print(shown(describeFinding(finding), 300));
    for (const line of deep ? await deepLines(surface.homePath, entry.install_path) : []) surface.print(line);
    if (report.verdict === 'dangerous' || local.changed.length > 0) fine = false;
  }
  return fine;
}

/** What the Python of a skill calls, for a person to judge: programs have good reasons for most of it. */
async function deepLines(homePath: string, installPath: string): Promise<string[]> {
  const { readSkillFiles } = await import('../../skills/skill-files.ts');
  const { pythonCalls } = await import('../../safety/skill-guard/python-calls.ts');
  const files = readSkillFiles(join(homePath, 'skills', ...installPath.split('/')));
  const python = files.filter(({ path }) => /\.pyw?$/i.test(path));
  const found = python.flatMap(({ path, text = '' }) => pythonCalls(text).map((call) => ({ path, ...call })));
  return [
    `  ${python.length} Python file(s) followed, ${found.length} call(s) worth a look`,
    ...found.slice(0, 50).map(({ path, line, call, why }) => `    ${shown(`${path}:${line}  ${call}`, 300)}  ${why}`),
  ];
}

export async function uninstallFromHub(surface: SkillsSurface, name: string): Promise<void> {
  const { uninstallSkill } = await import('../../skill-hub/installed.ts');
  const path = await uninstallSkill(surface.homePath, name);
  surface.changed();
  surface.print(`Removed ${path}.`);
}

export async function listTaps(surface: SkillsSurface): Promise<void> {
  const { defaultTaps, readTaps } = await import('../../skill-hub/hub-files.ts');
  for (const { repo, path } of defaultTaps) surface.print(`${repo}  ${path}  (always)`);
  for (const { repo, path } of readTaps(surface.homePath)) surface.print(`${shown(repo)}  ${shown(path)}`);
}

/** `what` is `owner/name`, its address on GitHub, or a folder on this machine. */
export async function addTap(surface: SkillsSurface, what: string, path: string): Promise<void> {
  const { defaultTaps, readTaps, withHubLock, writeTaps } = await import('../../skill-hub/hub-files.ts');
  const { repositoryName } = await import('../../skill-hub/sources/github.ts');
  const isFolder = isAbsolute(what) || /^(?:\.{1,2}|~)(?:[\\/]|$)/.test(what);
  const expanded = what.replace(/^~(?=[\\/]|$)/, () => userDirectory(surface.env));
  const repo = isFolder ? resolve(surface.cwd, expanded) : repositoryName(what);
  if (repo === undefined || (isFolder && !existsSync(repo))) {
    throw new UserError(`'${shown(what)}' is ${isFolder ? 'not a folder that exists' : 'no repository'}.`, {
      exitCode: 2,
      hint: 'Write <owner>/<repository>, or the path of a folder.',
    });
  }
  if (path.split(/[\\/]/).includes('..') || isAbsolute(path)) {
    throw new UserError('--path must be a folder inside the repository.', { exitCode: 2 });
  }
  await withHubLock(surface.homePath, () => {
    const taps = readTaps(surface.homePath);
    const same = (tap: { readonly repo: string }): boolean => tap.repo.toLowerCase() === repo.toLowerCase();
    if (taps.some(same) || defaultTaps.some(same)) throw new UserError(`${repo} is a tap already.`);
    writeTaps(surface.homePath, [...taps, { repo, path }]);
  });
  surface.print(`Added ${repo}.`);
}

export async function removeTap(surface: SkillsSurface, what: string): Promise<void> {
  const { readTaps, withHubLock, writeTaps } = await import('../../skill-hub/hub-files.ts');
  await withHubLock(surface.homePath, () => {
    const taps = readTaps(surface.homePath);
    const names = new Set([what.toLowerCase(), resolve(surface.cwd, what).toLowerCase()]);
    const left = taps.filter(({ repo }) => !names.has(repo.toLowerCase()));
    if (left.length === taps.length) {
      throw new UserError(`'${shown(what)}' is not a tap that can be removed.`, {
        hint: 'See: hermes skills tap list',
      });
    }
    writeTaps(surface.homePath, left);
  });
  surface.print(`Removed ${shown(what)}. Skills that came from it stay.`);
}
