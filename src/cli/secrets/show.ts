/** `hermes secrets … status`: the settings of a secret manager, and what became of the values it gave last. Asks it nothing. */
import { namedVariable } from '../../config/secret-settings.ts';
import { bitwardenVersion } from '../../secret-sources/bitwarden.ts';
import { SourceCache } from '../../secret-sources/cache.ts';
import { SourceFailure } from '../../secret-sources/failure.ts';
import type { Fetched } from '../../secret-sources/fetch-secrets.ts';
import { onePasswordVersion } from '../../secret-sources/one-password.ts';
import { allSources, openSources, type SourceSettings } from '../../secret-sources/open-sources.ts';
import { judgePlaces, type Placed } from '../../secret-sources/place.ts';
import type { SecretSource, SourceName } from '../../secret-sources/source.ts';
import { plain } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import { rulesOf } from './at-start.ts';

const versionMs = 10_000;

export async function showSource(context: CliContext, name: SourceName): Promise<void> {
  const loaded = await context.config();
  const settings = { homePath: context.home.path, env: context.env, config: loaded.config };
  const source = allSources(settings).find((one) => one.name === name);
  if (source === undefined) return;
  const kept = keptValues(settings);
  const own = kept.find((one) => one.source.name === name);
  const rows: [string, string][] = [
    [source.label, loaded.config.secrets[name].enabled ? 'on' : `off; switch it on: hermes secrets ${name} setup`],
    ['Program', await programOf(settings, name)],
    ...(name === 'bitwarden' ? bitwardenRows(settings) : onePasswordRows(settings)),
    ['Set before', source.overrides ? 'is replaced' : 'stays'],
    ['Kept', keptText(source, own)],
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 1;
  const lines = rows.map(([label, value]) => `${`${plain(label)}:`.padEnd(width)} ${plain(value)}`);
  if (own !== undefined) {
    const placed = judgePlaces(context.env, kept, rulesOf(loaded)).filter((one) => one.source.name === name);
    lines.push('', ...fateLines(placed));
  }
  context.io.stdout.write(`${lines.join('\n')}\n`);
}

/** A line for each value: what a start does with it. */
export function fateLines(placed: readonly Placed[]): string[] {
  const width = Math.max(...placed.map(({ variable }) => variable.length));
  return placed.map(({ variable, fate }) => `  ${plain(variable).padEnd(width)}  ${fates[fate]}`);
}

/** What is kept of all that are switched on, in the order they count. */
export function keptValues(settings: SourceSettings): Fetched[] {
  return openSources(settings).sources.flatMap((source) => {
    if (source.cacheKey === undefined || source.cacheSeconds === 0) return [];
    const cached = new SourceCache(settings.homePath, source.cacheFile).read(source.cacheKey);
    return cached === undefined ? [] : [{ source, values: cached.values, problems: [], age: cached.age }];
  });
}

const fates: Readonly<Record<Placed['fate'], string>> = {
  set: 'set',
  overrode: 'set, in the place of another value',
  kept: 'not used: it is set already',
  conflict: 'not used: another secret manager has it',
  protected: 'not used: no secret manager may set it',
  pinned: 'not used: your administrator set it',
  invalid: 'not used: no variable can be called or hold that',
};

function keptText({ cacheSeconds }: SecretSource, own: Fetched | undefined): string {
  if (cacheSeconds === 0) return 'nothing; every start asks';
  const last = own?.age === undefined ? 'nothing is kept now' : `fetched ${Math.round(own.age)} s ago`;
  return `for ${cacheSeconds} s; ${last}`;
}

async function programOf(settings: SourceSettings, name: SourceName): Promise<string> {
  const { config, env } = settings;
  const signal = AbortSignal.timeout(versionMs);
  try {
    if (name === 'onepassword') return `op ${await onePasswordVersion(config.secrets.onepassword, env, signal)}`;
    const { program, version } = await bitwardenVersion(settings, signal);
    return `${version} (${program})`;
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return `none: ${error.message}`;
  }
}

function bitwardenRows({ config, env }: SourceSettings): [string, string][] {
  const { access_token_env: name, project_id: project, server_url: server } = config.secrets.bitwarden;
  return [
    ['Token', tokenText(env, name)],
    ['Project', project === '' ? 'none; choose one: hermes secrets bitwarden setup' : project],
    ['Server', server === '' ? 'that of Bitwarden' : server],
  ];
}

function onePasswordRows({ config, env }: SourceSettings): [string, string][] {
  const { service_account_token_env: name, account, env: references } = config.secrets.onepassword;
  const entries = Object.entries(references);
  return [
    ['Token', `${tokenText(env, name)}; without one the login of op counts`],
    ['Account', account === '' ? 'the only one, or the last one used' : account],
    ['References', entries.length === 0 ? 'none; add one: hermes secrets onepassword set' : String(entries.length)],
    ...entries.map(([variable, reference]): [string, string] => [`  ${variable}`, reference]),
  ];
}

function tokenText(env: SourceSettings['env'], name: string): string {
  return `${name} is ${namedVariable(env, name) === undefined ? 'not set' : 'set'}`;
}
