/** Judges what a skill brings along before it is trusted: a search for known patterns, without running anything. */
import { deceptionRules } from './rules/deception.ts';
import type { GuardCategory, GuardRule, Severity } from './rules/guard-rule.ts';
import { harmRules } from './rules/harm.ts';
import { theftRules } from './rules/theft.ts';

const guardRules: readonly GuardRule[] = [...theftRules, ...deceptionRules, ...harmRules];

/** One entry of a skill's folder, as read by the caller; paths are relative with forward slashes. */
export interface GuardedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** The content when it is text. */
  readonly text?: string;
  /** For a symbolic link: whether it leads out of the skill. */
  readonly link?: 'inside' | 'outside';
}

export interface Finding {
  readonly rule: string;
  readonly category: GuardCategory | 'structure';
  readonly severity: Severity;
  readonly file: string;
  /** Counted from 1; 0 for the file as a whole. */
  readonly line: number;
  /** What was found, shortened to one line. */
  readonly match: string;
  readonly description: string;
}

export type Verdict = 'safe' | 'caution' | 'dangerous';
export type TrustLevel = 'builtin' | 'trusted' | 'community' | 'agent-created';

export interface GuardReport {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
}

/** Scans all files of a skill. Any critical finding is dangerous, any other is caution. Bounded for input of any size. */
export function scanSkill(files: readonly GuardedFile[]): GuardReport {
  const findings = [...structureFindings(files), ...files.flatMap(fileFindings)].slice(0, maxFindings);
  return { verdict: verdictOf(findings), findings };
}

/** The findings in a text that reads like an order to the model rather than like knowledge. */
export function findInjection(text: string): readonly Finding[] {
  return textFindings('SKILL.md', text).filter(({ category }) => category === 'injection');
}

/** What trust and verdict together mean. `force` overrides a caution, never a danger. */
export function decideInstall(trust: TrustLevel, verdict: Verdict, force = false): 'allow' | 'ask' | 'block' {
  const decision = decisions[trust][verdict];
  return decision === 'block' && verdict === 'caution' && force ? 'allow' : decision;
}

/** Trust by origin: `official`, a repository `owner/name`, `agent`, or anything else, which is the community. */
export function trustOf(source: string): TrustLevel {
  if (source === 'official' || source === 'builtin') return 'builtin';
  if (source === 'agent') return 'agent-created';
  const repository = source.toLowerCase().split('/').slice(0, 2).join('/');
  return trustedRepositories.has(repository) ? 'trusted' : 'community';
}

const decisions: Readonly<Record<TrustLevel, Readonly<Record<Verdict, 'allow' | 'ask' | 'block'>>>> = {
  builtin: { safe: 'allow', caution: 'allow', dangerous: 'allow' },
  trusted: { safe: 'allow', caution: 'allow', dangerous: 'block' },
  community: { safe: 'allow', caution: 'block', dangerous: 'block' },
  'agent-created': { safe: 'allow', caution: 'allow', dangerous: 'ask' },
};
const trustedRepositories = new Set(['openai/skills', 'anthropics/skills', 'huggingface/skills', 'nvidia/skills']);

const maxFindings = 500;
const maxFiles = 50;
const maxTotalBytes = 1024 * 1024;
const maxFileBytes = 256 * 1024;
const binaryEndings = /\.(?:exe|dll|so|dylib|bin|dat|com|msi|dmg|app|deb|rpm)$/i;
const scriptEndings = /\.(?:sh|bash|zsh|py|rb|pl|js|mjs|ts)$/i;
/** Zero-width marks, and marks that turn the direction of reading. */
const invisible = /[\u200b-\u200d\u2060\u2062-\u2064\ufeff\u202a-\u202e\u2066-\u2069]/;
/** Long lines are looked at in windows that overlap, so that no expression meets more than this. */
const windowSize = 4_000;
const windowOverlap = 300;
const maxLines = 50_000;

function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some(({ severity }) => severity === 'critical')) return 'dangerous';
  return findings.length > 0 ? 'caution' : 'safe';
}

function structureFindings(files: readonly GuardedFile[]): Finding[] {
  const findings: Finding[] = [];
  const add = (rule: string, severity: Severity, file: string, match: string, description: string): void => {
    findings.push({ rule, category: 'structure', severity, file, line: 0, match, description });
  };
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > maxFiles) {
    add('too_many_files', 'medium', '(skill)', `${files.length} files`, `more than ${maxFiles} files`);
  }
  if (total > maxTotalBytes) add('oversized_skill', 'high', '(skill)', `${total} bytes`, 'more than 1,024 KB in all');
  for (const { path, size, executable, link } of files) {
    if (link === 'outside')
      add('link_outside', 'critical', path, 'symbolic link', 'a link that leads out of the skill');
    if (link !== undefined) continue;
    if (size > maxFileBytes) add('oversized_file', 'medium', path, `${size} bytes`, 'a file larger than 256 KB');
    if (binaryEndings.test(path)) add('binary_file', 'critical', path, 'binary file', 'a program or binary file');
    else if (executable && !scriptEndings.test(path)) {
      add('executable_file', 'medium', path, 'executable bit', 'executable, but not a script');
    }
  }
  return findings;
}

function fileFindings({ path, text }: GuardedFile): Finding[] {
  return text === undefined ? [] : textFindings(path, text);
}

function textFindings(file: string, text: string): Finding[] {
  const findings: Finding[] = [];
  const lines = text.split('\n');
  if (lines.length > maxLines) {
    findings.push({
      rule: 'too_long',
      category: 'structure',
      severity: 'high',
      file,
      line: maxLines,
      match: '',
      description: 'too many lines to look at',
    });
  }
  for (const [index, line] of lines.slice(0, maxLines).entries()) {
    if (findings.length >= maxFindings) break;
    if (line.trim() !== '') findings.push(...lineFindings(file, line, index + 1));
  }
  return findings;
}

/** One finding a rule. A mark at the very start of a file only says how it is encoded. */
function lineFindings(file: string, line: string, number: number): Finding[] {
  const findings: Finding[] = [];
  if (invisible.test(number === 1 ? line.replace(/^\ufeff/, '') : line)) {
    findings.push({
      rule: 'invisible_characters',
      category: 'injection',
      severity: 'high',
      file,
      line: number,
      match: shown(line),
      description: 'characters that cannot be seen',
    });
  }
  const windows = windowsOf(line);
  for (const [rule, category, severity, pattern, description] of guardRules) {
    const hit = windows.map((part) => pattern.exec(part)).find((match) => match !== null);
    if (hit) findings.push({ rule, category, severity, file, line: number, match: shown(hit[0]), description });
  }
  return findings;
}

/** A match as a person may see it. */
function shown(match: string): string {
  return match
    .trim()
    .replace(/[\p{Cc}\p{Cf}]/gu, '?')
    .slice(0, 120);
}

function windowsOf(line: string): string[] {
  if (line.length <= windowSize) return [line];
  const windows: string[] = [];
  for (let start = 0; start < line.length; start += windowSize - windowOverlap) {
    windows.push(line.slice(start, start + windowSize));
  }
  return windows;
}
