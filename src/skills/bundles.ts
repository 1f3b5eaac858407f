/** Bundles: files under `skill-bundles/` that name several skills to be loaded with one command. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';
import { text, words } from './header-fields.ts';
import { oneLine } from './header-values.ts';
import type { SkillBundle } from './skill.ts';
import { commandName } from './command-name.ts';

export interface FoundBundles {
  /** By slug, each once. */
  readonly bundles: readonly SkillBundle[];
  readonly warnings: readonly string[];
}

/** All bundles of a folder; never throws, a broken file is one warning. */
export async function readBundles(folder: string): Promise<FoundBundles> {
  const bundles = new Map<string, SkillBundle>();
  const warnings: string[] = [];
  for (const name of bundleFiles(folder, warnings)) {
    const bundle = await readBundle(join(folder, name), name);
    if ('warning' in bundle) warnings.push(bundle.warning);
    else if (bundles.has(bundle.slug)) warnings.push(`${bundle.file}: another bundle is called /${bundle.slug}.`);
    else bundles.set(bundle.slug, bundle);
  }
  return { bundles: [...bundles.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1)), warnings };
}

/**
 * Writes a bundle and returns it. Throws `UserError` for a name or list that cannot be used, and for one that exists
 * unless `force` is given.
 */
export async function createBundle(
  folder: string,
  wanted: {
    readonly name: string;
    readonly skills: readonly string[];
    readonly description?: string | undefined;
    readonly instruction?: string | undefined;
    readonly force?: boolean | undefined;
  },
): Promise<SkillBundle> {
  const slug = commandName(wanted.name);
  const skills = wanted.skills.map((name) => oneLine(name)).filter((name) => name !== '');
  if (slug === '' || slug.length > 64) {
    throw new UserError(`'${wanted.name.slice(0, 80)}' is not a usable name for a bundle.`, {
      exitCode: 2,
      hint: 'Use letters, digits and hyphens, at most 64.',
    });
  }
  if (skills.length === 0) {
    throw new UserError(`The bundle '${slug}' would have no skills.`, {
      exitCode: 2,
      hint: 'Name at least one with --skill.',
    });
  }
  const known = (await readBundles(folder)).bundles.find((bundle) => bundle.slug === slug);
  const file = known?.file ?? join(folder, `${slug}.yaml`);
  if ((known !== undefined || existsSync(file)) && wanted.force !== true) {
    throw new UserError(`The bundle '${slug}' exists already: ${file}`, { hint: 'Replace it with --force.' });
  }
  const { stringify } = await import('yaml');
  const { name, description = '', instruction = '' } = wanted;
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(
    file,
    stringify(
      {
        name,
        ...(description === '' ? {} : { description }),
        skills,
        ...(instruction === '' ? {} : { instruction }),
      },
      // The original reads it too, with an older parser.
      { compat: 'yaml-1.1' },
    ),
  );
  return { slug, name, description, skills, instruction, file };
}

/** Removes a bundle; false when there is none of that name. */
export async function deleteBundle(folder: string, name: string): Promise<boolean> {
  const slug = commandName(name);
  const found = (await readBundles(folder)).bundles.find((bundle) => bundle.slug === slug);
  if (found === undefined) return false;
  rmSync(found.file, { force: true });
  return true;
}

const maxBundles = 500;

const shape = z.object({ name: text, description: text, skills: words, instruction: text });

function bundleFiles(folder: string, warnings: string[]): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
    return names.sort().slice(0, maxBundles);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') warnings.push(`${folder}: cannot be read (${errorMessage(error)}).`);
    return [];
  }
}

async function readBundle(file: string, fileName: string): Promise<SkillBundle | { readonly warning: string }> {
  const read = await readYamlFile(file);
  if (read.state === 'absent') return { warning: `${file}: is gone.` };
  if (read.state === 'broken') return { warning: read.problem };
  const { name: given, description = '', skills, instruction = '' } = shape.parse(read.data);
  const name = given ?? fileName.replace(/\.ya?ml$/i, '');
  const slug = commandName(name);
  if (slug === '') return { warning: `${file}: the name gives no command.` };
  if (skills.length === 0) return { warning: `${file}: 'skills' must name at least one skill.` };
  return {
    slug,
    name: oneLine(name),
    description: oneLine(description),
    skills: [...new Set(skills)],
    instruction,
    file,
  };
}
