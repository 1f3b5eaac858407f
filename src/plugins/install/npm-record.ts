/** `plugins/package.json`: which packages were asked for, as npm writes it; a private one that is of no use elsewhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

/** What was asked for under a name: a version, a range or a tag. Throws `UserError` when the file cannot be read. */
export function recordedWish(root: string, name: string): string | undefined {
  const wish = dependenciesOf(read(root))[name];
  return typeof wish === 'string' ? wish : undefined;
}

/** With undefined it is forgotten. Throws `UserError` when the file cannot be read. */
export function recordWish(root: string, name: string, wanted: string | undefined): void {
  const before = read(root);
  const { [name]: _, ...others } = dependenciesOf(before);
  const all = { ...others, ...(wanted === undefined ? {} : { [name]: wanted }) };
  const dependencies = Object.fromEntries(Object.entries(all).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  writeFileAtomic(fileIn(root), `${JSON.stringify({ private: true, ...before, dependencies }, null, 2)}\n`);
}

function fileIn(root: string): string {
  return join(root, 'package.json');
}

function dependenciesOf({ dependencies }: JsonObject): JsonObject {
  return isJsonObject(dependencies) ? dependencies : {};
}

function read(root: string): JsonObject {
  const path = fileIn(root);
  let data: unknown;
  try {
    data = parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {};
    throw new UserError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
  if (isJsonObject(data)) return data;
  throw new UserError(`${path} is no JSON object.`, { hint: 'Mend it, or delete it; npm and Hermes make it anew.' });
}
