/** Finds the event hooks of a home: folders below `hooks/` with a HOOK.yaml and a handler. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readYamlFile } from '../../config/yaml-file.ts';
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { isExecutable } from '../../lib/is-executable.ts';

export interface HookFolder {
  readonly name: string;
  /** As written: `agent:start`, or `command:*` for every command. */
  readonly events: readonly string[];
  readonly handler: HookHandler;
}

/** `module` and `python` export a function `handle`; a `program` is run once for each event. */
export interface HookHandler {
  readonly kind: 'module' | 'python' | 'program';
  readonly path: string;
}

const maxHooks = 100;

/** In the order in which they stand when more than one is there: a port to this program stands beside the old handler. */
const handlers = [
  ['handler.mjs', 'module'],
  ['handler.js', 'module'],
  ['handler.ts', 'module'],
  ['handler.py', 'python'],
  ['handler.sh', 'program'],
  ['handler', 'program'],
] as const;

const manifest = z.looseObject({
  name: z.string().min(1).optional().catch(undefined),
  events: z.array(z.unknown()).transform((all) => all.filter((each) => typeof each === 'string' && each !== '')),
});

/** In alphabetical order. What cannot be used is told, and left out; a folder without both files is no hook. */
export async function readHookFolders(homePath: string, warn: (line: string) => void): Promise<readonly HookFolder[]> {
  const root = join(homePath, 'hooks');
  const found: HookFolder[] = [];
  for (const folder of foldersIn(root, warn)) {
    const path = join(root, folder);
    const handler = handlerIn(path);
    const read = await readYamlFile(join(path, 'HOOK.yaml'));
    if (handler === undefined || read.state === 'absent') continue;
    if (read.state === 'broken') {
      warn(`[hooks] ${folder} is left out: ${read.problem}`);
      continue;
    }
    const { success, data } = manifest.safeParse(read.data);
    const events = success ? data.events.map(String) : [];
    if (events.length === 0) warn(`[hooks] ${folder} is left out: its HOOK.yaml names no events`);
    else if (found.length === maxHooks) warn(`[hooks] ${folder} is left out: there are more than ${maxHooks}`);
    else found.push({ name: data?.name ?? folder, events, handler });
  }
  return found;
}

function foldersIn(root: string, warn: (line: string) => void): readonly string[] {
  try {
    return readdirSync(root).toSorted();
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) {
      warn(`[hooks] the event hooks cannot be read: ${errorMessage(error)}`);
    }
    return [];
  }
}

function handlerIn(folder: string): HookHandler | undefined {
  for (const [name, kind] of handlers) {
    const path = join(folder, name);
    if (kind === 'program' ? isExecutable(path) : isFile(path)) return { kind, path };
  }
  return undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
