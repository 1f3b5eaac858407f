/** A plug-in from a registry that takes its place as one folder, with all that it needs inside of it. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagesFolder } from '../packages/discover.ts';
import { readPackage } from '../packages/manifest.ts';
import { measureFolder } from './measure-folder.ts';
import { npmInstall, type NpmPlace } from './npm-program.ts';
import { recordWish } from './npm-record.ts';
import type { NpmSpec } from './npm-spec.ts';
import { putInPlace } from './stage.ts';
import {
  checkedName,
  guardFindings,
  manifestFacts,
  notesIn,
  readable,
  refuse,
  type StagedPlugin,
} from './staged-plugin.ts';

const keyword = 'hermes-plugin';

export interface StagedPackage extends StagedPlugin {
  /** The packages that it brings. Nobody has looked at their code. */
  readonly others: readonly string[];
}

/** Brings a package into `place.folder`, which is empty, and returns where it lies there. Throws `UserError`. */
export async function bringPackage({ name, wanted }: NpmSpec, place: NpmPlace): Promise<string> {
  writeFileSync(join(place.folder, 'package.json'), '{ "private": true }\n');
  await npmInstall(`${name}@${wanted}`, place);
  const packages = packagesFolder(place.folder);
  const folder = join(packages, name);
  if (!existsSync(folder)) refuse('npm has brought nothing under its name');
  for (const peer of packagesIn(packages)) {
    if (peer !== name) moveInto(packages, peer, folder);
  }
  return folder;
}

/** What it wants to have beside it is for it alone here: another plug-in may want another version. */
function moveInto(packages: string, peer: string, folder: string): void {
  const target = join(packagesFolder(folder), peer);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(packages, peer), target);
}

function packagesIn(packages: string): readonly string[] {
  return readdirSync(packages).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(packages, name)).map((inner) => `${name}/${inner}`) : [name];
  });
}

/**
 * Looks at the folder of a package; nothing of it is run. Throws `UserError` for one that cannot be taken: another name
 * than was asked for, no keyword, no code, a link that leads out, too much, a manifest of another kind.
 */
export async function lookAtPackage(folder: string, packageName: string): Promise<StagedPackage> {
  const { excess, leadOut, packages: others } = measureFolder(folder);
  if (excess !== undefined) refuse(excess);
  const [link] = leadOut;
  if (link !== undefined) refuse(`${JSON.stringify(link)} is a link that leads out of it`);
  const manifest = await readable('its plugin.yaml', () => readPackage(folder));
  if (manifest === undefined) refuse('its package.json does not say where its code is, as "hermes": {"plugin": "…"}');
  const { keywords, name, data, entry } = manifest;
  if (manifest.packageName !== packageName) {
    refuse(`its package.json calls it ${JSON.stringify(manifest.packageName.slice(0, 100))}`);
  }
  if (!keywords.includes(keyword)) refuse(`its package.json does not have the keyword ${keyword}`);
  if (entry === undefined) refuse('the code that its package.json names is not in it');
  return {
    // The name of a package has been looked at already, and may have a scope.
    name: name === packageName ? name : checkedName(name),
    folder,
    manifest,
    variables: manifestFacts(data).variables,
    findings: guardFindings(folder, (inner) => inner === 'node_modules'),
    notes: notesIn(folder),
    others,
  };
}

/** From now on the package is the one in `folder`. A kill leaves the old one or the new one. */
export function putPackageInPlace(root: string, { name, wanted }: NpmSpec, folder: string): void {
  const target = join(packagesFolder(root), name);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  putInPlace(dirname(target), basename(target), folder);
  recordWish(root, name, wanted);
}

/** Behind the folder itself: what npm would bring again, and the folder of its scope. */
export function forgetPackage(root: string, name: string): void {
  recordWish(root, name, undefined);
  const above = dirname(join(packagesFolder(root), name));
  if (basename(above).startsWith('@') && readdirSync(above).length === 0) rmdirSync(above);
}
