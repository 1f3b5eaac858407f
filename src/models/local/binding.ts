/**
 * The part of `node-llama-cpp` (version 3) that is used here, found when it is needed and checked at the door.
 * https://node-llama-cpp.withcat.ai
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';

export type ModelPart =
  | string
  | { readonly type: 'segment'; readonly segmentType: 'thought'; readonly text: string; readonly ended: true }
  | {
      readonly type: 'functionCall';
      readonly name: string;
      readonly params: JsonValue;
      readonly result: JsonValue;
      readonly startsNewChunk?: true;
    };

export type ChatItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: ModelPart[] };

export interface GenerateOptions {
  readonly signal: AbortSignal;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly seed: number;
  readonly functions?: Readonly<Record<string, { readonly description: string; readonly params: JsonObject }>>;
  readonly maxParallelFunctionCalls?: number;
  readonly budgets?: { readonly thoughtTokens: number };
  /** Called when the window is full, for a history that fits. */
  readonly contextShift: { readonly strategy: () => { readonly chatHistory: readonly ChatItem[] } };
  readonly onResponseChunk: (chunk: {
    readonly segmentType?: string | undefined;
    readonly text: string;
    readonly tokens: readonly unknown[];
  }) => void;
  readonly onFunctionCallParamsChunk?: (chunk: { readonly callIndex: number; readonly functionName: string }) => void;
}

export interface GeneratedAnswer {
  readonly functionCalls?:
    | readonly { readonly functionName: string; readonly params: JsonValue | undefined }[]
    | undefined;
  readonly metadata: { readonly stopReason: string };
}

export interface Sequence {
  /** Tokens in the window. */
  readonly nextTokenIndex: number;
  readonly tokenMeter: { readonly usedInputTokens: number; readonly usedOutputTokens: number };
}

interface Context {
  readonly contextSize: number;
  getSequence(): Sequence;
}

export interface LoadedModel {
  readonly trainContextSize: number;
  readonly gpuLayers: number;
  readonly fileInsights: {
    /** Bytes that a context takes. Not in the first releases of version 3. */
    estimateContextResourceRequirementsV2?(options: {
      readonly contextSize: number;
      readonly modelGpuLayers: number;
      readonly sequences: number;
    }): Promise<{ readonly cpuRam: number }>;
  };
  createContext(options: {
    readonly sequences: number;
    readonly contextSize: { readonly min?: number; readonly max: number };
    readonly createSignal: AbortSignal;
  }): Promise<Context>;
  dispose(): Promise<void>;
}

export interface Llama {
  loadModel(options: { readonly modelPath: string; readonly loadSignal: AbortSignal }): Promise<LoadedModel>;
  dispose(): Promise<void>;
}

export interface Chat {
  generateResponse(history: readonly ChatItem[], options: GenerateOptions): Promise<GeneratedAnswer>;
}

export interface Binding {
  getLlama(options: {
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logger: () => void;
    /** Its own count takes no notice of a container's share and of cores that other threads of a core are on. */
    readonly maxThreads: number;
  }): Promise<Llama>;
  readonly LlamaChat: new (options: { readonly contextSequence: Sequence }) => Chat;
  readonly InsufficientMemoryError: new () => Error;
}

const packageName = 'node-llama-cpp';

/**
 * The address of the installed binding: beside this program, or in the home. Throws `UserError` with the command that
 * installs it when it is in neither place.
 */
export function findBinding(home: string): string {
  const own = installedPlace(fileURLToPath(import.meta.url));
  try {
    return import.meta.resolve(packageName);
  } catch {
    // Not beside this program.
    const inHome = entryOf(join(home, 'node_modules', packageName));
    if (inHome !== undefined) return inHome;
    throw new UserError(`Provider 'local' needs the package ${packageName}, which is not installed.`, {
      hint: `Install it: \`${installCommand(own, home)}\`. It brings llama.cpp ready-made for most machines.`,
    });
  }
}

/** The binding at an address that `findBinding` gave. Throws `UserError` when it cannot be used. */
export async function importBinding(address: string): Promise<Binding> {
  let found: unknown;
  try {
    found = await import(address);
  } catch (error) {
    throw new UserError(`The package ${packageName} could not be loaded: ${errorMessage(error)}`, {
      hint: 'Install it again.',
      cause: error,
    });
  }
  return checkBinding(found);
}

/** Throws `UserError` when what was imported has not the shape of version 3. */
export function checkBinding(found: unknown): Binding {
  const checked = bindingShape.safeParse(found);
  if (checked.success) return checked.data;
  throw new UserError(`The installed ${packageName} is not one that this program can use.`, {
    hint: `Install version 3: \`npm install ${packageName}@3\` where it is installed now.`,
  });
}

const bindingShape = z.custom<Binding>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['getLlama', 'LlamaChat', 'InsufficientMemoryError'].every(
      (name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'function',
    ),
);

/** The folder that this program is installed into, and whether that is a project, a global folder or its own source. */
interface InstalledPlace {
  readonly kind: 'source' | 'project' | 'global' | 'other';
  readonly folder: string;
}

/** Looks from a file of this program up to its package. */
export function installedPlace(file: string): InstalledPlace {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const above = dirname(folder);
  if (basename(above) !== 'node_modules') return { kind: 'source', folder };
  const owner = dirname(above);
  if (existsSync(join(owner, 'package.json'))) return { kind: 'project', folder: owner };
  // A store of packages that cannot see each other.
  return { kind: owner.includes('.pnpm') ? 'other' : 'global', folder: owner };
}

/** What puts the binding to where a program in that place finds it. */
export function installCommand({ kind, folder }: InstalledPlace, home: string): string {
  switch (kind) {
    case 'source':
      return `npm install --no-save --prefix ${quoted(folder)} ${packageName}`;
    case 'project':
      return `npm install --prefix ${quoted(folder)} ${packageName}`;
    case 'global':
      return `npm install -g ${packageName}`;
    case 'other':
      return `npm install --prefix ${quoted(home)} ${packageName}`;
  }
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : JSON.stringify(path);
}

function entryOf(folder: string): string | undefined {
  try {
    const description = parseJson(readFileSync(join(folder, 'package.json'), 'utf8'));
    const main = isJsonObject(description) ? description['main'] : undefined;
    return typeof main === 'string' ? pathToFileURL(join(folder, main)).href : undefined;
  } catch {
    // Not there, or not to be read: the caller says how to install it.
    return undefined;
  }
}
