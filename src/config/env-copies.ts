/** Settings that stand in `.env` as well as in `config.yaml`, where the two can come apart. */
import { join } from 'node:path';
import { readEnvFile } from './dotenv.ts';
import { terminalKeyOf } from './env-layers.ts';
import type { Home } from './home.ts';
import type { LoadedConfig } from './load.ts';
import { normaliseLegacy } from './legacy.ts';
import { valueAt } from './values.ts';

/** A variable of `.env` that stands for a key, and what that means now. */
export interface EnvCopy {
  readonly variable: string;
  readonly key: string;
  readonly text: string;
}

/** The copies that say something else than `config.yaml`, or decide because it says nothing. */
export function strayCopies(home: Home, loaded: LoadedConfig): EnvCopy[] {
  const file = normaliseLegacy(loaded.user.data);
  return [...readEnvFile(join(home.path, '.env')).values].flatMap(([variable, value]) => {
    const name = terminalKeyOf(variable);
    if (name === undefined || name === 'sudo_password') return [];
    const key = `terminal.${name}`;
    const written = valueAt(file, ['terminal', name]);
    if (written === undefined || written === null) {
      return [{ variable, key, text: `${variable} in .env decides about ${key}: config.yaml does not say` }];
    }
    const same = (typeof written === 'string' ? written : JSON.stringify(written)) === value.trim();
    if (same) return [];
    return [
      { variable, key, text: `${variable} in .env says otherwise than ${key} of config.yaml, which counts here` },
    ];
  });
}
