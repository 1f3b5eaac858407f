/** The text of a systemd unit; see systemd.service(5) and systemd.exec(5). */
import type { ServiceFacts } from './service.ts';

/** Seconds on top of the drain, after which systemd kills what is left. */
const stopMargin = 40;

/** `runAs`: for a unit of the system that runs as this user; otherwise it is one of the user's own. */
export function systemdUnit(
  { home, node, script, path, drainSeconds, watchdogSeconds }: ServiceFacts,
  runAs?: string,
): string {
  const variables = { HERMES_HOME: home.path, HERMES_GATEWAY_EXTERNAL_SUPERVISOR: '1', PATH: path };
  const lines = [
    '[Unit]',
    `Description=Hermes Agent gateway (profile ${home.profile})`,
    'After=network-online.target',
    'Wants=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...(watchdogSeconds > 0 ? watched(watchdogSeconds) : ['Type=simple']),
    ...(runAs === undefined ? [] : [`User=${runAs}`]),
    `ExecStart=${[node, script, 'gateway', 'run'].map(word).join(' ')}`,
    `ExecReload=/bin/kill -USR1 $MAINPID`,
    `WorkingDirectory=${setting(home.path)}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=always',
    'RestartSec=5',
    'RestartForceExitStatus=75',
    'RestartPreventExitStatus=78',
    'KillMode=mixed',
    `TimeoutStopSec=${drainSeconds + stopMargin}`,
    '',
    '[Install]',
    `WantedBy=${runAs === undefined ? 'default.target' : 'multi-user.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What speaks for the gateway is a program that it starts. A start may have to wait for minutes. */
function watched(seconds: number): readonly string[] {
  return ['Type=notify', 'NotifyAccess=all', `WatchdogSec=${seconds}`, 'TimeoutStartSec=600'];
}

/** A word of a command line, in which variables are replaced too. */
function word(text: string): string {
  return quoted(text.replaceAll('$', '$$$$'));
}

function quoted(text: string): string {
  return `"${setting(text).replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;
}

/** Percent signs stand for things that systemd knows. */
function setting(text: string): string {
  return text.replaceAll('%', '%%');
}
