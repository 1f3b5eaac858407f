/** Bitwarden Secrets Manager: all secrets of one project, which the program `bws` lists. */
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../config/load.ts';
import { bitwardenServer, helperVariables, namedVariable } from '../config/secret-settings.ts';
import type { Variables } from '../config/variables.ts';
import { isExecutable } from '../lib/is-executable.ts';
import { parseJson } from '../lib/json.ts';
import { SourceFailure } from './failure.ts';
import { callHelper, fingerprint } from './helper.ts';
import type { SecretSource } from './source.ts';

type Settings = Config['secrets']['bitwarden'];

export interface BitwardenOptions {
  readonly settings: Settings;
  readonly env: Variables;
  readonly homePath: string;
  /** Brings the program into the home and returns its path; undefined where that is not wanted. */
  readonly install: ((signal: AbortSignal) => Promise<string>) | undefined;
}

const secretList = z.array(z.object({ key: z.string(), value: z.string() }));
const projectList = z.array(z.object({ id: z.string(), name: z.string() }));

export type Project = z.output<typeof projectList>[number];

export function bitwarden(options: BitwardenOptions): SecretSource {
  const { settings, env } = options;
  const token = namedVariable(env, settings.access_token_env);
  const project = settings.project_id.trim();
  const server = serverOf(options) ?? '';
  return {
    name: 'bitwarden',
    label: 'Bitwarden',
    shape: 'bulk',
    overrides: settings.override_existing,
    timeoutSeconds: settings.timeout_seconds,
    cacheSeconds: settings.cache_ttl_seconds,
    cacheFile: 'bws_cache.json',
    cacheKey: token === undefined ? undefined : `${fingerprint(token)}|${project}|${server}`,
    async ask(signal) {
      if (project === '') {
        throw new SourceFailure(
          'not_configured',
          'secrets.bitwarden.project_id is not set',
          'Choose one: hermes secrets bitwarden setup',
        );
      }
      // A project is an id; what begins with a dash would be an option.
      if (project.startsWith('-')) throw new SourceFailure('ref_invalid', 'secrets.bitwarden.project_id is no id');
      const secrets = await listOf(options, ['secret', 'list', project], secretList, signal);
      const values = secrets.map(({ key, value }): [string, string] => [key, value]);
      return { values: new Map(values.filter(([, value]) => value.trim() !== '')), problems: [] };
    },
  };
}

/** The projects that the token leads to. Throws `SourceFailure`. */
export function listProjects(options: BitwardenOptions, signal: AbortSignal): Promise<Project[]> {
  return listOf(options, ['project', 'list'], projectList, signal);
}

/** Where the program is when it was installed here. */
export function ownBws(homePath: string): string {
  return join(homePath, 'bin', process.platform === 'win32' ? 'bws.exe' : 'bws');
}

/** Throws `SourceFailure` when there is none. */
export async function bitwardenVersion(
  { homePath, env }: Pick<BitwardenOptions, 'homePath' | 'env'>,
  signal: AbortSignal,
): Promise<{ readonly program: string; readonly version: string }> {
  const program = knownBws(homePath);
  const printed = await callHelper({
    program,
    args: ['--version'],
    env: helperVariables(env),
    signal,
    secrets: [],
    missingHint,
  });
  return { program, version: printed.trim() };
}

async function listOf<T>(
  options: BitwardenOptions,
  args: readonly string[],
  shape: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const { settings, env, homePath, install } = options;
  const token = namedVariable(env, settings.access_token_env);
  if (token === undefined) {
    throw new SourceFailure(
      'not_configured',
      `${settings.access_token_env} is not set`,
      'Store it: hermes secrets bitwarden setup',
    );
  }
  const server = serverOf(options);
  const call = {
    args: [...args, '--output', 'json'],
    env: {
      ...helperVariables(env),
      BWS_ACCESS_TOKEN: token,
      ...(server === undefined ? {} : { BWS_SERVER_URL: server }),
      NO_COLOR: '1',
    },
    signal,
    secrets: [token],
    missingHint,
  };
  const printed = await callHelper({ ...call, program: knownBws(homePath) }).catch(async (error: unknown) => {
    if (!(error instanceof SourceFailure) || error.kind !== 'binary_missing' || install === undefined) throw error;
    return callHelper({ ...call, program: await install(signal) });
  });
  const parsed = shape.safeParse(parseJson(printed));
  if (!parsed.success) throw new SourceFailure('internal', 'bws printed something else than a list');
  return parsed.data;
}

const missingHint = 'Install it: hermes secrets bitwarden install';

function knownBws(homePath: string): string {
  const own = ownBws(homePath);
  return isExecutable(own) ? own : 'bws';
}

function serverOf({ settings, env }: Pick<BitwardenOptions, 'settings' | 'env'>): string | undefined {
  const named = settings.server_url.trim();
  return named === '' ? bitwardenServer(env) : named;
}
