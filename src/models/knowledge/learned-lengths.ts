/** The windows that were found out, kept in `context_length_cache.yaml` of the home for the next time. */
import { statSync } from 'node:fs';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { toWindow } from './learned-limit.ts';

const maxEntries = 1000;

/** The file at `path`: `context_lengths: {"<model>@<base url>": tokens}`. Any number of processes may share it. */
export class LearnedLengths {
  readonly #path: string;
  #read: { readonly stamp: string; readonly lengths: ReadonlyMap<string, number> } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Tokens of the window of a model at an address; undefined when nothing was learned or the file is damaged. */
  async get(model: string, baseUrl: string): Promise<number | undefined> {
    const lengths = await this.#current();
    return lengths.get(keyOf(model, baseUrl)) ?? lengths.get(`${keyOf(model, baseUrl)}/`);
  }

  /** Keeps a window. Throws `UserError` when the file's lock cannot be had, and file-system errors. */
  async set(model: string, baseUrl: string, tokens: number): Promise<void> {
    if (toWindow(tokens) === undefined) return;
    const key = keyOf(model, baseUrl);
    if ((await this.#current()).get(key) === tokens) return;
    const { withFileLock } = await import('../../lib/file-lock.ts');
    await withFileLock(`${this.#path}.lock`, async () => {
      const file = await load(this.#path);
      const lengths = new Map(lengthsIn(file['context_lengths']));
      // Put at the end: the oldest are forgotten first.
      lengths.delete(key);
      lengths.set(key, tokens);
      const kept = Object.fromEntries([...lengths].slice(-maxEntries));
      const { stringify } = await import('yaml');
      writeFileAtomic(this.#path, stringify({ ...file, context_lengths: kept }, { lineWidth: 0 }));
    });
  }

  async #current(): Promise<ReadonlyMap<string, number>> {
    const stamp = stampOf(this.#path);
    if (stamp === undefined) return new Map();
    if (this.#read?.stamp !== stamp) {
      this.#read = { stamp, lengths: lengthsIn((await load(this.#path))['context_lengths']) };
    }
    return this.#read.lengths;
  }
}

function keyOf(model: string, baseUrl: string): string {
  return `${model}@${baseUrl.trim().replace(/\/+$/, '')}`;
}

/** A damaged file counts as empty: it holds nothing that cannot be found out again. */
async function load(path: string): Promise<JsonObject> {
  const file = await readYamlFile(path);
  return file.state === 'read' ? file.data : {};
}

function lengthsIn(value: JsonValue | undefined): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  if (!isJsonObject(value)) return lengths;
  for (const [key, entry] of Object.entries(value)) {
    const tokens = toWindow(entry);
    if (tokens !== undefined) lengths.set(key, tokens);
  }
  return lengths;
}

/** Changes when another process has written the file, as every write makes a new one. */
function stampOf(path: string): string | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    return info === undefined ? undefined : `${info.ino}:${info.size}:${info.mtimeMs}`;
  } catch {
    // A folder that cannot be looked into: as good as no file, and writing to it says why.
    return undefined;
  }
}
