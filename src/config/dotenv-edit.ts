/** Changes one setting of a `.env` file: comments and order stay, damaged lines are repaired, the write is atomic. */
import { parseEnv } from 'node:util';
import { UserError } from '../lib/errors.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { parseEnvText, readEnvText, type EnvEntry } from './dotenv.ts';
import { knownVariables } from './env-names.ts';
import { isVariableName } from './env-values.ts';
import { unwritable } from './home.ts';

/**
 * Sets a variable in a `.env` file (created with mode 0600), or removes it when `value` is undefined. Line breaks are
 * taken out of the value. Throws `UserError` for a name the shell could not carry, a value no quoting can hold, and a
 * path that cannot be written.
 */
export function setEnvValue(path: string, name: string, value: string | undefined): void {
  setEnvValues(path, new Map([[name, value]]));
}

/** The same for several, in one write: all of them or none. */
export function setEnvValues(path: string, values: ReadonlyMap<string, string | undefined>): void {
  const lines = [...values].map(([name, value]) => {
    checkName(name);
    return [name, value === undefined ? undefined : formatLine(name, value.replaceAll(/[\r\n]+/g, ''))] as const;
  });
  rewrite(path, (entries) => lines.reduce((changed, [name, line]) => replaceSetting(changed, name, line), entries));
}

/** Repairs a file without changing a setting; returns true when something had to be repaired. */
export function repairEnvFile(path: string): boolean {
  if (readEnvText(path) === undefined) return false;
  return rewrite(path, (lines) => lines);
}

/** The text with glued settings split and stale `KEY=***` lines dropped. */
export function repairEnvText(text: string): string {
  const known = knownVariables();
  return parseEnvText(text)
    .flatMap((entry) => splitGlued(entry, known))
    .filter((line) => !/^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*["']?\*{3}["']?\s*$/.test(line))
    .join('\n');
}

function rewrite(path: string, change: (lines: string[]) => string[]): boolean {
  try {
    const before = readEnvText(path);
    const repaired = repairEnvText(before ?? '');
    const lines = change(parseEnvText(repaired).map((entry) => entry.raw));
    const after = lines.join('\n');
    if (after === before) return false;
    writeFileAtomic(path, after);
    return true;
  } catch (error) {
    throw unwritable('write', path, error);
  }
}

function checkName(name: string): void {
  if (!isVariableName(name)) {
    throw new UserError(`Invalid environment variable name: ${name.slice(0, 80)}`, {
      hint: 'Names consist of letters, digits and underscores and do not start with a digit.',
    });
  }
  if (name === 'HERMES_MANAGED_DIR' || name === 'HERMES_HOME') {
    throw new UserError(`${name} is read before .env and cannot be set in it.`, {
      hint: `Export ${name} in your shell or service unit instead.`,
    });
  }
}

/** The last occurrence is the one that counts, so it is the one replaced; earlier ones go. */
function replaceSetting(lines: readonly string[], name: string, line: string | undefined): string[] {
  const isThis = (raw: string) => parseEnvText(raw)[0]?.setting?.name === name;
  const last = lines.findLastIndex(isThis);
  const kept = lines.flatMap((raw, index) => {
    if (!isThis(raw)) return [raw];
    return index === last && line !== undefined ? [line] : [];
  });
  if (last !== -1 || line === undefined) return kept;
  while (kept.at(-1) === '') kept.pop();
  return [...kept, line, ''];
}

/** The plainest way to write a value that reads back as the same value. */
function formatLine(name: string, value: string): string {
  for (const quote of ['', "'", '"', '`']) {
    const line = `${name}=${quote}${value}${quote}`;
    const entries = parseEnvText(line);
    if (entries.length !== 1 || entries[0]?.setting?.value !== value) continue;
    // Other readers of this file expand `$` and treat `#` after a space as a comment outside quotes.
    if (quote === '' && /[\s#$"'`\\]/.test(value)) continue;
    if (parseEnv(line)[name] === value) return line;
  }
  throw new UserError(`The value of ${name} cannot be written to a .env file.`, {
    hint: 'It uses every kind of quote; leave one out.',
  });
}

function splitGlued(entry: EnvEntry, known: ReadonlySet<string>): string[] {
  const { setting, raw } = entry;
  if (setting === undefined || raw.includes('\n') || !known.has(setting.name)) return [raw];
  const start = raw.indexOf('=') + 1;
  if (/^\s*["'`]/.test(raw.slice(start))) return [raw];
  const cut = gluedAt(raw, start, known);
  if (cut === undefined) return [raw];
  const [next] = parseEnvText(raw.slice(cut));
  return [raw.slice(0, cut), ...(next === undefined ? [] : splitGlued(next, known))];
}

/** Where a second known `NAME=` begins inside a value; a query string (`?KEY=`) is none. */
function gluedAt(raw: string, from: number, known: ReadonlySet<string>): number | undefined {
  for (const match of raw.slice(from).matchAll(/([A-Z][A-Z0-9_]*)=/g)) {
    const run = match[1] ?? '';
    for (let offset = 0; offset < run.length; offset++) {
      const at = from + match.index + offset;
      if (!known.has(run.slice(offset))) continue;
      if (at > from && /[?&]/.test(raw[at - 1] ?? '')) break;
      return at;
    }
  }
  return undefined;
}
