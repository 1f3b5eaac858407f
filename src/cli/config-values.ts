/** `hermes config get`, `set` and `unset`. */
import { withoutUserInfo } from '../config/env-values.ts';
import { displayPath } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import { UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { isSecretName } from '../lib/secrets.ts';
import type { CliContext } from './command.ts';

const USAGE = {
  get: [
    'Usage: hermes config get KEY [--json]',
    '  hermes config get model.default',
    '  hermes config get display --json',
  ],
  set: [
    'Usage: hermes config set KEY VALUE',
    '  hermes config set model.default anthropic/claude-sonnet-4.6',
    '  hermes config set terminal.timeout 300',
    '  hermes config set OPENROUTER_API_KEY sk-or-...',
  ],
  unset: [
    'Usage: hermes config unset KEY',
    '  hermes config unset terminal.timeout',
    '  hermes config unset OPENROUTER_API_KEY',
  ],
} as const;

/** Prints the effective value; secrets in it are hidden. Throws `UserError` when nothing is set. */
export async function getConfig(context: CliContext, key: string | undefined, asJson: boolean): Promise<void> {
  if (key === undefined) throw usageError('get');
  const { keyPath, isVariable } = await import('../config/edit.ts');
  if (isVariable(key)) {
    const { firstSet } = await import('../config/env-values.ts');
    const value = firstSet(context.env, [key.toUpperCase()])?.value;
    if (value === undefined) throw await notSet(key);
    const { maskSecret } = await import('../lib/secrets.ts');
    const shown = isSecretName(key) ? maskSecret(value) : value;
    context.io.stdout.write(`${asJson ? JSON.stringify(shown) : shown}\n`);
    return;
  }
  const value = hidden(effective(await context.config(), key === 'model' ? ['model'] : keyPath(key)), key);
  if (value === undefined || value === null || value === '') throw await notSet(key);
  context.io.stdout.write(asJson ? `${JSON.stringify(value, null, 2)}\n` : await asYaml(value));
}

export interface SetOptions {
  /** Say nothing about a key that nobody knows. */
  readonly force: boolean;
}

export async function setConfig(
  context: CliContext,
  [key, ...words]: readonly string[],
  { force }: SetOptions,
): Promise<void> {
  if (key === undefined || words.length === 0) throw usageError('set');
  const { setConfigValue } = await import('../config/edit.ts');
  const result = await setConfigValue({ home: context.home, env: context.env, key, value: words.join(' ') });
  const shown = result.shown === undefined ? '' : ` = ${result.shown}`;
  context.io.stdout.write(`✓ Set ${result.key}${shown} in ${displayPath(result.file, context.env)}\n`);
  if (force) return;
  if (result.part !== undefined) {
    context.io.stderr.write(`⚠ '${result.key}' has no effect in this build: it belongs to ${result.part}.\n`);
  } else if (result.unknown) {
    context.io.stderr.write(`⚠ Nothing reads '${result.key}'; it was stored all the same.${await meant(result.key)}\n`);
  } else if (result.key === 'model.provider' && !(await isProvider(context, words.join(' ')))) {
    context.io.stderr.write(
      `⚠ No provider is called '${words.join(' ')}' yet. \`hermes model\` lets you choose one.\n`,
    );
  }
}

/** One may be set before the server of one's own that it names. */
async function isProvider(context: CliContext, name: string): Promise<boolean> {
  if (['', 'auto'].includes(name.trim().toLowerCase())) return true;
  const { lookUpProvider } = await import('../providers/choose-provider.ts');
  const { readProviderSettings } = await import('./model/provider-settings.ts');
  return lookUpProvider(name, await readProviderSettings(context)) !== undefined;
}

export async function unsetConfig(context: CliContext, key: string | undefined): Promise<void> {
  if (key === undefined) throw usageError('unset');
  const { unsetConfigValue } = await import('../config/edit.ts');
  const file = await unsetConfigValue({ home: context.home, env: context.env, key });
  if (file === undefined) throw await notSet(key);
  context.io.stdout.write(`✓ Unset ${key} in ${displayPath(file, context.env)}\n`);
}

/** ` Did you mean x?`, or nothing. */
export async function meant(key: string): Promise<string> {
  const { nearestKey } = await import('../config/near-miss.ts');
  const near = nearestKey(key);
  return near === undefined || near === key ? '' : ` Did you mean ${near}?`;
}

function effective({ config, raw }: LoadedConfig, path: readonly string[]): JsonValue | undefined {
  const typed = walk(config, path);
  return typed === undefined ? walk(raw, path) : typed;
}

function walk(tree: unknown, path: readonly string[]): JsonValue | undefined {
  let current = tree;
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = Reflect.get(current, name);
  }
  const text = JSON.stringify(current);
  return text === undefined ? undefined : JSON.parse(text);
}

function hidden(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value === 'string' && value !== '' && isSecretName(key.split('.').at(-1) ?? '')) return '***';
  if (typeof value === 'string') return withoutUserInfo(value);
  if (Array.isArray(value)) return value.map((item) => hidden(item, '') ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hidden(item, name) ?? null]));
}

async function asYaml(value: JsonValue): Promise<string> {
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value);
}

async function notSet(key: string): Promise<UserError> {
  const near = (await meant(key)).trim();
  return new UserError(`Config key not set: ${key.slice(0, 200)}`, near === '' ? {} : { hint: near });
}

function usageError(command: keyof typeof USAGE): UserError {
  const [usage, ...examples] = USAGE[command];
  return new UserError(usage, { hint: ['Examples:', ...examples].join('\n') });
}
