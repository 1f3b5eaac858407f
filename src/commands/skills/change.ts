/** Changing what is installed: install, check, update, audit, uninstall, taps. */
import { isAbsolute, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { userDirectory } from '../../config/home.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { hubOf, installOptions, shown, type SkillsDesk } from './desk.ts';

export interface InstallFlags {
  readonly category?: string;
  readonly name?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

export async function installFromHub(desk: SkillsDesk, identifier: string, flags: InstallFlags): Promise<void> {
  const { installSkill } = await import('../../skill-hub/install.ts');
  const fetched = await (await hubOf(desk)).fetch(identifier, desk.signal);
  const { name, entry, report } = await installSkill(fetched, flags, installOptions(desk, flags.yes === true));
  desk.changed();
  desk.print(`Installed '${name}' to skills/${entry.install_path} (guard: ${report.verdict}, ${entry.content_hash}).`);
  desk.print('New sessions see it.');
}

/** Returns false when a source could not be asked. */
export async function checkSkills(desk: SkillsDesk, name: string | undefined): Promise<boolean> {
  const { checkInstalled } = await import('../../skill-hub/installed.ts');
  const checked = await checkInstalled(desk.homePath, name, await hubOf(desk), desk.signal);
  if (checked.length === 0) desk.print('No skills were installed from the hub.');
  for (const { name: skill, state, reason } of checked) {
    const words = {
      current: 'up to date',
      outdated: 'update available',
      failed: `not checked: ${shown(reason ?? '')}`,
    };
    desk.print(`${skill}  ${words[state]}`);
  }
  return checked.every(({ state }) => state !== 'failed');
}

/** Returns false when something could not be renewed. */
export async function updateSkills(desk: SkillsDesk, name: string | undefined): Promise<boolean> {
  const { checkInstalled, updateInstalled } = await import('../../skill-hub/installed.ts');
  const checked = await checkInstalled(desk.homePath, name, await hubOf(desk), desk.signal);
  let fine = true;
  for (const found of checked) {
    if (found.state === 'current') {
      if (name !== undefined) desk.print(`${found.name}  up to date`);
      continue;
    }
    try {
      if (found.state === 'failed') throw new UserError(found.reason ?? 'The source did not answer.');
      const { state, files = [] } = await updateInstalled(found, installOptions(desk, true));
      if (state === 'updated') desk.print(`${found.name}  updated`);
      else {
        fine = false;
        desk.print(`${found.name}  left alone: changed here (${shown(files.join(', '))}).`);
        desk.print(
          `  To lose the changes: hermes skills install ${shown(found.entry.identifier)} --name ${found.name} --force`,
        );
      }
    } catch (error) {
      if (desk.signal.aborted) throw error;
      fine = false;
      desk.print(`${found.name}  not updated: ${errorMessage(error)}`);
      if (error instanceof UserError && error.hint !== undefined) desk.print(`  ${error.hint}`);
    }
  }
  desk.changed();
  if (checked.every(({ state }) => state === 'current')) desk.print('Everything is up to date.');
  return fine;
}

/** Returns false when a skill is dangerous, missing, or not what was installed. */
export async function auditSkills(desk: SkillsDesk, name: string | undefined): Promise<boolean> {
  const { auditInstalled } = await import('../../skill-hub/installed.ts');
  const { describeFinding } = await import('../../skill-hub/install.ts');
  const audited = auditInstalled(desk.homePath, name);
  if (audited.length === 0) desk.print('No skills were installed from the hub.');
  let fine = true;
  for (const { name: skill, local, report, entry } of audited) {
    if (report === undefined) {
      desk.print(`${skill}  missing on disk. Forget it: hermes skills uninstall ${skill}`);
      fine = false;
      continue;
    }
    desk.print(
      `${skill}  ${report.verdict}  ${local.changed.length === 0 ? 'as installed' : 'CHANGED since it was installed'}  (${shown(entry.identifier)})`,
    );
    if (local.changed.length > 0) desk.print(`  changed: ${shown(local.changed.join(', '), 400)}`);
    for (const finding of report.findings.slice(0, 10)) desk.print(shown(describeFinding(finding), 300));
    if (report.verdict === 'dangerous' || local.changed.length > 0) fine = false;
  }
  return fine;
}

export async function uninstallFromHub(desk: SkillsDesk, name: string): Promise<void> {
  const { uninstallSkill } = await import('../../skill-hub/installed.ts');
  const path = await uninstallSkill(desk.homePath, name);
  desk.changed();
  desk.print(`Removed ${path}.`);
}

export async function listTaps(desk: SkillsDesk): Promise<void> {
  const { defaultTaps, readTaps } = await import('../../skill-hub/hub-files.ts');
  for (const { repo, path } of defaultTaps) desk.print(`${repo}  ${path}  (always)`);
  for (const { repo, path } of readTaps(desk.homePath)) desk.print(`${shown(repo)}  ${shown(path)}`);
}

/** `what` is `owner/name`, its address on GitHub, or a folder on this machine. */
export async function addTap(desk: SkillsDesk, what: string, path: string): Promise<void> {
  const { defaultTaps, readTaps, withHubLock, writeTaps } = await import('../../skill-hub/hub-files.ts');
  const { repositoryName } = await import('../../skill-hub/sources/github.ts');
  const isFolder = isAbsolute(what) || /^(?:\.{1,2}|~)(?:[\\/]|$)/.test(what);
  const expanded = what.replace(/^~(?=[\\/]|$)/, () => userDirectory(desk.env));
  const repo = isFolder ? resolve(desk.cwd, expanded) : repositoryName(what);
  if (repo === undefined || (isFolder && !existsSync(repo))) {
    throw new UserError(`'${shown(what)}' is ${isFolder ? 'not a folder that exists' : 'no repository'}.`, {
      exitCode: 2,
      hint: 'Write <owner>/<repository>, or the path of a folder.',
    });
  }
  if (path.split(/[\\/]/).includes('..') || isAbsolute(path)) {
    throw new UserError('--path must be a folder inside the repository.', { exitCode: 2 });
  }
  await withHubLock(desk.homePath, () => {
    const taps = readTaps(desk.homePath);
    const same = (tap: { readonly repo: string }): boolean => tap.repo.toLowerCase() === repo.toLowerCase();
    if (taps.some(same) || defaultTaps.some(same)) throw new UserError(`${repo} is a tap already.`);
    writeTaps(desk.homePath, [...taps, { repo, path }]);
  });
  desk.print(`Added ${repo}.`);
}

export async function removeTap(desk: SkillsDesk, what: string): Promise<void> {
  const { readTaps, withHubLock, writeTaps } = await import('../../skill-hub/hub-files.ts');
  await withHubLock(desk.homePath, () => {
    const taps = readTaps(desk.homePath);
    const names = new Set([what.toLowerCase(), resolve(desk.cwd, what).toLowerCase()]);
    const left = taps.filter(({ repo }) => !names.has(repo.toLowerCase()));
    if (left.length === taps.length) {
      throw new UserError(`'${shown(what)}' is not a tap that can be removed.`, {
        hint: 'See: hermes skills tap list',
      });
    }
    writeTaps(desk.homePath, left);
  });
  desk.print(`Removed ${shown(what)}. Skills that came from it stay.`);
}
