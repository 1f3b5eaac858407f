/** Reads `.env`: the file's lines, and the environment with the file laid over the shell. Nothing is written here. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { isPlaceholder, isSecretName } from '../lib/secrets.ts';
import { isVariableName } from './env-values.ts';
import type { Home } from './home.ts';
import type { Variables } from './variables.ts';

/** One setting of a `.env` file, or a stretch that is none (blank, comment, broken). */
export interface EnvEntry {
  /** Lines as they stand in the file, without the last line break. */
  readonly raw: string;
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly setting?: { readonly name: string; readonly value: string };
  /** Why the line could not be used. Never quotes the line: it may hold a key. */
  readonly problem?: string;
}

export interface LoadedEnv {
  /** A new record: managed values over `.env` over the shell. */
  readonly env: Record<string, string | undefined>;
  readonly warnings: readonly string[];
}

export const DEFAULT_MANAGED_DIRECTORY = '/etc/hermes';

/** These decide which files are read, so neither a file nor a secret manager may set them. */
export const SHELL_ONLY: ReadonlySet<string> = new Set(['HERMES_MANAGED_DIR', 'HERMES_HOME']);

/**
 * Lays the home's `.env` over the shell's variables and the administrator's over both; `.op.env` fills what the first two
 * leave open. Empty values in a file, and placeholders in the place of secrets anywhere, count as unset. `HERMES_HOME` is
 * the active home's path. Broken lines become warnings with file and line number; nothing is thrown.
 */
export function loadEnvironment(home: Home, shell: Variables): LoadedEnv {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(shell)) {
    if (value !== undefined && !(isSecretName(name) && isUnset(name, value))) env[name] = value;
  }
  const warnings: string[] = [];
  const lay = (path: string, overrides: boolean): void => {
    const file = readEnvFile(path);
    warnings.push(...file.warnings);
    for (const [name, value] of file.values) {
      if (!SHELL_ONLY.has(name) && (overrides || env[name] === undefined)) env[name] = value;
    }
  };
  lay(join(home.path, '.env'), true);
  // The place for the one token that 1Password is asked with, apart from the rest.
  if (env['OP_SERVICE_ACCOUNT_TOKEN'] === undefined) lay(join(home.path, '.op.env'), false);
  lay(join(managedDirectory(shell), '.env'), true);
  env['HERMES_HOME'] = home.path;
  return { env, warnings };
}

/** Makes `env` what `fresh` is, for all who hold it; returns the names whose values changed, sorted. */
export function replaceVariables(env: Record<string, string | undefined>, fresh: Variables): readonly string[] {
  const changed = [...new Set([...Object.keys(env), ...Object.keys(fresh)])].filter(
    (name) => env[name] !== fresh[name],
  );
  for (const name of changed) {
    if (fresh[name] === undefined) delete env[name];
    else env[name] = fresh[name];
  }
  return changed.sort();
}

/** Where an administrator's files are looked for; only the shell may redirect it, never a `.env`. */
export function managedDirectory(shell: Variables): string {
  return shell['HERMES_MANAGED_DIR']?.trim() || DEFAULT_MANAGED_DIRECTORY;
}

/** The usable settings of one file. An absent file is an empty one; an unreadable one is a warning. */
export function readEnvFile(path: string): { values: Map<string, string>; warnings: string[] } {
  const values = new Map<string, string>();
  const warnings: string[] = [];
  let text: string | undefined;
  try {
    text = readEnvText(path);
  } catch (error) {
    return { values, warnings: [`Cannot read ${path}: ${errorMessage(error)}`] };
  }
  for (const { line, problem, setting } of parseEnvText(text ?? '')) {
    if (problem !== undefined) warnings.push(`${path}:${line}: ${problem}`);
    if (setting === undefined || isUnset(setting.name, setting.value)) continue;
    values.set(setting.name, setting.value);
  }
  return { values, warnings };
}

/** The file as UTF-8, or as Latin-1 where it is not; `undefined` when absent. Throws other file-system errors. */
export function readEnvText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    // A pipe would never end.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    bytes = readFileSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Written by an editor of a time before UTF-8.
    return bytes.toString('latin1');
  }
}

/** Splits the text into settings and the rest; joining all `raw` with line breaks gives the text back. */
export function parseEnvText(text: string): EnvEntry[] {
  const lines = text.split('\n');
  const entries: EnvEntry[] = [];
  for (let index = 0; index < lines.length; ) {
    const length = entryLength(lines, index);
    const raw = lines.slice(index, index + length).join('\n');
    entries.push({ raw, line: index + 1, ...readEntry(raw) });
    index += length;
  }
  return entries;
}

/** True when a value stands for "not set": empty, or a placeholder where a secret belongs. */
function isUnset(name: string, value: string): boolean {
  // No password is one, too: who sets it wants nobody to be asked.
  if (name === 'SUDO_PASSWORD' && value === '') return false;
  return value.trim() === '' || (isSecretName(name) && isPlaceholder(value));
}

const SETTING = /^\s*(?:export\s+)?([^\s=]+)\s*=([^]*)$/;
/** A line that starts another setting ends an unclosed quote: one forgotten quote must not swallow the rest. */
const NEXT_SETTING = /^\s*(?:export\s+)?[A-Z_][A-Z0-9_]*=/;
/** Two settings on one line, from an editor or script that forgot the line break. */
const GLUED = /[A-Za-z0-9_-][A-Z][A-Z0-9_]*_(?:API_KEY|KEY|TOKEN|SECRET|PASSWORD|URL)=./;

function entryLength(lines: readonly string[], start: number): number {
  const quote = openQuote(lines[start] ?? '');
  if (quote === undefined) return 1;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.includes(quote)) return index - start + 1;
    if (NEXT_SETTING.test(line)) return 1;
  }
  return 1;
}

/** The quote character a line opens and does not close. */
function openQuote(line: string): string | undefined {
  const value = SETTING.exec(line)?.[2]?.trimStart() ?? '';
  const quote = value[0];
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  return value.indexOf(quote, 1) === -1 ? quote : undefined;
}

function readEntry(raw: string): Pick<EnvEntry, 'setting' | 'problem'> {
  if (/^\s*(#|$)/.test(raw)) return {};
  const [, name, rest = ''] = SETTING.exec(raw.replace(/\r$/, '')) ?? [];
  if (name === undefined) return { problem: 'not a KEY=VALUE line; ignored' };
  if (!isVariableName(name)) return { problem: 'Invalid environment variable name; line ignored' };
  if (!raw.includes('\n') && openQuote(raw) !== undefined) return { problem: `${name} has an unclosed quote; ignored` };
  const value = Object.values(parseEnv(`X=${rest}`))[0] ?? '';
  const setting = { name, value };
  if (!/^\s*["'`]/.test(rest) && !/[?&]/.test(value) && GLUED.test(value)) {
    return { setting, problem: `${name} seems to hold two settings on one line` };
  }
  return { setting };
}
