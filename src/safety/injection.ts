/** Finds text that gives orders to the model instead of knowledge: in project files, memories and whatever else enters a prompt. */

export interface InjectionFinding {
  /** Id of the rule, as it is shown to the user. */
  readonly rule: string;
  /** What it was found in, one line, at most 80 characters. */
  readonly excerpt: string;
}

/**
 * Every rule that fits, once each, in a fixed order; empty for harmless text. The text is a stranger's, so no rule takes
 * more than linear time, whatever it holds. Known wordings only: a paraphrase gets through.
 */
export function scanForInjection(text: string): readonly InjectionFinding[] {
  // A byte order mark at the very start of a file is how some editors save.
  return scan(text.replace(/^\uFEFF/, ''), rules);
}

/** The stricter list, for what is written into memory. */
export function scanNote(text: string): readonly InjectionFinding[] {
  return scan(text, noteRules);
}

interface Rule {
  readonly id: string;
  /** The first place that fits. White space is single here: one blank, or one line break. */
  readonly find: (plain: string) => string | undefined;
}

const secretName = /\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i;

const sharedRules: readonly Rule[] = [
  words('prompt_injection', /ignore\s(?:\w+\s){0,3}?(?:previous|all|above|prior)\s(?:\w+\s){0,3}?instructions/i),
  words('deception_hide', /do\snot\s(?:ever\s)?tell\sthe\suser/i),
  words('sys_prompt_override', /system\sprompt\soverride/i),
  words(
    'disregard_rules',
    /disregard\s(?:\w+\s){0,2}?(?:your|all|any)\s(?:\w+\s){0,2}?(?:instructions|rules|guidelines)/i,
  ),
  words(
    'bypass_restrictions',
    /act\sas\s(?:if|though)\s(?:you\s)?(?:have\sno|don'?t\shave)\s(?:\w+\s){0,2}?(?:restrictions|limits|rules)/i,
  ),
  { id: 'html_comment_injection', find: hiddenComment },
  words('hidden_div', /<\s?div\sstyle\s?=\s?["'][^"'>]{0,500}display\s?:\s?none/i),
  words('translate_execute', /translate\s.{1,200}?\sinto\s.{1,200}?\sand\s(?:execute|run|eval)/i),
  onOneLine('exfil_curl', /curl\s/i, secretName),
];

const rules: readonly Rule[] = [
  ...sharedRules,
  onOneLine('read_secrets', /cat\s/i, /\.env\b|credentials|\.netrc|\.pgpass/i),
];

/** What a note that is read in every later conversation must not hold either. */
const noteRules: readonly Rule[] = [
  ...sharedRules,
  onOneLine('read_secrets', /cat\s/i, /\.env\b|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc/i),
  words('role_hijack', /you\sare\snow\s/i),
  onOneLine('exfil_wget', /wget\s/i, secretName),
  words('ssh_backdoor', /authorized_keys/i),
  words('ssh_access', /(?:\$HOME|\$\{HOME\}|~)\/\.ssh/i),
  words('hermes_env', /(?:\.hermes|HERMES_HOME\}?)\/(?:profiles\/[\w.-]{1,64}\/)?\.env\b/i),
];

/**
 * Zero-width characters, direction overrides, and letters of the tag block: what a person does not see, a model reads.
 * Flags of regions are spelled in tag letters behind a black flag; those are seen.
 */
const invisible =
  /[\u200B-\u200D\u2060-\u2064\u2066-\u2069\uFEFF\u202A-\u202E]|(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0001}\u{E0020}-\u{E007F}]/u;

function scan(text: string, applied: readonly Rule[]): readonly InjectionFinding[] {
  const plain = plainForm(text);
  const findings = applied.flatMap(({ id, find }) => {
    const found = find(plain);
    return found === undefined ? [] : [{ rule: id, excerpt: oneLine(found) }];
  });
  const hidden = invisible.exec(text)?.[0];
  if (hidden === undefined) return findings;
  const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [...findings, { rule: `invisible unicode U+${code}`, excerpt: `U+${code}` }];
}

/**
 * Full-width letters become plain ones, a command continued on the next line becomes one line, and each run of white
 * space one character: patterns that need not repeat white space cannot be made slow with it.
 */
function plainForm(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\\\r?\n/g, ' ')
    .replaceAll(/\s+/g, (run) => (run.includes('\n') ? '\n' : ' '));
}

function words(id: string, pattern: RegExp): Rule {
  return { id, find: (plain) => pattern.exec(plain)?.[0] };
}

/** A command, and further along the same line what it must not touch. Looks at each line once. */
function onOneLine(id: string, command: RegExp, object: RegExp): Rule {
  return {
    id,
    find(plain) {
      for (const line of plain.split('\n')) {
        const start = command.exec(line);
        if (start === null) continue;
        const rest = line.slice(start.index + start[0].length);
        const end = object.exec(rest);
        if (end !== null) return start[0] + rest.slice(0, end.index + end[0].length);
      }
      return undefined;
    },
  };
}

/** An HTML comment that speaks to the model. One pass: a pattern for it would look at every beginning anew. */
function hiddenComment(plain: string): string | undefined {
  let from = 0;
  for (let end = plain.indexOf('>'); end !== -1; from = end + 1, end = plain.indexOf('>', from)) {
    if (!plain.startsWith('--', end - 2)) continue;
    const piece = plain.slice(from, end + 1);
    const start = piece.indexOf('<!--');
    if (start === -1) continue;
    const comment = piece.slice(start);
    if (/ignore|override|system|secret|hidden/i.test(comment)) return comment;
  }
  return undefined;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}
