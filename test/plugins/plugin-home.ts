/** A home with plug-ins in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';

/** By name: the code of each. */
export function homeWithPlugins(t: TestContext, plugins: Readonly<Record<string, string>>): TemporaryHome {
  const place = temporaryHome(t);
  for (const [name, code] of Object.entries(plugins)) {
    const folder = join(place.home.path, 'plugins', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plugin.yaml'), "version: '1.2'\n");
    writeFileSync(join(folder, 'index.mjs'), code);
  }
  return place;
}
