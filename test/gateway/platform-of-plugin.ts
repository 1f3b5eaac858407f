/** The chat platform that a plug-in brings, as the gateway gets it: from a folder with code. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Platform } from '../../src/gateway/platform/platform.ts';
import { pluggedPlatform } from '../../src/gateway/plugged/plugged-platform.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { HookRegistry } from '../../src/plugins/hook-registry.ts';
import { discoverPlugins } from '../../src/plugins/packages/discover.ts';
import { loadPlugins } from '../../src/plugins/packages/load.ts';
import type { PluginPlatform } from '../../src/plugins/packages/plugin-platform.ts';
import { noGrants } from '../../src/plugins/packages/plugin-llm.ts';

const home = mkdtempSync(join(tmpdir(), 'hermes-plugged-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** The platform that a plug-in with this code registers. */
export async function registeredBy(
  key: string,
  code: string,
  { manifest = 'kind: platform\n', log = noLog }: { readonly manifest?: string; readonly log?: Log } = {},
): Promise<PluginPlatform> {
  const folder = join(home, 'plugins', key);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), `version: '1'\n${manifest}`);
  writeFileSync(join(folder, 'index.mjs'), code);
  const told: string[] = [];
  const found = await discoverPlugins({ homePath: home, enabled: [key], disabled: [], env: {} });
  const { platforms } = await loadPlugins(found, {
    registry: new HookRegistry(noLog),
    profileName: 'default',
    env: {},
    tools: new Map(),
    commandNames: [],
    sideTasks: [],
    ownProviders: () => Promise.reject(new Error('none is wanted')),
    mayOverride: () => false,
    llmGrants: () => noGrants,
    log,
    warn: (line) => told.push(line),
  });
  const [platform] = platforms;
  assert.ok(platform !== undefined, told.join('\n'));
  return platform;
}

export async function platformOf(...given: Parameters<typeof registeredBy>): Promise<Platform> {
  return pluggedPlatform(await registeredBy(...given));
}
