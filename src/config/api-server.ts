/** Where the API server listens, who may ask it, and what it calls itself. */
import * as z from 'zod';
import { isPlaceholder } from '../lib/secrets.ts';
import { isOn } from './env-values.ts';
import { filledVariables, listenerBlock } from './listener-block.ts';
import type { LoadedConfig } from './load.ts';
import { int, list, mapOf, optionalText, text } from './schema/fields.ts';
import type { Variables } from './variables.ts';

/** Another model that a request may name. */
export interface ModelAlias {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

export interface ApiServerSettings {
  readonly enabled: boolean;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** As it is written; see {@link keyProblem}. */
  readonly key: string;
  /** Origins of pages that may ask; `*` allows every one. */
  readonly corsOrigins: readonly string[];
  /** Names, besides its address and those of this machine, under which the server may be asked. */
  readonly allowedHosts: readonly string[];
  /** Under which the agent is listed as a model. */
  readonly modelName: string;
  readonly aliases: Readonly<Record<string, ModelAlias>>;
  /** Most turns at the same time; 0 sets no limit. */
  readonly maxTurns: number;
}

const minKeyChars = 16;

const extra = z.object({
  host: optionalText('Address to listen on'),
  port: int(8642, 'Port', { most: 65_535 }),
  key: optionalText('Key that callers send'),
  cors_origins: list('Origins of pages that may ask'),
  allowed_hosts: list('More names under which the server may be asked'),
  model_name: optionalText('Name of the agent on the list of models'),
  model_routes: mapOf(
    z.looseObject({
      model: text('', 'Model'),
      provider: optionalText('Provider'),
      api_key: optionalText('Key'),
      base_url: optionalText('Address'),
    }),
    'Models that a request may name',
  ),
});

/**
 * A value of `platforms.api_server.extra` beats the variable. Throws a `ZodError` only for values of a kind that cannot be
 * read, such as a port that is a word.
 */
export function apiServerSettings({ config, raw }: LoadedConfig, env: Variables, profile: string): ApiServerSettings {
  const written = listenerBlock(raw, 'api_server');
  const given = written.extra;
  const read = extra.parse({
    ...fromVariables(env),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== '')),
  });
  return {
    enabled: written.enabled ?? isOn(env['API_SERVER_ENABLED']),
    host: read.host?.trim() || '127.0.0.1',
    port: read.port,
    key: read.key?.trim() ?? '',
    corsOrigins: read.cors_origins,
    allowedHosts: read.allowed_hosts,
    modelName: read.model_name?.trim() || (profile === 'default' ? 'hermes-agent' : profile),
    aliases: Object.fromEntries(Object.entries(read.model_routes).flatMap(aliasOf)),
    maxTurns: config.gateway.api_server.max_concurrent_runs,
  };
}

/** Why nobody can be let in with it, in words for whoever sets the server up. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'it has no key';
  if (isPlaceholder(key)) return 'its key is a placeholder';
  return key.length < minKeyChars ? `its key has fewer than ${minKeyChars} characters` : undefined;
}

function fromVariables(env: Variables): Record<string, string> {
  const names = {
    host: env['API_SERVER_HOST'],
    port: env['API_SERVER_PORT'],
    key: env['API_SERVER_KEY'],
    cors_origins: env['API_SERVER_CORS_ORIGINS'],
    model_name: env['API_SERVER_MODEL_NAME'],
  };
  return filledVariables(names);
}

function aliasOf([alias, { model, provider, api_key: apiKey, base_url: baseUrl }]: [
  string,
  z.infer<typeof extra>['model_routes'][string],
]): [string, ModelAlias][] {
  return model === '' ? [] : [[alias, { model, provider, apiKey, baseUrl }]];
}
