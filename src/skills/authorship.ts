/** Which skills are the agent's own words: written while nobody else had a word in the conversation, and unchanged since. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Skill } from './skill.ts';
import type { SkillUsage } from './usage.ts';

/** Makes a signature that nothing which the agent runs can make; undefined where there is no key. */
export type Sign = (text: string) => string | undefined;

/** What a file of a skill holds in the text that somebody is about to read. */
export interface ServedFile {
  /** Below the skill, with `/`. */
  readonly name: string;
  readonly text: string;
}

type Place = Pick<Skill, 'directory' | 'directoryName' | 'file'>;

/** The record lies in `.usage.json`, as a signature over the name and all bytes of a skill: who changes either loses it. */
export class Authorship {
  readonly #usage: Pick<SkillUsage, 'read' | 'ownWords'>;
  readonly #sign: Sign;

  constructor(usage: Pick<SkillUsage, 'read' | 'ownWords'>, sign: Sign) {
    this.#usage = usage;
    this.#sign = sign;
  }

  /** `served`: what was read of it a moment ago counts, not what stands there now. */
  isOwn(skill: Place, served?: ServedFile): boolean {
    const noted = this.#usage.read()[skill.directoryName]?.['own_words'];
    return typeof noted === 'string' && noted === this.#signatureOf(skill, served);
  }

  /** To be called after each change. `isOwn`: all that stands there now is the agent's. */
  async changed(skill: Place, isOwn: boolean): Promise<void> {
    await this.#usage.ownWords(skill.directoryName, isOwn ? this.#signatureOf(skill) : undefined);
  }

  #signatureOf({ directory, directoryName, file }: Place, served?: ServedFile): string | undefined {
    // A legacy `<name>.md` has no folder of its own.
    if (basename(file) !== 'SKILL.md') return undefined;
    const digest = digestOf(directory, served);
    return digest === undefined ? undefined : this.#sign(`skill ${JSON.stringify([directoryName, digest])}`);
  }
}

const maxFiles = 200;
const maxBytes = 16 * 1024 * 1024;

/** Of every file with its name, hidden ones too; undefined where there is more than files and folders, or too much. */
function digestOf(directory: string, served: ServedFile | undefined): string | undefined {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    if (entries.some((entry) => !entry.isFile() && !entry.isDirectory())) return undefined;
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    if (paths.length > maxFiles) return undefined;
    if (paths.reduce((bytes, path) => bytes + statSync(path).size, 0) > maxBytes) return undefined;
    const lines = paths.map((path) => {
      const name = relative(directory, path).split(sep).join('/');
      return JSON.stringify([name, sha256(name === served?.name ? served.text : readFileSync(path))]);
    });
    return sha256(lines.sort().join('\n'));
  } catch {
    // What cannot be read cannot be vouched for.
    return undefined;
  }
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
