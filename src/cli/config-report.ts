/** What `hermes config show` and `hermes config check` print. Never contains a whole secret. */
import { join } from 'node:path';
import { PLATFORM_KEYS, PROVIDER_KEYS, TOOL_KEYS } from '../config/env-names.ts';
import { strayCopies } from '../config/env-copies.ts';
import { firstSet, withoutUserInfo } from '../config/env-values.ts';
import { displayPath } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import { needsMigration } from '../config/migrate.ts';
import { missingPartOfVariable, unbuiltVariables } from '../config/not-in-build-variables.ts';
import { nearestKey } from '../config/near-miss.ts';
import { CONFIG_VERSION } from '../config/schema.ts';
import { counted } from '../lib/counted.ts';
import { isSecretName, maskSecret } from '../lib/secrets.ts';
import type { CliContext } from './command.ts';

type Row = readonly [label: string, value: string];

/** The effective settings a person looks for, by section. */
export function configReport(context: CliContext, loaded: LoadedConfig): string {
  const { home, env } = context;
  const { config, managed } = loaded;
  const show = (path: string) => displayPath(path, env);
  return [
    ...box('Hermes Configuration'),
    ...managedHeader(loaded),
    ...part('Paths', [
      ['Config', show(loaded.path) + (loaded.user.state === 'absent' ? ' (not there yet)' : '')],
      ['Secrets', show(join(home.path, '.env'))],
      ['Home', show(home.path)],
      ['Profile', home.profile],
      ...(managed.redirected ? [['Managed', managed.directory] as const] : []),
    ]),
    ...part('API Keys', keyRows([...PROVIDER_KEYS, ...ofThisBuild(TOOL_KEYS)], env)),
    ...part('Model', [
      ['Model', orUnset(config.model.default)],
      ['Provider', config.model.provider],
      ...(config.model.base_url === '' ? [] : [['Base URL', withoutUserInfo(config.model.base_url)] as const]),
      ['Max turns', String(config.agent.max_turns)],
      ['Reasoning', config.agent.reasoning_effort || 'medium'],
    ]),
    ...part('Display', [
      ['Interface', config.display.interface],
      ['Tool progress', config.display.tool_progress],
      ['Streaming', onOff(config.display.streaming)],
      ['Reasoning', onOff(config.display.show_reasoning)],
      ['Skin', config.display.skin],
    ]),
    ...part('Terminal', terminalRows(loaded)),
    ...part('Timezone', [['Zone', config.timezone || '(that of this machine)']]),
    ...part('Context Compression', [
      ['Enabled', onOff(config.compression.enabled)],
      ['Threshold', `${Math.round(config.compression.threshold * 100)} %`],
      ['Kept verbatim', `${Math.round(config.compression.target_ratio * 100)} %`],
      ['Newest kept', counted(config.compression.protect_last_n, 'message')],
    ]),
    ...auxiliaryPart(loaded),
    ...part(
      'Messaging Platforms',
      ofThisBuild(PLATFORM_KEYS).map(([name, ...names]) => [
        name,
        names.every((key) => firstSet(env, [key])) ? 'configured' : 'not configured',
      ]),
    ),
    ...skillsPart(loaded),
    '',
    '  hermes config edit            open the file in your editor',
    '  hermes config set KEY VALUE   change one setting',
  ].join('\n');
}

/** Version, variables and options the file lacks. `ready`: something leads to a model, or a way in to one is kept. */
export function checkReport(context: CliContext, loaded: LoadedConfig, ready: boolean): string {
  const { env } = context;
  const { version, state } = loaded.user;
  const behind = needsMigration(version);
  const unknown = loaded.unknownKeys();
  const unbuilt = loaded.unbuiltKeys();
  const variables = unbuiltVariables(env);
  const copies = strayCopies(context.home, loaded);
  // What a variable says is told with the variable.
  const bad = loaded.bad.filter(({ path }) => loaded.source(path) !== 'env');
  const written =
    PROVIDER_KEYS.some(([, ...names]) => firstSet(env, names) !== undefined) || loaded.config.model.base_url !== '';
  return [
    ...box('Configuration Check'),
    ...managedHeader(loaded),
    ...part('Version', [
      ['Config', behind ? `${version} → ${CONFIG_VERSION} (update available)` : `${version} (current)`],
      ['File', state === 'broken' ? 'does not parse; defaults apply' : state],
    ]),
    '',
    '◆ Required',
    `  ${mark(written || ready)} a key or login of a model provider, or an endpoint of your own`,
    '',
    '◆ Optional',
    ...[...PROVIDER_KEYS, ...ofThisBuild(TOOL_KEYS)].map(
      ([label, ...names]) => `  ${mark(firstSet(env, names) !== undefined)} ${label}: ${names.join(', ')}`,
    ),
    ...(loaded.problems.length === 0
      ? []
      : [
          '',
          '◆ Variables that cannot be used',
          ...loaded.problems.map((item) => `  ✗ ${item.variable}: ${item.message}`),
        ]),
    ...(copies.length === 0 ? [] : ['', '◆ Copies in .env', ...copies.map(({ text }) => `  ? ${text}`)]),
    ...(unknown.length === 0
      ? []
      : ['', '◆ Unknown keys (kept, without effect)', ...unknown.map((key) => `  ? ${key}${hint(key)}`)]),
    ...(unbuilt.length === 0
      ? []
      : ['', '◆ Not in this build (kept, without effect)', ...unbuilt.map(({ key, part }) => `  - ${key} (${part})`)]),
    ...(variables.size === 0
      ? []
      : [
          '',
          '◆ Variables without effect in this build',
          ...[...variables].map(([part, names]) => `  - ${names.join(', ')} (${part})`),
        ]),
    ...(bad.length === 0
      ? []
      : ['', '◆ Values that cannot be used', ...bad.map(({ path, message }) => `  ✗ ${path}: ${message}`)]),
    '',
    behind ? 'Run `hermes config migrate` to bring the file up to date.' : 'The file is up to date.',
  ].join('\n');
}

type Keys = readonly [label: string, ...names: string[]];

/** Without the variables that nothing reads yet. */
function ofThisBuild(groups: readonly Keys[]): Keys[] {
  return groups
    .map(([label, ...names]): Keys => [label, ...names.filter((name) => missingPartOfVariable(name) === undefined)])
    .filter(({ length }) => length > 1);
}

function managedHeader({ managed }: LoadedConfig): string[] {
  const rows: string[] = [];
  if (managed.keys.length > 0) rows.push(`Managed by ${managed.configPath}: ${managed.keys.join(', ')}`);
  if (managed.variables.length > 0) rows.push(`Managed by ${managed.envPath}: ${managed.variables.join(', ')}`);
  return rows.length === 0 ? [] : ['', ...rows];
}

function terminalRows({ config }: LoadedConfig): Row[] {
  const { terminal } = config;
  const rows: Row[] = [
    ['Backend', terminal.backend],
    ['Directory', terminal.cwd],
    ['Timeout', `${terminal.timeout} s`],
  ];
  if (terminal.backend === 'docker') rows.push(['Image', terminal.docker_image]);
  if (terminal.backend === 'modal') rows.push(['Image', terminal.modal_image]);
  if (terminal.backend === 'daytona') rows.push(['Image', terminal.daytona_image]);
  if (terminal.backend === 'ssh') rows.push(['Host', orUnset(terminal.ssh_host)], ['User', orUnset(terminal.ssh_user)]);
  return rows;
}

function auxiliaryPart({ config }: LoadedConfig): string[] {
  const { transient_retries: _, video, ...tasks } = config.auxiliary;
  const changed = Object.entries(tasks).filter(
    ([, task]) => task.provider !== 'auto' || task.model !== '' || task.base_url !== '',
  );
  const rows = changed.map(
    ([name, task]): Row => [
      name,
      [task.base_url ? withoutUserInfo(task.base_url) : task.provider, task.model].filter(Boolean).join(' / '),
    ],
  );
  if (video.model !== '') rows.push(['video', video.model]);
  return rows.length === 0 ? [] : part('Auxiliary Models', rows);
}

function skillsPart({ config }: LoadedConfig): string[] {
  const rows = Object.entries(config.skills.config).map(([name, value]): Row => [name, hideSecrets(name, value)]);
  return rows.length === 0 ? [] : part('Skill Settings', rows);
}

function hideSecrets(name: string, value: unknown): string {
  if (isSecretName(name)) return '***';
  return typeof value === 'string'
    ? value
    : (JSON.stringify(value, (key, item: unknown) => (key !== '' && isSecretName(key) ? '***' : item)) ?? '');
}

function keyRows(groups: readonly (readonly [string, ...string[]])[], env: CliContext['env']): Row[] {
  return groups.map(([label, ...names]) => {
    const found = firstSet(env, names);
    return [label, found === undefined ? '(not set)' : `${maskSecret(found.value)}  ${found.name}`];
  });
}

function box(title: string): string[] {
  const width = 44;
  const left = Math.floor((width - title.length) / 2);
  const line = `${' '.repeat(left)}${title}`.padEnd(width);
  return [`┌${'─'.repeat(width)}┐`, `│${line}│`, `└${'─'.repeat(width)}┘`];
}

function part(title: string, rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return ['', `◆ ${title}`, ...rows.map(([label, value]) => `  ${`${label}:`.padEnd(width)} ${value}`)];
}

function hint(key: string): string {
  const near = nearestKey(key);
  return near === undefined ? '' : `  (did you mean ${near}?)`;
}

function mark(set: boolean): string {
  return set ? '✓' : '○';
}

function onOff(value: boolean): string {
  return value ? 'on' : 'off';
}

function orUnset(value: string | undefined): string {
  return value || '(not set)';
}
