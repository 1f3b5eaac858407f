/** Entries that are shaped like an attack: a shell whose script sends secrets away or makes itself at home. */
import { basename } from 'node:path';
import type { ServerEntry } from './settings.ts';

const shells: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh fish ash csh tcsh cmd cmd.exe powershell powershell.exe pwsh pwsh.exe'.split(' '),
);
const inline = /^(?:-[a-z]*c|\/c|-command|-encodedcommand|-enc?)$/i;
const sends =
  /\b(?:curl|wget|nc|ncat|netcat|socat|invoke-webrequest|invoke-restmethod|iwr|irm)\b|\/dev\/(?:tcp|udp)\/|net\.webclient/i;
const carries =
  /\b(?:post|put)\b|--data|--upload-file|--post-(?:data|file)|\s-[dFT]\b|[A-Z_]*(?:TOKEN|SECRET|PASSWORD|API_?KEY|CREDENTIAL)|\.env\b|\bprintenv\b|\benv\s*\||auth\.json|\|\s*(?:ba|z|da)?sh\b/i;

/** What nobody who starts a server has to touch. */
const places: readonly (readonly [RegExp, string])[] = [
  [/\.ssh\b|authorized_keys|\bid_(?:rsa|ed25519|ecdsa|dsa)\b/i, 'ssh keys'],
  [/\/etc\/pam\.d|pam_\w+\.so/i, 'PAM'],
  [/sudoers/i, 'sudoers'],
  [/\bcrontab\b|\/etc\/cron|\/var\/spool\/cron/i, 'cron'],
  [/systemd|systemctl|LaunchAgents|LaunchDaemons|\/etc\/init\.d/i, 'system units'],
  [/\.(?:bash|zsh)(?:rc|env)\b|\.(?:bash_|z)?profile\b|\.zlogin\b|config\.fish|\/etc\/profile/i, 'shell start files'],
];

/** Why an entry must not be started, in a few words; undefined for every other. Known shapes only. */
export function suspicionOf({
  command = '',
  args,
  url,
}: Pick<ServerEntry, 'command' | 'args' | 'url'>): string | undefined {
  if (url !== undefined && url !== '') return undefined;
  // A whole command line as the command is one for a shell, too.
  const words = [...command.trim().split(/\s+/), ...args];
  const shell = words.findIndex((word) => shells.has(basename(word).toLowerCase()));
  if (shell === -1) return undefined;
  const flag = words.findIndex((word, at) => at > shell && inline.test(word));
  if (flag === -1) return undefined;
  const script = words.slice(flag + 1).join(' ');
  const place = places.find(([pattern]) => pattern.test(script));
  if (place !== undefined) return `its shell script touches ${place[1]}`;
  if (/^-enc/i.test(words[flag] ?? '')) return 'its shell script is encoded';
  return sends.test(script) && carries.test(script) ? 'its shell script sends secrets or data away' : undefined;
}
