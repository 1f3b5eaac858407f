/** Stopping services and processes, and the agent itself. */
import { containable, finding, type Finding } from '../../finding.ts';
import { hasShort, type SimpleCommand, textOf } from '../simple-command.ts';
import type { Rule } from './rule.ts';

const stops = /^(?:stop|restart|try-restart|disable|mask|kill|isolate)$/;
const ownProcess = /\b(?:hermes|gateway)/i;

export const processes: Rule = (command) => {
  const { name, args, source } = command;
  const texts = args.map((field) => field.text);
  const findings: Finding[] = [];
  const service = name === 'systemctl' || name === 'service' || name === 'rc-service' || name === 'initctl';
  if (service && texts.some((text) => stops.test(text))) findings.push(finding('stop or disable a system service'));
  if (name === 'launchctl' && /^(?:unload|bootout|disable|remove|stop|kill)$/.test(texts[0] ?? '')) {
    findings.push(finding('stop or disable a system service'));
  }
  const byName = name === 'pkill' || name === 'killall';
  if (byName && isForced(command)) findings.push(containable(finding('force kill processes')));
  const feeds = command.pipedFrom.map(textOf).join(' ');
  const kills = byName ? texts.join(' ') : name === 'kill' ? `${source} ${feeds}` : '';
  if (ownProcess.test(kills)) findings.push(finding('stop the agent itself'));
  if (startsGatewayOutside(command)) findings.push(finding('start the gateway outside its service'));
  return findings;
};

function isForced(command: SimpleCommand): boolean {
  const texts = command.args.map((field) => field.text);
  return (
    texts.some((text) => /^-(?:9|(?:SIG)?KILL|s(?:9|(?:SIG)?KILL)|-signal=(?:9|(?:SIG)?KILL))$/i.test(text)) ||
    ((hasShort(command, 's') || texts.includes('--signal')) && texts.some((text) => /^(?:9|(?:SIG)?KILL)$/i.test(text)))
  );
}

function startsGatewayOutside(command: SimpleCommand): boolean {
  if (!/\bgateway\s+run\b/.test(textOf(command))) return false;
  return command.background || command.via.includes('nohup') || command.via.includes('setsid');
}

/** `kill -9 -1` and its like: every process the user may signal. */
export function killsEverything({ name, args }: SimpleCommand): boolean {
  if (name !== 'kill') return false;
  const texts = args.map((field) => field.text);
  const last = texts.at(-1);
  const signals = texts.slice(0, -1).some((text) => text.startsWith('-'));
  return last === '-1' && (signals || texts.length > 1) && !texts.includes('-l');
}

/** Powering off or restarting the machine. */
export function stopsMachine({ name, args }: SimpleCommand): boolean {
  const texts = args.map((field) => field.text);
  if (texts.some((text) => /^(?:--help|--version|-c|--show)$/.test(text))) return false;
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return true;
  if (name === 'init' || name === 'telinit') return /^[06]$/.test(texts[0] ?? '');
  return (
    name === 'systemctl' &&
    texts.some((text) => /^(?:poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/.test(text))
  );
}
