/** A message that begins with the path of a picture: so terminals write a file that is dropped onto them. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { userDirectory } from '../../config/home.ts';
import type { Variables } from '../../config/variables.ts';

export interface DroppedPicture {
  readonly path: string;
  /** What was written behind it. */
  readonly rest: string;
}

const beginning = /^(?:file:\/\/|["']?(?:\/|~\/|\.{1,2}\/))/;
const picture = /\.(?:png|jpe?g|gif|webp)$/i;
/** Words that the name of a file may have. */
const maxWords = 20;

/** Undefined when the text does not begin with the path of such a file that is there. */
export function droppedPicture(text: string, env: Variables): DroppedPicture | undefined {
  const typed = text.trim();
  if (!beginning.test(typed)) return undefined;
  return splits(typed)
    .map(({ name, rest }) => ({ path: pathOf(name, env), rest: rest.trim() }))
    .find(({ path }) => picture.test(path) && isFile(path));
}

/** Where the path may end: at its quote, at the first blank without a backslash, or at any blank of the line. */
function splits(typed: string): { name: string; rest: string }[] {
  const [quoted, double, single] = /^(?:"([^"\n]+)"|'([^'\n]+)')/.exec(typed) ?? [];
  if (quoted !== undefined) return [{ name: double ?? single ?? '', rest: typed.slice(quoted.length) }];
  const [escaped = ''] = /^(?:\\.|\S)+/.exec(typed) ?? [];
  const words = [...(typed.split('\n', 1)[0] ?? '').matchAll(/\S(?=\s|$)/g)].slice(0, maxWords);
  const ends = words.map(({ index }) => index + 1).reverse();
  return [
    { name: escaped.replaceAll(/\\(.)/g, '$1'), rest: typed.slice(escaped.length) },
    ...ends.map((end) => ({ name: typed.slice(0, end), rest: typed.slice(end) })),
  ];
}

function pathOf(name: string, env: Variables): string {
  if (name.startsWith('~/')) return join(userDirectory(env), name.slice(2));
  try {
    return name.startsWith('file://') ? fileURLToPath(name) : name;
  } catch {
    // An address of another machine is no path.
    return name;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
