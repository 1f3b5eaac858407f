/** Finds text that gives orders to the model instead of knowledge: in project files, memories and whatever else enters a prompt. */

export interface InjectionFinding {
  /** Id of the rule, as it is shown to the user. */
  readonly rule: string;
  /** What it was found in, one line, at most 80 characters. */
  readonly excerpt: string;
}

interface Rule {
  readonly id: string;
  readonly pattern: RegExp;
}

const rules: readonly Rule[] = [
  {
    id: 'prompt_injection',
    pattern: /ignore\s+(?:\w+\s+){0,3}?(?:previous|all|above|prior)\s+(?:\w+\s+){0,3}?instructions/i,
  },
  { id: 'deception_hide', pattern: /do\s+not\s+(?:ever\s+)?tell\s+the\s+user/i },
  { id: 'sys_prompt_override', pattern: /system\s+prompt\s+override/i },
  {
    id: 'disregard_rules',
    pattern: /disregard\s+(?:\w+\s+){0,2}?(?:your|all|any)\s+(?:\w+\s+){0,2}?(?:instructions|rules|guidelines)/i,
  },
  {
    id: 'bypass_restrictions',
    pattern:
      /act\s+as\s+(?:if|though)\s+(?:you\s+)?(?:have\s+no|don'?t\s+have)\s+(?:\w+\s+){0,2}?(?:restrictions|limits|rules)/i,
  },
  {
    id: 'html_comment_injection',
    pattern: /<!--[^>]{0,2000}?(?:ignore|override|system|secret|hidden)[^>]{0,2000}?-->/i,
  },
  { id: 'hidden_div', pattern: /<\s*div\s+style\s*=\s*["'][^"'>]{0,500}display\s*:\s*none/i },
  { id: 'translate_execute', pattern: /translate\s+.{1,200}?\s+into\s+.{1,200}?\s+and\s+(?:execute|run|eval)/i },
  {
    id: 'exfil_curl',
    pattern: /curl\s+[^\n]{0,2000}?\$\{?\w{0,100}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  },
  { id: 'read_secrets', pattern: /cat\s+[^\n]{0,500}?(?:\.env\b|credentials|\.netrc|\.pgpass)/i },
];

/** What a note that is read in every later conversation must not hold either. */
const noteRules: readonly Rule[] = [
  { id: 'role_hijack', pattern: /you\s+are\s+now\s+/i },
  {
    id: 'exfil_wget',
    pattern: /wget\s+[^\n]{0,2000}?\$\{?\w{0,100}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i,
  },
  { id: 'read_secrets', pattern: /cat\s+[^\n]{0,500}?(?:\.npmrc|\.pypirc)/i },
  { id: 'ssh_backdoor', pattern: /authorized_keys/i },
  { id: 'ssh_access', pattern: /(?:\$HOME|~)\/\.ssh/i },
  { id: 'hermes_env', pattern: /(?:\$HOME|~)\/\.hermes\/\.env|\$\{?HERMES_HOME\}?\/\.env/i },
];

/** Zero-width characters and direction overrides: what a person does not see, a model reads. */
const invisible = /[\u200B-\u200D\u2060\uFEFF\u202A-\u202E\u2066-\u2069]/u;

/** Every rule that fits, once each, in a fixed order; empty for harmless text. Linear in the length of the text. */
export function scanForInjection(text: string): readonly InjectionFinding[] {
  return scan(text, rules);
}

/** The stricter list, for what is written into memory. */
export function scanNote(text: string): readonly InjectionFinding[] {
  return scan(text, [...rules, ...noteRules]);
}

function scan(text: string, applied: readonly Rule[]): readonly InjectionFinding[] {
  const findings = applied.flatMap(({ id, pattern }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ rule: id, excerpt: oneLine(match[0]) }];
  });
  // A byte order mark at the very start is how some editors save.
  const hidden = invisible.exec(text.startsWith('\uFEFF') ? text.slice(1) : text)?.[0];
  if (hidden === undefined) return findings;
  const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [...findings, { rule: `invisible unicode U+${code}`, excerpt: `U+${code}` }];
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}
