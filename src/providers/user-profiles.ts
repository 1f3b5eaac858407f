/** Provider profiles from the home: `plugins/model-providers/<name>/provider.yaml`; they replace built-in ones. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import type { AuthKind, ProviderProfile } from '../llm/provider.ts';
import { findProfile } from './choose-provider.ts';

const maxProfiles = 200;
const maxBytes = 64 * 1024;

export interface UserProfiles {
  readonly profiles: readonly ProviderProfile[];
  /** One line for each file that cannot be used. */
  readonly warnings: readonly string[];
}

/**
 * Reads the profiles below `directory`, sorted by name; of two with one id the later wins. Data only: code of the
 * original's plug-ins is not run. Nothing is read, and no YAML parser loaded, when the directory is missing.
 */
export async function readUserProfiles(directory: string): Promise<UserProfiles> {
  const names = await entriesOf(directory);
  const profiles = new Map<string, ProviderProfile>();
  const warnings: string[] = [];
  for (const name of names.slice(0, maxProfiles)) {
    const path = join(directory, name, 'provider.yaml');
    try {
      const profile = await readProfile(path, name);
      if (profile !== undefined) profiles.set(profile.id, profile);
    } catch (error) {
      const problem = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : errorMessage(error);
      warnings.push(`${path}: ${problem}; this provider is left out`);
    }
  }
  return { profiles: [...profiles.values()], warnings };
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith('.')).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

const word = z.string().trim().min(1).max(200);

/** Field names as in the original's profiles. Built when a file is read: most homes have none. */
const profileFile = () =>
  z.object({
    name: word.regex(/^[a-z0-9][a-z0-9._-]*$/i, 'letters, digits, dots and hyphens'),
    aliases: z.array(word).default([]),
    display_name: word.optional(),
    description: word.optional(),
    signup_url: z.url({ protocol: /^https?$/ }).optional(),
    api_mode: z.enum(['chat_completions', 'codex_responses', 'anthropic_messages']).optional(),
    auth_type: z.enum(['api_key', 'none', 'aws_sdk', 'copilot', 'oauth_device_code']).optional(),
    /** A last name that ends in `_BASE_URL` is the variable for the address. */
    env_vars: z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/)).default([]),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    models_url: z.url({ protocol: /^https?$/ }).optional(),
    default_model: word.optional(),
    fallback_models: z.array(word).optional(),
    default_aux_model: word.optional(),
    default_headers: z.record(z.string().regex(/^[\w-]+$/), z.string().max(2000)).optional(),
    default_max_tokens: z.int().positive().optional(),
    fixed_temperature: z.union([z.literal('omit'), z.number()]).optional(),
    extra_body: z.record(z.string(), z.json()).optional(),
    context_lengths: z.record(z.string(), z.int().positive()).optional(),
  });

type ProfileFile = z.infer<ReturnType<typeof profileFile>>;

async function readProfile(path: string, directoryName: string): Promise<ProviderProfile | undefined> {
  let text: string;
  try {
    if ((await stat(path)).size > maxBytes) throw new Error(`larger than ${maxBytes / 1024} KB`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  const { parse } = await import('yaml');
  const data: unknown = parse(text, { maxAliasCount: 10 });
  if (!isJsonObject(data)) throw new Error('not a map');
  return toProfile(profileFile().parse({ name: directoryName, ...data }));
}

/** What the file does not say is taken from the built-in profile of the same id, if there is one. */
function toProfile(file: ProfileFile): ProviderProfile {
  const id = file.name.toLowerCase();
  const found = findProfile(id, {});
  const builtIn = found?.id === id ? found : undefined;
  const last = file.env_vars.at(-1);
  const override = last?.endsWith('_BASE_URL') === true ? last : undefined;
  const keys = file.env_vars.filter((name) => name !== override);
  const baseUrl = file.base_url ?? builtIn?.baseUrl;
  if (baseUrl === undefined) throw new Error('base_url is missing');
  const quirks = {
    ...builtIn?.quirks,
    ...(file.fixed_temperature === undefined ? {} : { temperature: file.fixed_temperature }),
  };
  return {
    ...builtIn,
    id,
    aliases: file.aliases.length > 0 ? file.aliases.map((alias) => alias.toLowerCase()) : (builtIn?.aliases ?? []),
    apiMode: file.api_mode ?? builtIn?.apiMode ?? 'chat_completions',
    baseUrl,
    keyVariables: keys.length > 0 ? keys : (builtIn?.keyVariables ?? []),
    auth: authKindOf(file.auth_type, keys) ?? builtIn?.auth ?? 'optional_api_key',
    quirks,
    ...present('name', file.display_name),
    ...present('description', file.description),
    ...present('signupUrl', file.signup_url),
    ...present('baseUrlVariable', override),
    ...present('modelsUrl', file.models_url),
    ...present('defaultModel', file.default_model ?? file.fallback_models?.[0]),
    ...present('models', file.fallback_models),
    ...present('auxModel', file.default_aux_model),
    ...present('headers', file.default_headers),
    ...present('maxTokens', file.default_max_tokens),
    ...present('extraBody', file.extra_body),
    ...present('contextLengths', file.context_lengths),
  };
}

function authKindOf(written: ProfileFile['auth_type'], keys: readonly string[]): AuthKind | undefined {
  if (written === 'aws_sdk') return 'aws';
  return written ?? (keys.length > 0 ? 'api_key' : undefined);
}

function present<Key extends keyof ProviderProfile, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  const fields: { [K in Key]?: Value } = {};
  if (value !== undefined) fields[key] = value;
  return fields;
}
