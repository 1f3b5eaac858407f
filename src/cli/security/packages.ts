/** Which packages are there to ask about: those of this program, of plug-ins, and pinned ones of MCP servers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../config/schema.ts';
import { parseJson } from '../../lib/json.ts';

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly ecosystem: 'npm' | 'PyPI';
  /** Who brings it. */
  readonly from: string;
}

const manifest = z.object({
  version: z.string().default(''),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** More is no tree that this program was installed with. */
const maxPackages = 3000;

/** What really lies in `node_modules`, found as Node finds it, beginning at the dependencies of what is in `root`. */
export function installedPackages(root: string, from = 'this program'): readonly Package[] {
  const found = new Map<string, Package>();
  const folders = new Set<string>();
  const open = [root];
  for (let folder = open.pop(); folder !== undefined && folders.size < maxPackages; folder = open.pop()) {
    const { dependencies, optionalDependencies } = readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = findPackage(name, folder);
      // An optional package of another system is not installed.
      if (place === undefined || folders.has(place)) continue;
      folders.add(place);
      open.push(place);
      const { version } = readManifest(place);
      found.set(`${name}@${version}`, { name, version, ecosystem: 'npm', from });
    }
  }
  return [...found.values()];
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (dirname(folder) === folder) return undefined;
  }
}

function readManifest(folder: string): z.infer<typeof manifest> {
  const path = join(folder, 'package.json');
  const read = manifest.safeParse(existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined);
  return read.success ? read.data : { version: '', dependencies: {}, optionalDependencies: {} };
}

/**
 * Of `plugins/*`: exact versions in `package.json`, and `name==version` in `requirements.txt`; of those that npm brought, all that
 * lies there.
 */
export function pluginPackages(homePath: string): readonly Package[] {
  const folder = join(homePath, 'plugins');
  if (!existsSync(folder)) return [];
  const own = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const from = `plug-in ${name}`;
      const { dependencies } = readManifest(join(folder, name));
      return [
        ...Object.entries(dependencies).flatMap(([dependency, version]) => pinned(dependency, version, 'npm', from)),
        ...requirements(join(folder, name, 'requirements.txt'), from),
      ];
    });
  return [...own, ...installedPackages(folder, 'plug-ins from npm')];
}

function requirements(path: string, from: string): readonly Package[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, version] = /^\s*([\w.-]+)(?:\[[\w,\s-]*\])?\s*==\s*([\w.!+-]+)/.exec(line) ?? [];
      return name === undefined || version === undefined ? [] : pinned(name, version, 'PyPI', from);
    });
}

/** Of servers that `npx`, `uvx` and `pipx run` start: the first argument that names a version. */
export function mcpPackages({ mcp_servers }: Pick<Config, 'mcp_servers'>): readonly Package[] {
  return Object.entries(mcp_servers).flatMap(([server, { command, args }]) => {
    const starter = basename(command ?? '').replace(/\.(?:cmd|exe)$/, '');
    const ecosystem = starter === 'npx' ? 'npm' : starter === 'uvx' || starter === 'pipx' ? 'PyPI' : undefined;
    if (ecosystem === undefined) return [];
    for (const word of args) {
      const [, name, version] = /^((?:@[\w.-]+\/)?[\w.-]+)(?:\[[\w,-]*\])?(?:@|==)(.+)$/.exec(word) ?? [];
      if (name === undefined || version === undefined) continue;
      return pinned(name, version, ecosystem, `MCP server ${server}`);
    }
    return [];
  });
}

/** Of `^1.2.0` or `latest` nobody knows here what is installed. */
function pinned(name: string, version: string, ecosystem: Package['ecosystem'], from: string): readonly Package[] {
  return /^\d[\w.!+-]*$/.test(version) ? [{ name, version, ecosystem, from }] : [];
}
