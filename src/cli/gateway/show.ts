/** `hermes gateway status` and `list`: what runs, and how it is. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { displayPath, type Home, listProfiles } from '../../config/home.ts';
import { runningGateway } from '../../gateway/process/running-gateway.ts';
import { servingGateway } from '../../gateway/process/serving-gateway.ts';
import { readGatewayState } from '../../gateway/process/state-file.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';
import { serviceOf } from './home-service.ts';

export interface StatusOptions {
  readonly deep?: true;
  readonly full?: true;
  readonly system?: true;
}

const logLines = 20;
const logBytes = 65_536;
const shownChars = 160;

export async function showStatus(context: CliContext, { deep, full, system }: StatusOptions): Promise<void> {
  const { home, io, env } = context;
  const { pluggedPlatforms } = await import('./plugged-platforms.ts');
  const plugged = new Set((await pluggedPlatforms(context)).map(({ name }) => name));
  const lines = gatewayLines(home, plugged).map(({ text }) => text);
  lines.push(...(await serviceLines(context, system)));
  if (deep === true)
    lines.push('', `The end of ${displayPath(join(home.path, 'logs', 'gateway.log'), env)}:`, ...logEnd(home));
  const shown =
    full === true ? lines : lines.map((line) => (line.length > shownChars ? `${line.slice(0, shownChars)}…` : line));
  io.stdout.write(`${shown.join('\n')}\n`);
}

export function listGateways({ home, io }: CliContext): void {
  for (const each of listProfiles(home.root)) {
    const serving = servingGateway(each);
    const running = runningGateway(each.path) ?? serving;
    const how = running?.pid === serving?.pid ? 'running in the gateway of default' : 'running';
    io.stdout.write(`${each.profile}  ${running === undefined ? 'stopped' : `${how} (pid ${running.pid})`}\n`);
  }
}

/** How the gateway of a home is, line by line. `plugged`: the platforms that plug-ins bring, by name. */
export function gatewayLines(home: Home, plugged: ReadonlySet<string> = new Set()): Finding[] {
  const running = runningGateway(home.path);
  const serving = servingGateway(home);
  const state = readGatewayState(home.path);
  if (running === undefined && serving !== undefined)
    return [
      {
        status: 'ok',
        text: `The gateway of the default profile (pid ${serving.pid}) serves profile ${home.profile} as soon as there is something to do for it.`,
      },
    ];
  if (running === undefined) {
    const last = state?.exit_reason ?? undefined;
    const why = last === undefined ? '' : ` (last end: ${plain(last)})`;
    return [{ status: 'info', text: `The gateway of profile ${home.profile} does not run${why}.` }];
  }
  const own = state?.pid === running.pid ? state : undefined;
  const within = running.servedBy === undefined ? '' : `, in that of profile ${plain(running.servedBy)}`;
  const busy = own === undefined || own.active_agents === 0 ? '' : `, ${own.active_agents} turns run`;
  return [
    {
      status: own?.gateway_state === 'degraded' ? 'warn' : 'ok',
      text: `The gateway of profile ${home.profile} runs (pid ${running.pid}${within}): ${own?.gateway_state ?? 'no state known'}${busy}.`,
    },
    ...servedLines(own?.served_profiles),
    ...Object.entries(own?.platforms ?? {}).map(([name, { state: how, error_message: error }]): Finding => {
      const mark = plugged.has(name) ? ' (plugin)' : '';
      const why = typeof error === 'string' ? `, ${plain(error)}` : '';
      return { status: how === 'connected' ? 'ok' : 'warn', text: `${plain(name)}${mark}: ${plain(how)}${why}` };
    }),
  ];
}

function servedLines(profiles: readonly string[] | undefined): Finding[] {
  return profiles === undefined
    ? []
    : [{ status: 'info', text: `It serves all profiles: ${profiles.map(plain).join(', ')}` }];
}

async function serviceLines(context: CliContext, system: true | undefined): Promise<string[]> {
  const { home } = context;
  try {
    const service = await serviceOf(context, home, {});
    const own = await service.status();
    const lines = own.installed
      ? [
          `Service: ${service.file} (${own.active ? 'active' : 'not active'}, ${own.enabled ? 'starts by itself' : 'does not start by itself'})`,
          ...(own.stale ? ['Its definition is out of date; renew it: hermes gateway install'] : []),
        ]
      : ['Service: not installed (hermes gateway install)'];
    if (process.platform !== 'linux') return lines;
    const whole = await serviceOf(context, home, { system: true, runAsUser: 'nobody' });
    const { installed, active } = await whole.status();
    if (installed) lines.push(`Service of the system: ${whole.file} (${active ? 'active' : 'not active'})`);
    else if (system === true) lines.push('Service of the system: not installed (sudo hermes gateway install --system)');
    if (installed && own.installed)
      lines.push('Two services for one home: only one can run. Remove one: hermes gateway uninstall');
    return lines;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [`Service: none (${error.message})`];
  }
}

function logEnd(home: Home): string[] {
  const path = join(home.path, 'logs', 'gateway.log');
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return ['(nothing yet)'];
  return readFileSync(path, 'utf8').slice(-logBytes).trimEnd().split('\n').slice(-logLines).map(plain);
}

function plain(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
