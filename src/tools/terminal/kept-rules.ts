/** Rules of a project stay as they are while a command runs that nobody looked at: later conversations begin with them. */
import { posix } from 'node:path';
import type { FileStat, FileSystem } from '../../environments/environment.ts';
import { projectRuleFiles, projectRuleFolders } from '../../safety/lasting-files.ts';
import type { ToolServices } from '../services.ts';

export interface KeptRulesOptions {
  /** Where rules are looked for: the folder of the work, and the one that the command starts in. */
  readonly folders: readonly string[];
  readonly files: FileSystem;
  /** A folder of the home for what was written and put back: nobody's words are lost. */
  readonly aside: string;
  readonly now: () => Date;
}

/** Undefined while nobody but the person and the agent has had a word, and where commands run on another machine. */
export async function keepRules(directory: string, services: ToolServices): Promise<KeptRules | undefined> {
  const { environment, paths, state } = services;
  if (!state.hosts.hasStrangeText || environment.kind !== 'local') return undefined;
  return await KeptRules.look({
    folders: [paths.workspace ?? directory, directory],
    files: environment.files,
    aside: posix.join(paths.homePath, 'pending', 'rules'),
    now: () => new Date(),
  });
}

/** For the model and the person. */
export function putBackNote(paths: readonly string[], { paths: { homePath } }: ToolServices): string | undefined {
  if (paths.length === 0) return undefined;
  const aside = posix.join(homePath, 'pending', 'rules');
  return `Put back as it was: ${paths.join(', ')}. Rules of a project are changed with write_file or patch, where the user is asked. What was written lies in ${aside}.`;
}

const maxFilesOfFolder = 100;
const maxBytes = 5_000_000;
const maxDepth = 3;

interface Kept {
  readonly stat: FileStat;
  /** Undefined where it is too large: then it is only set aside. */
  readonly data: Uint8Array | undefined;
}

export class KeptRules {
  readonly #options: KeptRulesOptions;
  readonly #before: ReadonlyMap<string, Kept>;

  private constructor(options: KeptRulesOptions, before: ReadonlyMap<string, Kept>) {
    this.#options = options;
    this.#before = before;
  }

  /** Remembers what there is. */
  static async look(options: KeptRulesOptions): Promise<KeptRules> {
    const { files } = options;
    const found = await findRules(options);
    const kept = [...found].map(async ([path, stat]): Promise<[string, Kept]> => {
      const data = stat.size > maxBytes ? undefined : await files.read(path).catch(() => undefined);
      return [path, { stat, data }];
    });
    return new KeptRules(options, new Map(await Promise.all(kept)));
  }

  /** Puts back what has changed since, and sets aside what was written. Returns the paths. */
  async restore(): Promise<readonly string[]> {
    const now = await findRules(this.#options);
    const changed = [...new Set([...this.#before.keys(), ...now.keys()])].filter((path) => {
      const [before, after] = [this.#before.get(path)?.stat, now.get(path)];
      return before?.changedMs !== after?.changedMs || before?.size !== after?.size || before?.kind !== after?.kind;
    });
    for (const path of changed) await this.#putBack(path);
    return changed;
  }

  async #putBack(path: string): Promise<void> {
    const { files, aside, now } = this.#options;
    const written = await files.read(path).catch(() => undefined);
    const name = `${now().toISOString().replaceAll(':', '-')}-${posix.basename(path)}`;
    if (written !== undefined && written.byteLength <= maxBytes) await files.write(`${aside}/${name}`, written);
    const before = this.#before.get(path);
    // Removed first: a link in its place must not lead the write elsewhere.
    if ((await files.stat(path)) !== undefined || before !== undefined) await files.remove(path).catch(() => undefined);
    if (before?.data !== undefined) await files.write(path, before.data);
  }
}

async function findRules({ folders, files }: KeptRulesOptions): Promise<Map<string, FileStat>> {
  const found = new Map<string, FileStat>();
  const look = async (path: string, depth: number): Promise<void> => {
    const stat = await files.stat(path);
    if (stat === undefined || found.size >= maxFilesOfFolder * 2) return;
    if (stat.kind !== 'directory') found.set(path, stat);
    else if (depth < maxDepth) {
      const names = await files.list(path).catch(() => []);
      await Promise.all(names.slice(0, maxFilesOfFolder).map((name) => look(posix.join(path, name), depth + 1)));
    }
  };
  const names = [...projectRuleFiles, ...projectRuleFolders];
  await Promise.all([...new Set(folders)].flatMap((folder) => names.map((name) => look(posix.join(folder, name), 0))));
  return found;
}
