/**
 * Finds the file of a local model and reads from its header what has to be known before it is loaded.
 * https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { open, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { errorCode, UserError } from '../../lib/errors.ts';

/** Where names and `~` lead. */
export interface ModelPaths {
  /** Folder of the models that are called by their name (`$HERMES_HOME/models`). */
  readonly models: string;
  /** The user's own directory. */
  readonly userDirectory: string;
}

export interface ModelFile {
  readonly path: string;
  /** Tokens that the model was made for; undefined when the header does not say. */
  readonly contextLength?: number;
}

/** The facts that are looked for stand in front of the vocabulary, well within this. */
const headerBytes = 1024 * 1024;
const maxNamesShown = 10;

/**
 * The file that `model` names: a path (`~` expanded), or a name in the folder of models, with or without `.gguf`.
 * Throws `UserError` when nothing is named, there is no such file, or it is no GGUF file.
 */
export async function findModelFile(model: string, paths: ModelPaths): Promise<ModelFile> {
  if (model.trim() === '') {
    throw new UserError("No model file is set for provider 'local'.", {
      hint: 'Name one: `hermes config set model.default /path/to/model.gguf`.',
    });
  }
  for (const path of candidates(model.trim(), paths)) {
    const found = await stat(path).catch((error: unknown) => missing(error, path));
    if (found === undefined) continue;
    if (!found.isFile()) throw new UserError(`The model ${path} is not a file.`, { hint: 'Name a GGUF file.' });
    return await readModelFile(path);
  }
  const names = await listModels(paths.models);
  const others = names.length === 0 ? '' : ` In ${paths.models} there are: ${names.join(', ')}.`;
  throw new UserError(`There is no model file ${model}.${others}`, {
    hint: `Set model.default to the path of a GGUF file, or put the file into ${paths.models}.`,
  });
}

function candidates(model: string, { models, userDirectory }: ModelPaths): readonly string[] {
  if (model === '~' || model.startsWith('~/')) return [join(userDirectory, model.slice(1))];
  if (isAbsolute(model)) return [model];
  const named = resolve(models, model);
  return model.toLowerCase().endsWith('.gguf') ? [named, resolve(model)] : [named, `${named}.gguf`, resolve(model)];
}

function missing(error: unknown, path: string): undefined {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw unreadable(path, error);
}

async function listModels(folder: string): Promise<readonly string[]> {
  // Only for a hint: a folder that is not there holds no models.
  const entries = await readdir(folder).catch(() => []);
  return entries
    .filter((name) => name.toLowerCase().endsWith('.gguf'))
    .toSorted()
    .slice(0, maxNamesShown);
}

async function readModelFile(path: string): Promise<ModelFile> {
  const header = await readStart(path);
  if (header.toString('latin1', 0, 4) !== 'GGUF') {
    throw new UserError(`${path} is not a GGUF model file.`, {
      hint: 'Only GGUF files can be run here; most models are also published as GGUF.',
    });
  }
  const contextLength = contextLengthIn(header);
  return { path, ...(contextLength === undefined ? {} : { contextLength }) };
}

async function readStart(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, 'r');
    const buffer = Buffer.alloc(headerBytes);
    let filled = 0;
    while (filled < headerBytes) {
      const { bytesRead } = await file.read(buffer, filled, headerBytes - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): UserError {
  return new UserError(`The model file ${path} cannot be read (${errorCode(error) ?? 'unknown error'}).`, {
    hint: 'Check the path and its permissions.',
    cause: error,
  });
}

/**
 * `<architecture>.context_length` of a GGUF header (version 2 and later, little endian); undefined when it is not in
 * the part that was read.
 */
export function contextLengthIn(header: Buffer): number | undefined {
  const reader = new HeaderReader(header);
  try {
    const version = header.readUInt32LE(4);
    if (version < 2 || version > 0xffff) return undefined;
    let pairs = reader.startPairs();
    for (; pairs > 0; pairs -= 1) {
      const key = reader.text();
      const value = reader.value(reader.uint32());
      if (!key.endsWith('.context_length') || typeof value !== 'number') continue;
      return Number.isSafeInteger(value) && value > 0 ? value : undefined;
    }
  } catch (error) {
    // The header goes on behind what was read, or is damaged: the binding will say so.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return undefined;
}

/** Bytes of the plain types; 8 is a text and 9 a list. */
const sizes: readonly number[] = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

/** Reads on from a position; past the end it throws `RangeError`. */
class HeaderReader {
  readonly #bytes: Buffer;
  #at = 24;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** How many pairs of key and value follow. */
  startPairs(): number {
    return Number(this.#bytes.readBigUInt64LE(16));
  }

  uint32(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  text(): string {
    const length = this.#length();
    const start = this.#at;
    this.#skip(length);
    return this.#bytes.toString('utf8', start, this.#at);
  }

  /** The value when it is a whole number of 4 or 8 bytes; everything else is passed over. */
  value(type: number): number | undefined {
    if (type === 8) {
      this.#skip(this.#length());
      return undefined;
    }
    if (type === 9) {
      this.#skipList();
      return undefined;
    }
    const start = this.#at;
    this.#skip(sizeOf(type));
    if (type === 4 || type === 5) return this.#bytes.readUInt32LE(start);
    if (type === 10 || type === 11) return Number(this.#bytes.readBigUInt64LE(start));
    return undefined;
  }

  #skipList(): void {
    const type = this.uint32();
    const count = this.#length();
    if (type !== 8) {
      this.#skip(count * sizeOf(type));
      return;
    }
    for (let index = 0; index < count; index += 1) this.#skip(this.#length());
  }

  #length(): number {
    const length = Number(this.#bytes.readBigUInt64LE(this.#at));
    this.#at += 8;
    return length;
  }

  #skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('The header ends here.');
  }
}

function sizeOf(type: number): number {
  const size = sizes[type] ?? 0;
  if (size === 0) throw new RangeError('Unknown type of a value.');
  return size;
}
