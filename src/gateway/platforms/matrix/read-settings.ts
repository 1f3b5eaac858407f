/** Brings variables and config.yaml together for Matrix, and says what is wrong with them. */
import { filled, firstSet, isOn } from '../../../config/env-values.ts';
import type { Variables } from '../../../config/variables.ts';
import { isPlaceholder } from '../../../lib/secrets.ts';
import type { PlatformReading } from '../../platform/platform.ts';
import { ownKeys, shape, sharedKeys } from './settings.ts';

type Block = Readonly<Record<string, unknown>>;

/** Other names of keys. */
const aliases: Readonly<Record<string, string>> = {
  free_response_channels: 'free_response_rooms',
  allowed_chats: 'allowed_rooms',
};

export function readMatrix(variables: Variables, block: Block): PlatformReading {
  const problems: string[] = [];
  const extra = checked(layered(variables, block), problems);
  const token = variable(variables, 'MATRIX_ACCESS_TOKEN') ?? text(block['token']) ?? text(block['access_token']);
  if (token !== undefined && isPlaceholder(token)) {
    problems.push(
      'The access token of Matrix is only an example: put the one of the account into MATRIX_ACCESS_TOKEN.',
    );
    return { configured: false, extra, problems };
  }
  const hasLogin = extra['user_id'] !== undefined && extra['password'] !== undefined;
  const hasServer = extra['homeserver'] !== undefined;
  if (token !== undefined && !hasServer) problems.push('MATRIX_HOMESERVER is not set: Matrix needs its address.');
  const configured = hasServer && (token !== undefined || hasLogin);
  const length = extra['max_message_length'];
  const limit = typeof length === 'number' ? { maxMessageLength: length } : {};
  return { configured, ...(token === undefined ? {} : { token }), extra, problems, ...limit };
}

function layered(variables: Variables, given: Block): Record<string, unknown> {
  const block: Record<string, unknown> = { ...given };
  for (const [alias, name] of Object.entries(aliases)) if (alias in block) block[name] ??= block[alias];
  for (const [name, known] of Object.entries(sharedKeys)) block[name] ??= variable(variables, known);
  for (const [name, known] of Object.entries(ownKeys)) block[name] = variable(variables, known) ?? block[name];
  // The older switch: on means that nothing goes out unencrypted.
  const older = isOn(variable(variables, 'MATRIX_ENCRYPTION')) || block['encryption'] === true;
  if (older) block['e2ee_mode'] ??= 'required';
  return block;
}

/** Values that cannot be are told and left out, so that the standard is used. Keys of other parts stay as they are. */
function checked(block: Block, problems: string[]): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    if (value === undefined || value === null) continue;
    const field = Object.entries(shape).find(([key]) => key === name)?.[1];
    const parsed = field?.safeParse(value);
    if (parsed === undefined) extra[name] = value;
    else if (parsed.success) extra[name] = parsed.data;
    else
      problems.push(`${name} of Matrix ${parsed.error.issues[0]?.message ?? 'cannot be used'}; the standard is used.`);
  }
  for (const name of ['mention_patterns', 'ignore_user_patterns']) {
    const patterns = extra[name];
    if (Array.isArray(patterns)) extra[name] = patterns.filter((pattern) => isPattern(name, String(pattern), problems));
  }
  return extra;
}

function isPattern(name: string, pattern: string, problems: string[]): boolean {
  try {
    return new RegExp(pattern, 'i').ignoreCase;
  } catch {
    problems.push(`${name} of Matrix: '${pattern.slice(0, 80)}' is no regular expression and is left out.`);
    return false;
  }
}

function variable(variables: Variables, name: string): string | undefined {
  return filled(firstSet(variables, [name])?.value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? filled(value) : undefined;
}
