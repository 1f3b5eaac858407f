/** A plug-in that was brought and is not in its place yet: what it is, and what there is against it. Nothing of it is run. */
import { copyFileSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { type Finding, scanSkill } from '../../safety/skill-guard/guard.ts';
import { readSkillFiles } from '../../skills/skill-files.ts';
import { isReservedFolder } from '../packages/discover.ts';
import { type PluginManifest, readManifest, readManifestData } from '../packages/manifest.ts';

/** A variable that it wants to have, for the question about it. */
export interface AskedVariable {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly isSecret: boolean;
  /** It is not loaded without. */
  readonly isRequired: boolean;
}

export interface StagedPlugin {
  readonly name: string;
  readonly folder: string;
  readonly manifest: PluginManifest;
  readonly variables: readonly AskedVariable[];
  /** What a person should look at first. */
  readonly findings: readonly Finding[];
  /** What its author says to who has installed it. */
  readonly notes: string | undefined;
}

const supportedVersion = 1;
const maxNotes = 20_000;

/**
 * Looks at the folder of a plug-in; `usualName` counts where its manifest has none. Throws `UserError` for one that cannot
 * be taken: a link that leads out, a name that is none, a manifest of another kind.
 */
export async function lookAtStaged(folder: string, usualName: string): Promise<StagedPlugin> {
  const findings = guardFindings(folder);
  const [link] = findings.filter(({ rule }) => rule === 'link_outside');
  if (link !== undefined) refuse(`${JSON.stringify(link.file)} is a link that leads out of it`);
  const { manifest, data } = await readable('its plugin.yaml', async () => ({
    manifest: await readManifest(folder, usualName),
    data: await readManifestData(folder),
  }));
  if (manifest === undefined) refuse('it has no plugin.yaml');
  const { variables } = manifestFacts(data);
  return { name: checkedName(manifest.name), folder, manifest, variables, findings, notes: notesIn(folder) };
}

/** What cannot be read is refused. */
export async function readable<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UserError(`The plug-in was not taken: ${what} cannot be read.`, { cause: error });
  }
}

/**
 * Beside code, plug-ins may be of any size and number of files; the rest is looked at as skills are. `isLeftOut` is asked
 * about the folders right in it.
 */
export function guardFindings(
  folder: string,
  isLeftOut = (name: string): boolean => name === '.git',
): readonly Finding[] {
  const files = readSkillFiles(folder, isLeftOut);
  const ofSkills = new Set(['too_many_files', 'oversized_skill', 'oversized_file']);
  return scanSkill(files).findings.filter(({ rule }) => !ofSkills.has(rule));
}

/** `config.yaml.example` becomes `config.yaml` where there is none yet. Returns the new names. */
export function copyExamples(folder: string): readonly string[] {
  const examples = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^[^.].*\.example$/.test(entry.name),
  );
  return examples.flatMap(({ name }) => {
    const own = name.slice(0, -'.example'.length);
    if (lstatSync(join(folder, own), { throwIfNoEntry: false }) !== undefined) return [];
    copyFileSync(join(folder, name), join(folder, own));
    return [own];
  });
}

/** Throws `UserError`. */
export function checkedName(name: string): string {
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,99}$/u.test(name) && !name.includes('..');
  if (!isPlain || isReservedFolder(name)) refuse(`${JSON.stringify(name.slice(0, 100))} is not a name for a plug-in`);
  return name;
}

const wantedVariable = z.union([
  z.string().transform((name) => ({ name, description: '', url: '', secret: false, password: false })),
  z.looseObject({
    name: z.string(),
    description: z.string().catch(''),
    url: z.string().catch(''),
    secret: z.boolean().catch(false),
    password: z.boolean().catch(false),
  }),
]);
const facts = z.looseObject({
  manifest_version: z.unknown().optional(),
  requires_env: z.array(wantedVariable).catch([]),
  optional_env: z.array(wantedVariable).catch([]),
});

/** Of a manifest that was read. Throws `UserError` for one of another version. */
export function manifestFacts(data: unknown): { readonly variables: readonly AskedVariable[] } {
  const { manifest_version: version, requires_env, optional_env } = facts.parse(data ?? {});
  if (version !== undefined && version !== supportedVersion) {
    refuse(`its manifest_version is ${JSON.stringify(version)?.slice(0, 40)}; this program knows ${supportedVersion}`);
  }
  const asked = (all: typeof requires_env, isRequired: boolean): AskedVariable[] =>
    all
      .filter(({ name }) => /^[A-Z][A-Z0-9_]{0,99}$/.test(name))
      .map(({ name, description, url, secret, password }) => {
        return { name, description, url, isSecret: secret || password, isRequired };
      });
  return { variables: [...asked(requires_env, true), ...asked(optional_env, false)] };
}

export function notesIn(folder: string): string | undefined {
  const path = join(folder, 'after-install.md');
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return readFileSync(path, 'utf8').slice(0, maxNotes);
}

export function refuse(why: string): never {
  throw new UserError(`The plug-in was not taken: ${why}.`, { hint: 'Nothing of it was written.' });
}
