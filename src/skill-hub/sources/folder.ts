/** Skills in folders of this machine: a path, or a tap that is a folder or a checkout. */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { filesBelow } from '../bundled/skill-tree.ts';
import { readDocument } from '../../skills/frontmatter.ts';
import type { TrustLevel } from '../../safety/skill-guard/guard.ts';
import { findSkills } from '../../skills/scan-skills.ts';
import { readSummary } from '../../skills/skill-header.ts';
import { memberLimits } from '../members.ts';
import { isZip, unzipSkill } from '../unzip.ts';
import type { FetchedSkill, SkillOffer, SkillSource } from '../source.ts';

/** `folders` gives what is searched; `cwd` and `userHome` are what relative and `~` paths mean. */
export function folderSource(options: {
  readonly cwd: string;
  readonly userHome: string;
  readonly folders: () => readonly string[];
}): SkillSource {
  const { cwd, userHome, folders } = options;
  return {
    id: 'local',
    owns: (identifier) => isAbsolute(identifier) || /^(?:\.{1,2}|~)(?:[\\/]|$)/.test(identifier),
    async offers() {
      const found: SkillOffer[] = [];
      for (const folder of folders()) {
        found.push(...(await offersIn(folder, 'local', 'community', (directory) => directory)));
      }
      return found;
    },
    async fetch(identifier) {
      const expanded = identifier.replace(/^~(?=[\\/]|$)/, userHome);
      return await readFolder(resolve(cwd, expanded), { source: 'local', trust: 'community' });
    },
  };
}

/** Skills that come with the package or stand in `HERMES_OPTIONAL_SKILLS`: `official/<category>/<name>`. */
export function officialSource(folders: readonly string[]): SkillSource {
  return {
    id: 'official',
    owns: (identifier) => identifier.startsWith('official/'),
    async offers() {
      const found: SkillOffer[] = [];
      for (const folder of folders)
        found.push(...(await offersIn(folder, 'official', 'builtin', officialName(folder))));
      return found;
    },
    async fetch(identifier) {
      const path = identifier.slice('official/'.length);
      for (const folder of folders) {
        const skill = findSkills([folder]).skills.find((entry) => belowFolder(folder, entry.path) === path);
        if (skill === undefined) continue;
        const directory = skill.path.slice(0, -'/SKILL.md'.length);
        const read = await readFolder(directory, { source: 'official', trust: 'builtin' });
        return { ...read, identifier };
      }
      throw new UserError(`There is no official skill '${path.slice(0, 100)}'.`, {
        hint: 'See them with: hermes skills browse --source official',
      });
    },
  };
}

function officialName(folder: string): (directory: string) => string {
  return (directory) => `official/${belowFolder(folder, `${directory}/SKILL.md`)}`;
}

function belowFolder(folder: string, file: string): string {
  return relative(folder, file.slice(0, -'/SKILL.md'.length)).split(sep).join('/');
}

async function offersIn(
  folder: string,
  source: string,
  trust: TrustLevel,
  identify: (directory: string) => string,
): Promise<SkillOffer[]> {
  const offers: SkillOffer[] = [];
  for (const { path } of findSkills([folder]).skills) {
    const directory = path.slice(0, -'/SKILL.md'.length);
    if (statSync(path).size > memberLimits.bytesEach) continue;
    const { header, body } = await readDocument(readFileSync(path, 'utf8'));
    const { name = basename(directory), description } = readSummary(header, body);
    offers.push({ name, description, identifier: identify(directory), source, trust });
  }
  return offers;
}

async function readFolder(
  directory: string,
  { source, trust }: { readonly source: string; readonly trust: TrustLevel },
): Promise<FetchedSkill> {
  if (statSync(directory, { throwIfNoEntry: false })?.isFile() === true) return await readArchive(directory);
  const file = join(directory, 'SKILL.md');
  if (!existsSync(file)) {
    throw new UserError(`${directory} holds no SKILL.md.`, { hint: 'Give the folder of one skill.' });
  }
  const link = linkBelow(directory);
  if (link !== undefined) {
    throw new UserError(`The skill was not installed: ${link} is a link.`, {
      hint: 'Nothing was written. Skills consist of plain files: put a copy of what it points to in its place.',
    });
  }
  const files = new Map<string, Buffer>();
  let total = 0;
  for (const parts of filesBelow(directory)) {
    if (parts.some((part) => noPart.has(part))) continue;
    const path = join(directory, ...parts);
    total += lstatSync(path).size;
    if (files.size >= memberLimits.files || total > memberLimits.bytesAll) {
      throw new UserError(`${directory} is too large for a skill.`, {
        hint: `At most ${memberLimits.files} files and ${memberLimits.bytesAll} bytes are taken.`,
      });
    }
    files.set(parts.join('/'), readFileSync(path));
  }
  const { header, body } = await readDocument(readFileSync(file, 'utf8'));
  const name = readSummary(header, body).name ?? basename(directory);
  return { name, identifier: directory, source, trust, files, metadata: {} };
}

/** A checkout has these; they are no part of the skill. */
const noPart: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.DS_Store']);

/** A link inside a skill: without it the skill would be another one than its author meant, and than the guard judges. */
function linkBelow(directory: string, below = ''): string | undefined {
  for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
    if (noPart.has(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) return path;
    const found = entry.isDirectory() && path.split('/').length < 20 ? linkBelow(directory, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readArchive(path: string): Promise<FetchedSkill> {
  const size = statSync(path).size;
  const body = size > memberLimits.bytesAll ? undefined : readFileSync(path);
  if (body === undefined || !isZip(body)) {
    throw new UserError(`${path} is no skill: ${body === undefined ? 'it is too large' : 'it is not a zip archive'}.`, {
      hint: 'Give the folder of one skill, or a zip archive of it.',
    });
  }
  const files = await unzipSkill(body, basename(path));
  const { header, body: text } = await readDocument(files.get('SKILL.md')?.toString('utf8') ?? '');
  const name = readSummary(header, text).name ?? basename(path).replace(/\.zip$/i, '');
  return { name, identifier: path, source: 'local', trust: 'community', files, metadata: {} };
}
