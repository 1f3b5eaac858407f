/** All skills of a home and its external folders, read once and then only looked at from outside. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { findSkills, type FoundSkills } from './scan-skills.ts';
import { maxDocumentBytes, type Skill, type SkillCatalogue } from './skill.ts';
import {
  isCurrent,
  type KnownDescription,
  type KnownSkill,
  loadSnapshot,
  sameStamp,
  saveSnapshot,
  type Snapshot,
  snapshotVersion,
} from './skill-snapshot.ts';

/** One is enough for all sessions of a home: what it knows is shared as long as nothing has changed. */
export class HomeCatalogue {
  readonly #cacheFile: string;
  #known: { readonly snapshot: Snapshot; readonly catalogue: SkillCatalogue } | undefined;
  #reading: Promise<SkillCatalogue> | undefined;
  /** Looks that are yet to come, by the folders. */
  readonly #looks = new Map<string, Promise<SkillCatalogue | undefined>>();
  /** How often all was forgotten. */
  #cleared = 0;

  constructor(homePath: string) {
    this.#cacheFile = join(homePath, '.skills_prompt_snapshot.json');
  }

  /** What there is now below these folders, in order of precedence; never throws. Unchanged files are not opened again. */
  async read(roots: readonly string[]): Promise<SkillCatalogue> {
    // Many sessions may begin at once; one of them reads, and the others see whether that is what they need.
    do {
      await this.#reading;
      const current = this.#known === undefined ? undefined : await this.#look(roots);
      if (current !== undefined) return current;
    } while (this.#reading !== undefined);
    const reading = this.#readAnew(roots);
    this.#reading = reading;
    const catalogue = await reading;
    if (this.#reading === reading) this.#reading = undefined;
    return catalogue;
  }

  /** Forgets everything, on disk too: called after a write. */
  clear(): void {
    this.#known = undefined;
    this.#reading = undefined;
    this.#cleared += 1;
    try {
      rmSync(this.#cacheFile, { force: true });
    } catch {
      // A read-only home has none.
    }
  }

  /** What is known, if that is how it still is on the disk. Who asks in one turn of the event loop shares the look. */
  #look(roots: readonly string[]): Promise<SkillCatalogue | undefined> {
    const key = JSON.stringify(roots);
    const coming = this.#looks.get(key);
    if (coming !== undefined) return coming;
    const look = new Promise<SkillCatalogue | undefined>((resolve) => {
      setImmediate(() => {
        this.#looks.delete(key);
        const known = this.#known;
        resolve(known !== undefined && isCurrent(known.snapshot, roots) ? known.catalogue : undefined);
      });
    });
    this.#looks.set(key, look);
    return look;
  }

  async #readAnew(roots: readonly string[]): Promise<SkillCatalogue> {
    const cleared = this.#cleared;
    let snapshot = loadSnapshot(this.#cacheFile);
    if (snapshot === undefined || !isCurrent(snapshot, roots)) {
      const found = findSkills(roots);
      snapshot = await readAll(found, roots, snapshot ?? this.#known?.snapshot);
      // What could not be read today may be readable tomorrow without any stamp changing.
      if (found.complete && cleared === this.#cleared) saveSnapshot(this.#cacheFile, snapshot);
      else rmSync(this.#cacheFile, { force: true });
    }
    const catalogue = arrange(snapshot);
    // A write that came meanwhile may not show in any stamp.
    if (cleared === this.#cleared) this.#known = { snapshot, catalogue };
    return catalogue;
  }
}

/** Headers are looked for in this much of a file; one that is longer is read up to the second bound. */
const headBytes = 4_000;
const longHeadBytes = 68 * 1024;

async function readAll(found: FoundSkills, roots: readonly string[], before: Snapshot | undefined): Promise<Snapshot> {
  const skills: Record<string, KnownSkill> = {};
  // Of two skills of one name, the one nearer to the top of its folder is meant.
  const nearestFirst = found.skills
    .map((skill) => ({ ...skill, order: roots.indexOf(skill.root), depth: skill.path.split(sep).length }))
    .sort((a, b) => a.order - b.order || a.depth - b.depth);
  const reader = await loadReader();
  for (const { path, root, stamp } of nearestFirst) {
    const old = before?.skills[path];
    const read = old !== undefined && sameStamp(old.stamp, stamp) ? old : await readHead(path, reader);
    skills[path] = { ...read, root, stamp };
  }
  const descriptions: Record<string, KnownDescription> = {};
  for (const { path, root, stamp } of found.descriptions) {
    const { summary } = await readHead(path, reader);
    if (summary !== undefined) descriptions[path] = { root, stamp, text: summary.description };
  }
  return {
    version: snapshotVersion,
    roots,
    directories: Object.fromEntries(found.directories),
    skills,
    descriptions,
    warnings: found.warnings,
  };
}

/** Not needed at all while the cache is good; asked for once, since even a loaded module takes its time to be handed out. */
async function loadReader() {
  const { readDocument, splitFrontmatter } = await import('./frontmatter.ts');
  const { readSummary } = await import('./skill-header.ts');
  return { readDocument, splitFrontmatter, readSummary };
}

type HeaderReader = Awaited<ReturnType<typeof loadReader>>;

/** The start of a document as facts. A file that cannot be read or is not text is a skill without any. */
async function readHead(path: string, reader: HeaderReader): Promise<Pick<KnownSkill, 'summary' | 'warning'>> {
  const { readDocument, splitFrontmatter, readSummary } = reader;
  let text: string;
  try {
    text = readStart(path, headBytes);
    if (/^\uFEFF?---/.test(text) && splitFrontmatter(text) === undefined) text = readStart(path, longHeadBytes);
  } catch (error) {
    return { warning: `${path}: cannot be read (${errorCode(error) ?? errorMessage(error)}).` };
  }
  if (text.includes('\0')) return { warning: `${path}: left out, it is not a text file.` };
  const { header, body, problem } = await readDocument(text);
  return {
    summary: readSummary(header, body),
    ...(problem === undefined ? {} : { warning: `${path}: the header was read as far as possible: ${problem}` }),
  };
}

function readStart(path: string, bytes: number): string {
  const buffer = Buffer.allocUnsafe(bytes);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, buffer, 0, bytes, 0);
    const text = buffer.toString('utf8', 0, length);
    // A letter cut in two at the end is not part of the start.
    return length === bytes ? text.replace(/\ufffd+$/, '') : text;
  } finally {
    closeSync(file);
  }
}

/** Skills in order of precedence, each name once. */
function arrange(snapshot: Snapshot): SkillCatalogue {
  const skills: Skill[] = [];
  const warnings = [...snapshot.warnings];
  const directoryNames = new Map<string, string>();
  const names = new Set<string>();
  for (const [file, { root, stamp, summary, warning }] of Object.entries(snapshot.skills)) {
    if (warning !== undefined) warnings.push(warning);
    if (summary === undefined) continue;
    const [, size] = stamp;
    if (size > maxDocumentBytes) warnings.push(`${file}: cannot be loaded, it is larger than 1 MB.`);
    const directory = file.slice(0, file.lastIndexOf(sep));
    const directoryName = directory.slice(directory.lastIndexOf(sep) + 1);
    const other = directoryNames.get(directoryName);
    if (other !== undefined) {
      // One folder that comes before another may hide its skills on purpose.
      if (other.startsWith(root + sep)) warnings.push(`${file}: left out, ${other} has the same name.`);
      continue;
    }
    directoryNames.set(directoryName, file);
    const own = summary.name ?? directoryName;
    const taken = names.has(own) || (directoryNames.has(own) && own !== directoryName);
    if (taken)
      warnings.push(`${file}: another skill is called ${JSON.stringify(own)}; this one is called ${directoryName}.`);
    const name = taken ? directoryName : own;
    names.add(name);
    skills.push({ ...summary, name, directoryName, category: categoryOf(root, directory), root, directory, file });
  }
  return { skills, categories: readCategories(snapshot), warnings };
}

function readCategories({ descriptions }: Snapshot): Map<string, string> {
  const categories = new Map<string, string>();
  for (const [file, { root, text }] of Object.entries(descriptions)) {
    const category = segments(root, dirname(file)).join('/');
    if (category !== '' && text !== '' && !categories.has(category)) categories.set(category, text);
  }
  return categories;
}

/** The folders above a skill; one that lies at the top is its own category. */
function categoryOf(root: string, directory: string): string {
  const parts = segments(root, directory);
  if (parts.length === 0) return 'general';
  return parts.length === 1 ? parts.join('') : parts.slice(0, -1).join('/');
}

function segments(root: string, directory: string): string[] {
  return directory === root ? [] : directory.slice(root.length + 1).split(sep);
}
