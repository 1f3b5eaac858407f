/** The facts about an installation that somebody who helps from afar needs, as plain text without a secret. */
import { globSync } from 'node:fs';
import { arch, release, type } from 'node:os';
import { PROVIDER_KEYS, TOOL_KEYS } from '../../config/env-names.ts';
import { displayPath } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { parseSection } from '../../config/parse-config.ts';
import { isSectionName } from '../../config/schema.ts';
import { leafPaths, valueAt } from '../../config/values.ts';
import { namedText } from '../../credentials/keys.ts';
import { isSecretName, maskSecret } from '../../lib/secrets.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { createRedactor } from '../../safety/redact.ts';
import { secretValuesOf } from '../../safety/secret-variables.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';

const LONGEST_VALUE = 200;

/** `showKeys` adds the first and last four characters of keys. */
export async function dumpText(context: CliContext, showKeys: boolean): Promise<string> {
  const loaded = await context.config();
  const { home, env } = context;
  const { config } = loaded;
  const rows = (pairs: readonly (readonly [string, string])[], indent = ''): string[] =>
    pairs.map(([label, value]) => `${indent}${`${label}:`.padEnd(18)}${value === '' ? 'not set' : value}`);
  const lines = [
    '--- hermes dump ---',
    ...rows([
      ['version', `${readPackage().version} (TypeScript)`],
      ['os', `${type()} ${release()} ${arch()}`],
      ['node', process.version],
      ['profile', home.profile],
      ['hermes_home', displayPath(home.path, env)],
      ['model', config.model.default],
      ['provider', config.model.provider],
      ['terminal', config.terminal.backend],
    ]),
    '',
    'api_keys:',
    ...keyLines(context, showKeys),
    '',
    'features:',
    ...rows(features(loaded, home.path), '  '),
    '',
    'config_overrides:',
    ...overrideLines(loaded),
    '--- end dump ---',
  ];
  const redact = createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
  return `${lines.map((line) => escapeForDisplay(redact(line), { singleLine: true })).join('\n')}\n`;
}

function keyLines({ env }: CliContext, showKeys: boolean): string[] {
  return [...PROVIDER_KEYS, ...TOOL_KEYS].map(([label, ...names]) => {
    const value = names.map((name) => namedText(name, env)).find((text) => text !== undefined);
    const state = value === undefined ? 'not set' : showKeys ? maskSecret(value) : 'set';
    return `  ${label.padEnd(20)} ${state}`;
  });
}

function features({ config }: LoadedConfig, home: string): (readonly [string, string])[] {
  const { provider } = config.memory;
  return [
    ['toolsets', (config.platform_toolsets['cli'] ?? config.toolsets).join(', ')],
    ['memory_provider', provider === '' ? 'built-in' : `${provider} (not in this build)`],
    ['skills', String(globSync('skills/**/SKILL.md', { cwd: home, exclude: (name) => name.startsWith('.') }).length)],
    ['fallbacks', String(config.fallback_providers.length)],
  ];
}

/** What the user's file says otherwise than the defaults. */
function overrideLines({ user }: LoadedConfig): string[] {
  const lines = leafPaths(user.data).flatMap((key) => {
    const path = key.split('.');
    const [section = '', ...rest] = path;
    const value = valueAt(user.data, path);
    if (section === '_config_version' || value === undefined) return [];
    const written = JSON.stringify(value);
    if (written === defaultAt(section, rest)) return [];
    const hidden = isSecretName(path.at(-1) ?? '') || isSecretName(key);
    return [`  ${key}: ${hidden ? '***' : written.slice(0, LONGEST_VALUE)}`];
  });
  return lines.length === 0 ? ['  (none)'] : lines;
}

function defaultAt(section: string, rest: readonly string[]): string | undefined {
  if (!isSectionName(section)) return undefined;
  const value: unknown = JSON.parse(JSON.stringify(parseSection(section, undefined).value ?? null));
  const found =
    rest.length === 0 ? value : rest.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return JSON.stringify(found);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
