/** A fresh home directory for one test, removed afterwards, away from the machine's own settings. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Home } from '../../src/config/home.ts';

export interface TemporaryHome {
  readonly home: Home;
  /** `HOME` is the temporary directory; the managed directory exists below it and is empty. */
  readonly env: Record<string, string | undefined>;
  readonly managed: string;
  readonly write: (name: string, text: string | Uint8Array) => string;
  readonly read: (name: string) => string;
}

export function temporaryHome(t: { readonly after: (end: () => unknown) => void }): TemporaryHome {
  const base = mkdtempSync(join(tmpdir(), 'hermes-config-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const path = join(base, '.hermes');
  const managed = join(base, 'managed');
  mkdirSync(path, { recursive: true });
  mkdirSync(managed);
  return {
    home: { path, root: path, profile: 'default' },
    env: { HOME: base, PATH: '/usr/bin:/bin', HERMES_MANAGED_DIR: managed },
    managed,
    write: (name, text) => {
      writeFileSync(join(path, name), text);
      return join(path, name);
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
  };
}
