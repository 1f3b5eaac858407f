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
/** An example of an environment holds no secrets. */
const secretFile = /\.env\b(?!\.(?:example|sample|template|dist)\b)|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc/i;

/** For whatever enters a prompt. `_` stands for up to eight words between two that count. */
const rules: readonly Rule[] = [
  words('prompt_injection', order`ignore\s_(?:previous|all|above|prior)\s_instructions`),
  words('deception_hide', order`do\snot\s(?!forget\b|hesitate\b|fail\b|neglect\b)_tell\sthe\suser`),
  words('sys_prompt_override', /system\sprompt\soverride/i),
  words('disregard_rules', order`disregard\s_(?:your|all|any)\s_(?:instructions|rules|guidelines)`),
  words(
    'bypass_restrictions',
    order`act\sas\s(?:if|though)\s_(?:have\sno|don['’]?t\shave)\s_(?:restrictions|limits|rules)`,
  ),
  { id: 'html_comment_injection', find: hiddenComment },
  words('hidden_div', /<\s?div\sstyle\s?=\s?["'][^"'>]{0,500}display\s?:\s?none/i),
  words('translate_execute', /translate\s.{1,200}?\sinto\s.{1,200}?\sand\s(?:execute|run|eval)/i),
  onOneLine('exfil_curl', /curl\s/i, secretName),
  onOneLine('exfil_wget', /wget\s/i, secretName),
  onOneLine('read_secrets', /cat\s/i, secretFile),
  words('role_hijack', order`you\sare\s_now\s(?:an?|the)\s`),
  words('role_pretend', order`pretend\s_(?:to\sbe|you\sare)\s`),
  words('identity_override', /\bname\syourself\s\w/i),
  words('leak_system_prompt', order`output\s_(?:system|initial)\sprompt`),
  words('remove_filters', order`(?:answer|respond|reply)\swithout\s_(?:restrictions|limitations|filters|safety)\b`),
  words('fake_update', order`you\shave\sbeen\s_(?:updated|upgraded|patched)\sto\s`),
  words('c2_node_registration', /\bregister\s(?:yourself\s)?as\s(?:an?\s|the\s)?(?:new\s)?node\b/i),
  words('c2_heartbeat', /\b(?:heartbeat|beacon)\sto\s\w/i),
  words('c2_task_pull', /\bpull\s(?:\w+\s){0,3}?tasking\b/i),
  words('c2_network_connect', /\bconnect\sto\sthe\snetwork\b/i),
  // "You must report failing tests" is work; reporting to or with somebody is what such orders ask for.
  words('forced_action', order`you\smust\s_(?:register|report|beacon)\s(?:to|with|back|home|in)\b`),
  words('c2_explicit', /\bc2\s(?:server|channel|infrastructure)\b/i),
  words('c2_explicit_long', /\bcommand\sand\scontrol\b/i),
  words(
    'known_c2_framework',
    /\b(?:cobalt\sstrike|brute\sratel|(?:sliver|mythic|havoc|metasploit)\s(?:c2|agent|beacon|framework|implant|server))\b/i,
  ),
  words('anti_forensic_oneliner', /\bonly\s(?:use|run|execute)\s(?:\w+\s){0,3}?one-?liners\b/i),
  words('anti_forensic_disk', /\bnever\s(?:write|save)\s(?:\w+\s){0,2}?scripts?\sto\s(?:the\s)?disk\b/i),
  words('env_var_unset_agent', /\bunset\s(?:\w+\s){0,2}?(?:HERMES|CLAUDE|CODEX|GEMINI|CURSOR|OPENAI|AGENT)_\w/i),
];

/** What a note that is read in every later conversation must not hold either. */
const noteRules: readonly Rule[] = [
  ...rules.filter(({ id }) => id !== 'role_hijack'),
  words('role_hijack', /you\sare\snow\s/i),
  words('ssh_backdoor', /authorized_keys/i),
  words('ssh_access', /(?:\$HOME|\$\{HOME\}|~)\/\.ssh/i),
  words('hermes_env', /(?:\.hermes|HERMES_HOME\}?)\/(?:profiles\/[\w.-]{1,64}\/)?\.env\b/i),
  words('send_to_url', order`(?:send|post|upload)\s_to\shttps?:\/\/`),
  words('context_exfil', /\b(?:include|print|share)\s(?:the|your|our)\s(?:\w+\s){0,3}?(?:conversation|context)\b/i),
  words('agent_config_mod', edits(/(?:\S{0,200}?\/)?(?:(?:AGENTS|CLAUDE)\.md|\.(?:cursor|cline)rules)\b/)),
  words('hermes_config_mod', edits(/\S{0,200}?\.hermes\/(?:config\.yaml|SOUL\.md)\b/)),
  words('hardcoded_secret', /(?:api[_-]?key|token|secret|password)["']?\s?[=:]\s?["'][\w+/=.-]{20,}/i),
];

/** A pattern in which `_` is up to eight words that do not matter. */
function order({ raw }: TemplateStringsArray): RegExp {
  return new RegExp(`\\b${raw.join('').replaceAll('_', String.raw`(?:\w+\s){0,8}?`)}`, 'i');
}

/** That a file is to be changed: where it lies may well be remembered. */
function edits({ source }: RegExp): RegExp {
  const verb = String.raw`\b(?:edit|modify|change|update|replace|overwrite|(?:write|append|add)(?:\s\w+){0,8}?\sto)`;
  return new RegExp(String.raw`${verb}\s(?:\w+\s){0,3}?(?:${source})`, 'i');
}

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
