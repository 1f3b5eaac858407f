/** What confined commands see of this machine, and what they may change: lists of paths, and what is there of them. */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Absolute paths; what does not exist is passed over. A folder stands for all below it; the narrower entry wins. */
export interface SandboxPlaces {
  /** Folders that may be written. */
  readonly writable: readonly string[];
  /** Stay as they are, also below a folder that may be written. */
  readonly readOnly: readonly string[];
  /** Texts that conversations of agents begin with: they stay as they are where a gate stands before the network. */
  readonly rules: readonly string[];
  /** Look empty. */
  readonly hidden: readonly string[];
  /** May be read although they lie in something hidden. */
  readonly shown: readonly string[];
}

export interface Place {
  /** Without symbolic links. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  /** Tells what is there from what took its place. */
  readonly identity: string;
}

/** What is there of a list, parents before what lies in them, each once. */
export function existing(paths: readonly string[]): readonly Place[] {
  const found = new Map<string, Place>();
  for (const path of paths) {
    const place = placeAt(path);
    if (place !== undefined) found.set(place.path, place);
  }
  return [...found.values()].sort((left, right) => depth(left.path) - depth(right.path));
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** The folders between one and something in it, outermost first, without both. */
export function foldersBetween(folder: string, path: string): readonly string[] {
  const between: string[] = [];
  for (let at = dirname(path); at !== folder && isWithin(at, folder); at = dirname(at)) between.unshift(at);
  return between;
}

function placeAt(path: string): Place | undefined {
  try {
    const real = realpathSync(path);
    const found = statSync(real);
    const kind = found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
    return { path: real, kind, identity: `${found.dev}:${found.ino}` };
  } catch {
    // Not there, or not for us to see: then it is not for our commands either.
    return undefined;
  }
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}
