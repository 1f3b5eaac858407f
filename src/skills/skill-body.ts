/** Makes a document ready for the model: tokens filled in, inline commands run where they are switched on, settings added. */
import { errorMessage } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import { expandTilde } from './external-dirs.ts';
import type { SkillConfigKey } from './skill-facts.ts';

/**
 * Runs one command on the host and returns its standard output. Must end within `timeoutMs` and on abort, and must
 * throw when the command fails or does not end.
 */
export type RunInline = (
  command: string,
  options: { readonly cwd: string; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<string>;

export interface BodyOptions {
  /** Absolute directory of the skill. */
  readonly directory: string;
  readonly sessionId: string | undefined;
  readonly templateVars: boolean;
  /** Absent = commands stay as they are written. */
  readonly runInline?: RunInline | undefined;
  readonly inlineTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Tokens first, then commands, so that a command may use the tokens. */
export async function prepareBody(text: string, options: BodyOptions): Promise<string> {
  const filled = options.templateVars ? fillTokens(text, options) : text;
  return options.runInline === undefined ? filled : await runCommands(filled, options.runInline, options);
}

/** The block that tells the values of a skill's settings; empty when it has none. */
export function configBlock(
  keys: readonly SkillConfigKey[],
  config: Readonly<Record<string, unknown>>,
  userHome: string,
): string {
  const lines = keys.map(
    (entry) => `  ${entry.key} = ${showValue(lookUp(config, entry.key) ?? entry.default, userHome)}`,
  );
  return lines.length === 0 ? '' : ['[Skill config (from ~/.hermes/config.yaml):', ...lines, ']'].join('\n');
}

/** Whether there is a command in it that would be run where such are switched on. */
export function hasInlineCommands(text: string): boolean {
  return text.search(inlineCommand) !== -1;
}

const inlineCommand = /!`([^`\n]+)`/g;
const maxOutput = 4_000;
const maxCommands = 50;

function fillTokens(text: string, { directory, sessionId }: BodyOptions): string {
  const withDirectory = text.replaceAll('${HERMES_SKILL_DIR}', () => directory);
  return sessionId === undefined ? withDirectory : withDirectory.replaceAll('${HERMES_SESSION_ID}', () => sessionId);
}

async function runCommands(text: string, run: RunInline, options: BodyOptions): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  let count = 0;
  for (const match of text.matchAll(inlineCommand)) {
    if (++count > maxCommands) break;
    parts.push(text.slice(end, match.index), await outputOf(match[1] ?? '', run, options));
    end = match.index + match[0].length;
  }
  return parts.join('') + text.slice(end);
}

async function outputOf(command: string, run: RunInline, options: BodyOptions): Promise<string> {
  const { directory, inlineTimeoutMs, signal } = options;
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(inlineTimeoutMs);
  try {
    const output = await run(command, {
      cwd: directory,
      timeoutMs: inlineTimeoutMs,
      signal: AbortSignal.any([signal, timeout]),
    });
    return output.trimEnd().slice(0, maxOutput);
  } catch (error) {
    signal.throwIfAborted();
    const reason = timeout.aborted ? `timed out after ${inlineTimeoutMs / 1_000} s` : errorMessage(error).slice(0, 200);
    return `[inline-shell error: ${reason}]`;
  }
}

/** A dotted key as it stands, or step by step. */
function lookUp(config: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(config, key)) return config[key];
  let value: unknown = config;
  for (const part of key.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

function showValue(value: unknown, userHome: string): string {
  if (value === undefined || value === null) return '(not set)';
  if (typeof value === 'string') return value === '' ? '(not set)' : expandTilde(value, userHome).replace(/\s+/g, ' ');
  return JSON.stringify(value);
}
