/** `plugin.yaml`: what a plug-in says of itself before any of its code runs. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import * as z from 'zod';
import { readYamlFile } from '../../config/yaml-file.ts';
import { errorMessage } from '../../lib/errors.ts';
import { type JsonObject, parseJson } from '../../lib/json.ts';

export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** `standalone`, `backend` …, as it is written. */
  readonly kind: string;
  /** Variables without which it is not loaded. */
  readonly requiredEnv: readonly string[];
  /** All that it names, required or not: what it is given the values of. */
  readonly variables: readonly string[];
  /** The same, as they are written. */
  readonly asked: AskedVariables;
  /** Absolute; undefined when there is no code for this program. */
  readonly entry: string | undefined;
  /** There is code for the original only. */
  readonly isPython: boolean;
}

/** Variables as a manifest writes them down: by their names, or with what setup asks for them with. */
export interface AskedVariables {
  readonly required: readonly unknown[];
  readonly optional: readonly unknown[];
}

const word = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const variable = z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]);
const written = z.looseObject({
  name: word,
  version: word,
  description: word,
  kind: word,
  entry: word,
  requires_env: z.array(variable).catch([]),
  optional_env: z.array(variable).catch([]),
});
const asked = z
  .looseObject({ requires_env: z.array(z.unknown()).catch([]), optional_env: z.array(z.unknown()).catch([]) })
  .transform(({ requires_env, optional_env }): AskedVariables => ({ required: requires_env, optional: optional_env }));
const npmPackage = z.looseObject({
  name: z.string(),
  version: word,
  description: word,
  keywords: z.array(z.unknown()).catch([]),
  hermes: z.looseObject({ plugin: z.string(), name: word }),
});

const entries = ['index.js', 'index.mjs', 'index.ts'];

/** Undefined where the folder holds no plug-in; throws with one line when its manifest cannot be read. */
export async function readManifest(folder: string, folderName: string): Promise<PluginManifest | undefined> {
  const data = await readManifestData(folder);
  if (data === undefined) return undefined;
  const { name, version, description, kind, entry, requires_env, optional_env } = written.parse(data);
  const found = entryIn(folder, entry === undefined ? entries : [entry]);
  return {
    name: name ?? folderName,
    version: version ?? '',
    description: description ?? '',
    kind: kind ?? 'standalone',
    requiredEnv: requires_env,
    variables: [...requires_env, ...optional_env],
    asked: asked.parse(data),
    entry: found,
    isPython: found === undefined && existsSync(join(folder, '__init__.py')),
  };
}

/** What stands in `plugin.yaml`; undefined when there is none. Throws with one line when it cannot be read. */
export async function readManifestData(folder: string): Promise<JsonObject | undefined> {
  const file = ['plugin.yaml', 'plugin.yml'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const read = await readYamlFile(file);
  if (read.state !== 'read') throw new Error(read.state === 'broken' ? read.problem : `${file} is gone`);
  return read.data;
}

export interface PackageManifest extends PluginManifest {
  /** By which registries know it. */
  readonly packageName: string;
  readonly keywords: readonly unknown[];
  /** The `hermes` of its `package.json`, and what `plugin.yaml` says beside that. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A package from npm that says that it is one; undefined for all others. Throws as `readManifest` does. */
export async function readPackage(folder: string): Promise<PackageManifest | undefined> {
  const { data: about } = npmPackage.safeParse(parseJson(readText(join(folder, 'package.json'))));
  if (about === undefined) return undefined;
  const { name, version, description, keywords, hermes } = about;
  const data = { ...(await readManifestData(folder)), ...hermes };
  const { kind, requires_env, optional_env } = written.parse(data);
  return {
    name: hermes.name ?? name,
    packageName: name,
    version: version ?? '',
    description: description ?? '',
    keywords,
    kind: kind ?? 'standalone',
    requiredEnv: requires_env,
    variables: [...requires_env, ...optional_env],
    asked: asked.parse(data),
    entry: entryIn(folder, [hermes.plugin]),
    isPython: false,
    data,
  };
}

/** The first file that is there, inside of the folder wherever links lead. */
function entryIn(folder: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    const path = join(folder, name);
    if (existsSync(path) && isInside(realpathSync(folder), realpathSync(path))) return path;
  }
  return undefined;
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return `unreadable: ${errorMessage(error)}`;
  }
}
