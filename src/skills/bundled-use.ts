/**
 * `.bundled_use.json`: when skills that came with the program were last used. They have no entry in `.usage.json`, but
 * without any sign of age nobody could tell which of them lie about unused.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';

/** Name → ISO time. A missing or damaged file is empty. */
export function readBundledUse(homePath: string): JsonObject {
  try {
    const value = parseJson(readFileSync(pathOf(homePath), 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    // There is none before the first use of a bundled skill; then each of them begins to age when it is first looked at.
    return {};
  }
}

/** Notes a use, to the day: most uses write nothing. */
export async function noteBundledUse(homePath: string, name: string, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  const known = readBundledUse(homePath)[name];
  if (typeof known === 'string' && known.startsWith(day)) return;
  await change(homePath, (all) => {
    all[name] = now.toISOString();
  });
}

/** Begins the count for skills that were never seen used: from now on they grow old. */
export async function seedBundledUse(homePath: string, names: readonly string[], now: Date): Promise<void> {
  const known = readBundledUse(homePath);
  if (names.every((name) => Object.hasOwn(known, name))) return;
  await change(homePath, (all) => {
    for (const name of names) if (!Object.hasOwn(all, name)) all[name] = now.toISOString();
  });
}

async function change(homePath: string, edit: (all: JsonObject) => void): Promise<void> {
  await withFileLock(join(homePath, 'skills', '.usage.lock'), () => {
    const all = { ...readBundledUse(homePath) };
    edit(all);
    writeFileAtomic(pathOf(homePath), `${JSON.stringify(all, null, 2)}\n`);
  });
}

function pathOf(homePath: string): string {
  return join(homePath, 'skills', '.bundled_use.json');
}
