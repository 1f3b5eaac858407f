/** What `hermes status` tells, section by section. No secret is shown whole. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDER_KEYS, TOOL_KEYS } from '../../config/env-names.ts';
import { withoutUserInfo } from '../../config/env-values.ts';
import { displayPath } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { namedText } from '../../credentials/keys.ts';
import { counted } from '../../lib/counted.ts';
import { errorMessage } from '../../lib/errors.ts';
import { allProfiles } from '../../providers/choose-provider.ts';
import { maskSecret } from '../../lib/secrets.ts';
import { type Credentials, openCredentials } from '../auth/credentials.ts';
import { plain, providerName, stateOf } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';
import { programs } from '../doctor/programs.ts';
import { secretFindings } from '../secrets/findings.ts';
import { localTime } from '../sessions/times.ts';
import { storePath, withStore } from '../sessions/with-store.ts';
import { checkReachability } from './reachability.ts';

export interface StatusContext {
  readonly cli: CliContext;
  readonly loaded: LoadedConfig;
  /** What is not set or not used is listed too. */
  readonly all: boolean;
  readonly version: string;
  /** Undefined when `auth.json` cannot be used. */
  readonly credentials: Credentials | undefined;
}

export interface StatusSection {
  readonly title: string;
  /** Asks others, so only on request. */
  readonly deep?: boolean;
  /** Left out when there is nothing to tell. */
  readonly optional?: boolean;
  run(context: StatusContext): Promise<Finding[]> | Finding[];
}

export const statusSections: readonly StatusSection[] = [
  { title: 'Environment', run: environment },
  { title: 'API Keys', run: apiKeys },
  { title: 'Secret Managers', optional: true, run: ({ cli }) => secretFindings(cli) },
  { title: 'Auth Providers', run: authProviders },
  { title: 'API-Key Providers', run: keyProviders },
  { title: 'Terminal Backend', run: terminalBackend },
  { title: 'Gateway', run: gateway },
  { title: 'Sessions', run: sessions },
  { title: 'Reachability', deep: true, run: ({ cli }) => checkReachability(cli) },
];

/** The credentials, or why they cannot be read. */
export async function tryCredentials(cli: CliContext): Promise<Credentials | Finding> {
  try {
    return await openCredentials(cli);
  } catch (error) {
    return { status: 'fail', text: plain(errorMessage(error)) };
  }
}

function environment({ cli, loaded, all, version }: StatusContext): Finding[] {
  const { home, env } = cli;
  const { config, managed, user } = loaded;
  const { default: model, provider, base_url: baseUrl } = config.model;
  const file = displayPath(loaded.path, env);
  const rows: [string, string][] = [
    ['Version', version],
    ['Node', process.version],
    ['System', `${process.platform} ${process.arch}`],
    ['Home', displayPath(home.path, env)],
    ['Profile', home.profile],
    ['Settings', user.state === 'read' ? file : `${file} (${user.state})`],
    ['Secrets', existsSync(join(home.path, '.env')) ? displayPath(join(home.path, '.env'), env) : 'no .env yet'],
    ['Model', model === '' ? 'not set' : model],
    ['Provider', provider],
    ...(baseUrl === '' ? [] : [['Base URL', withoutUserInfo(baseUrl)] satisfies [string, string]]),
  ];
  if (all) {
    const fallbacks = config.fallback_providers.map((entry) => `${entry.model} (${entry.provider})`);
    const pinned = [...managed.keys, ...managed.variables];
    rows.push(
      ['Fallbacks', fallbacks.length === 0 ? 'none' : fallbacks.join(', ')],
      ['Settings version', String(user.version)],
      ['Time zone', config.timezone === '' ? 'that of this machine' : config.timezone],
      ['Managed', pinned.length === 0 ? 'nothing' : `${pinned.join(', ')} (${managed.directory})`],
    );
  }
  return rows.map(([label, value]) => ({ status: 'info', text: `${label}: ${plain(value)}` }));
}

function apiKeys({ cli: { env }, all }: StatusContext): Finding[] {
  const findings = [...PROVIDER_KEYS, ...TOOL_KEYS].flatMap(([label, ...names]): Finding[] => {
    const set = names.flatMap((name) => {
      const value = namedText(name, env);
      if (value === undefined) return [];
      return [`${name} ${name.endsWith('_URL') ? plain(withoutUserInfo(value)) : plain(maskSecret(value))}`];
    });
    if (set.length > 0) return [{ status: 'ok', text: `${label}: ${set.join(', ')}` }];
    return all ? [{ status: 'info', text: `${label}: not set` }] : [];
  });
  return findings.length > 0 ? findings : [{ status: 'info', text: 'none set' }];
}

function authProviders({ credentials, all }: StatusContext): Finding[] {
  if (credentials === undefined) return [];
  const active = credentials.store.activeProvider();
  const logins = allProfiles(credentials.settings).filter(
    ({ auth }) => auth === 'oauth_device_code' || auth === 'oauth_pkce' || auth === 'copilot',
  );
  const findings = logins.flatMap(({ id }): Finding[] => {
    const name = `${providerName(credentials, id)}${id === active ? ' (last login)' : ''}`;
    const found = stateLines(credentials, id);
    if (found !== undefined) return [{ status: 'ok', text: `${name}: ${found}` }];
    return all ? [{ status: 'info', text: `${name}: not logged in` }] : [];
  });
  return findings.length > 0 ? findings : [{ status: 'info', text: 'not logged in anywhere' }];
}

function keyProviders({ credentials, all }: StatusContext): Finding[] {
  if (credentials === undefined) return [];
  const { settings } = credentials;
  const withKeys = allProfiles(settings).filter(({ auth }) => auth === 'api_key' || auth === 'optional_api_key');
  const saved = credentials.ids().filter((id) => id.startsWith('custom:'));
  const findings = [...withKeys.map(({ id }) => id), ...saved].flatMap((id): Finding[] => {
    const found = stateLines(credentials, id);
    if (found !== undefined) return [{ status: 'ok', text: `${providerName(credentials, id)}: ${found}` }];
    return all ? [{ status: 'info', text: `${providerName(credentials, id)}: not configured` }] : [];
  });
  return findings.length > 0 ? findings : [{ status: 'info', text: 'none configured' }];
}

function stateLines(credentials: Credentials, id: string): string | undefined {
  const now = Date.now();
  const members = credentials.of(id);
  if (members.length === 0) return undefined;
  return members.map((member) => `${plain(member.entry.label)} ${stateOf(member, now)}`).join('; ');
}

async function terminalBackend({ cli, loaded, all }: StatusContext): Promise<Finding[]> {
  const { terminal } = loaded.config;
  const findings: Finding[] = [
    { status: 'info', text: `Backend: ${terminal.backend}` },
    { status: 'info', text: `Directory: ${plain(terminal.cwd)}` },
    { status: 'info', text: `Timeout: ${terminal.timeout} s` },
  ];
  if (terminal.backend === 'docker') findings.push({ status: 'info', text: `Image: ${plain(terminal.docker_image)}` });
  const checked = await programs.run({ cli, loaded, fix: false });
  return [...findings, ...checked.filter(({ status }) => all || status === 'fail')];
}

async function gateway({ cli, loaded, all }: StatusContext): Promise<Finding[]> {
  const { gatewayLines } = await import('../gateway/show.ts');
  const { pluggedPlatforms } = await import('../gateway/plugged-platforms.ts');
  const { platformTitle } = await import('../gateway/platform-title.ts');
  const { platformReports } = await import('../../gateway/process/configured-platforms.ts');
  const plugged = await pluggedPlatforms(cli);
  const reports = await platformReports({ raw: loaded.raw, variables: cli.env, plugged });
  const platforms = reports.flatMap(({ platform, config, configured, problems }): Finding[] => {
    if (!configured) return all ? [{ status: 'info', text: `${platformTitle(platform)}: not set up` }] : [];
    const home = config.homeChannel === undefined ? '' : `, home channel ${plain(config.homeChannel.chatId)}`;
    const how = config.enabled ? 'set up' : 'set up, switched off';
    return [
      { status: config.enabled ? 'ok' : 'info', text: `${platformTitle(platform)}: ${how}${home}` },
      ...problems.map((problem): Finding => ({ status: 'warn', text: plain(problem) })),
    ];
  });
  return [...gatewayLines(cli.home, new Set(plugged.map(({ name }) => name))), ...platforms];
}

async function sessions({ cli }: StatusContext): Promise<Finding[]> {
  try {
    const found = await withStore(cli, async (store) => ({
      stats: await store.maintenance.stats(),
      newest: await store.sessions.list({ limit: 1 }),
    }));
    if (found === undefined) return [{ status: 'info', text: 'none yet' }];
    const { stats, newest } = found;
    const megabytes = (stats.sizeBytes / 1024 / 1024).toFixed(1);
    return [
      {
        status: 'ok',
        text: `${counted(stats.sessions, 'session')}, ${counted(stats.messages, 'message')}`,
        detail: `${megabytes} MB`,
      },
      ...newest.map(({ started_at: started }): Finding => ({ status: 'info', text: `Newest: ${localTime(started)}` })),
    ];
  } catch (error) {
    const where = displayPath(storePath(cli), cli.env);
    return [{ status: 'fail', text: `${where} cannot be read: ${plain(errorMessage(error))}` }];
  }
}
