/** Routes that are made while the server runs: one file of the home, which `hermes webhook` writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, UserError } from '../../lib/errors.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

export function subscriptionsFile(homePath: string): string {
  return join(homePath, 'webhook_subscriptions.json');
}

/** Routes by name, as they are written; none without a file. Throws `UserError` for a file that cannot be read. */
export function readSubscriptions(path: string): JsonObject {
  const found = parseJson(readOrNone(path));
  if (isJsonObject(found)) return found;
  throw new UserError(`${path} does not hold a JSON object.`, {
    hint: 'Correct it, or remove it and subscribe again.',
  });
}

function readOrNone(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return '{}';
    throw new UserError(`${path} cannot be read.`, { hint: 'Look at its owner and its mode.', cause });
  }
}

/** One process at a time; `change` returns what is written, or undefined to leave the file as it is. */
export async function changeSubscriptions(
  path: string,
  change: (routes: JsonObject) => JsonObject | undefined,
): Promise<void> {
  await withFileLock(`${path}.lock`, () => {
    const changed = change(readSubscriptions(path));
    if (changed !== undefined) writeFileAtomic(path, `${JSON.stringify(changed, null, 2)}\n`);
  });
}

/** The name as it is stored; undefined for one that cannot stand in an address. */
export function routeName(written: string): string | undefined {
  const name = written.trim().toLowerCase().replaceAll(' ', '-');
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(name) ? name : undefined;
}
