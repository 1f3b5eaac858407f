/** What a scheduled prompt or script must not hold: nobody is there to see what it does. */
import { scanForInjection } from './injection.ts';

/** The class of the first rule that fits, such as `prompt_injection`; undefined for a harmless text. Linear in its length. */
export function scanCronPrompt(text: string): string | undefined {
  // Families and flags are spelled with joiners between emoji; those are seen.
  const plain = text.replaceAll(
    /(?<=\p{Extended_Pictographic}|\uFE0F|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/gu,
    '',
  );
  const found = scanForInjection(plain).find(({ rule }) => shared.has(rule) || rule.startsWith('invisible'));
  if (found !== undefined) return found.rule;
  const lines = plain.replaceAll(/\\\r?\n/g, ' ').split('\n');
  return rules.find(({ fits }) => lines.some((line) => fits(line)))?.id;
}

/** True for a command that would stop or restart the gateway, in the middle of the run that it was started by. */
export function stopsGateway(text: string): boolean {
  return text
    .split('\n')
    .some(
      (line) =>
        /\bhermes\s+(?:-\S+\s+)*gateway\s+(?:restart|stop)\b/i.test(line) ||
        (/\b(?:systemctl|launchctl|p?kill|killall)\b/i.test(line) &&
          /hermes[\w.-]*[\s\S]*gateway|ai\.hermes\.gateway/i.test(line)),
    );
}

/** The four orders that are looked for in skills and injected data as well. */
export const injectionClasses: readonly string[] = [
  'prompt_injection',
  'deception_hide',
  'sys_prompt_override',
  'disregard_rules',
];
const shared = new Set([...injectionClasses, 'read_secrets']);

interface Rule {
  readonly id: string;
  readonly fits: (line: string) => boolean;
}

const secret = /\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i;
const gitHub = /https:\/\/api\.github\.com\//i;

const rules: readonly Rule[] = [
  { id: 'ssh_backdoor', fits: (line) => /authorized_keys/i.test(line) },
  { id: 'sudoers_mod', fits: (line) => /\/etc\/sudoers|\bvisudo\b/i.test(line) },
  { id: 'destructive_root_rm', fits: (line) => /\brm\s+-\w*r\w*\s+(?:-\S+\s+)*\/(?:\s|\*|$)/i.test(line) },
  { id: 'exfil_curl_url', fits: withSecret(/\bcurl\b/i, (rest) => secret.test(urlsOf(rest))) },
  { id: 'exfil_wget_url', fits: withSecret(/\bwget\b/i, (rest) => secret.test(urlsOf(rest))) },
  {
    id: 'exfil_curl_data',
    fits: withSecret(/\bcurl\b/i, (rest) => secretAfter(rest, /\s(?:-d|--data\S*|-F|--form\S*)[\s=]/i)),
  },
  { id: 'exfil_wget_post', fits: withSecret(/\bwget\b/i, (rest) => secretAfter(rest, /\s--post-(?:data|file)[\s=]/i)) },
  {
    id: 'exfil_curl_auth_header',
    // Asking GitHub with one's own token is what the token is for.
    fits: withSecret(/\bcurl\b/i, (rest) => !gitHub.test(rest) && secretAfter(rest, /\s(?:-H|--header)[\s=]/i)),
  },
];

function withSecret(command: RegExp, fits: (rest: string) => boolean): (line: string) => boolean {
  return (line) => {
    const at = command.exec(line)?.index;
    return at !== undefined && fits(line.slice(at));
  };
}

function secretAfter(text: string, option: RegExp): boolean {
  const at = option.exec(text)?.index;
  return at !== undefined && secret.test(text.slice(at));
}

function urlsOf(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => /https?:\/\//i.test(word))
    .join(' ');
}
