/** The archive of skills below `skills/.archive/`: what nobody used for long, moved out of sight and never deleted. */
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import type { JsonObject } from '../lib/json.ts';
import { foreignSkills } from '../skills/provenance.ts';
import { removeEmptyFolders } from '../skills/skill-paths.ts';
import type { SkillUsage } from '../skills/usage.ts';
import { freePath } from './free-path.ts';
import { type LocalSkill, localSkills } from './plan.ts';

export class SkillArchive {
  readonly #usage: SkillUsage;
  readonly #now: () => Date;
  readonly #root: string;
  readonly #folder: string;

  constructor({ homePath, now }: { readonly homePath: string; readonly now: () => Date }, usage: SkillUsage) {
    this.#usage = usage;
    this.#now = now;
    this.#root = join(homePath, 'skills');
    this.#folder = join(this.#root, '.archive');
  }

  /** Names, sorted. */
  list(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  }

  async add({ name, directory, place }: Pick<LocalSkill, 'name' | 'directory' | 'place'>): Promise<void> {
    await this.#underLock(() => {
      if (!existsSync(join(directory, 'SKILL.md'))) throw new UserError(`The skill '${name}' is gone.`);
      mkdirSync(this.#folder, { recursive: true });
      renameSync(directory, freePath(this.#folder, name));
      removeEmptyFolders(dirname(directory), this.#root);
    });
    await this.#usage.set(name, { state: 'archived', archived_at: this.#now().toISOString(), archived_from: place });
  }

  /** Back to where it was; returns that place, relative to `skills/`. Throws `UserError` where it has been taken. */
  async restore(name: string): Promise<string> {
    const from = join(this.#folder, basename(name));
    if (name !== basename(name) || name === '' || !existsSync(from)) {
      throw new UserError(`There is no archived skill '${name}'.`, { hint: 'See: hermes curator list-archived' });
    }
    const place = formerPlace(this.#usage.read()[name] ?? {}, name);
    const { bundled, hub } = foreignSkills(dirname(this.#root));
    const taken = localSkills(dirname(this.#root), this.#usage).find((skill) => skill.name === name);
    if (taken !== undefined && (bundled.has(name) || hub.has(name))) {
      throw new UserError(`'${name}' is now a skill that came with the program or from a hub.`, {
        hint: `Uninstall or rename that one first, or copy what you need from ${from}.`,
      });
    }
    const to = join(this.#root, place);
    await this.#underLock(() => {
      if (taken !== undefined || existsSync(to)) {
        throw new UserError(`A skill already stands at ${join(this.#root, taken?.place ?? place)}.`, {
          hint: 'Move it away first.',
        });
      }
      mkdirSync(dirname(to), { recursive: true });
      renameSync(from, to);
    });
    // Used again: else the next run would archive it at once.
    await this.#usage.set(name, { state: 'active', archived_at: null, last_used_at: this.#now().toISOString() });
    if (bundled.has(name)) await this.#usage.count(name, 'use');
    return place;
  }

  async #underLock(work: () => void): Promise<void> {
    await withFileLock(join(this.#root, '.manage.lock'), work);
  }
}

/** Where it was, as far as that is a place below the folder. */
function formerPlace(entry: JsonObject, name: string): string {
  const { archived_from: from } = entry;
  const fits =
    typeof from === 'string' && /^(?:[A-Za-z0-9][\w.-]*\/)*[A-Za-z0-9][\w.-]*$/.test(from) && basename(from) === name;
  return fits ? from : name;
}
