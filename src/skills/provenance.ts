/** Which skills came with the program or from a hub, by the ledgers that say so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../lib/json.ts';

/** Names in `.bundled_manifest` (`name:md5` lines) and in `.hub/lock.json`. Missing or broken ledgers are empty. */
export function foreignSkills(homePath: string): {
  readonly bundled: ReadonlySet<string>;
  readonly hub: ReadonlySet<string>;
} {
  const folder = join(homePath, 'skills');
  const lines = readOr(join(folder, '.bundled_manifest')).split('\n');
  const lock = parseJson(readOr(join(folder, '.hub', 'lock.json')));
  const installed = isJsonObject(lock) && isJsonObject(lock['installed']) ? Object.keys(lock['installed']) : [];
  return {
    bundled: new Set(lines.map((line) => line.replace(/:.*$/, '').trim()).filter((name) => name !== '')),
    hub: new Set(installed),
  };
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Without its ledger a skill counts as the user's own, which is the careful way to treat it.
    return '';
  }
}
