/** Brings variables and config.yaml together for Telegram, and says what is wrong with them. */
import { filled, firstSet } from '../../../config/env-values.ts';
import type { Variables } from '../../../config/variables.ts';
import { isPlaceholder } from '../../../lib/secrets.ts';
import type { PlatformReading } from '../../platform/platform.ts';
import { ownKeys, maxRichLength, shape, sharedKeys } from './settings.ts';

type Block = Readonly<Record<string, unknown>>;

/** Other names of keys. */
const aliases: Readonly<Record<string, string>> = {
  ingest_unmentioned_group_messages: 'observe_unmentioned_group_messages',
  free_response_channels: 'free_response_chats',
};

export function readTelegram(variables: Variables, block: Block): PlatformReading {
  const problems: string[] = [];
  const extra = checked(withGroups(variables, layered(variables, block), problems), problems);
  const token = variable(variables, 'TELEGRAM_BOT_TOKEN') ?? text(block['token']);
  const refusal = refuseToken(token);
  if (refusal !== undefined) problems.push(refusal);
  if (token === undefined || refusal !== undefined) return { configured: false, extra, problems };
  if (extra['webhook_url'] !== undefined) problems.push(...webhookProblem(extra['webhook_secret']));
  const limit = extra['rich_messages'] === true ? { maxMessageLength: maxRichLength } : {};
  return { configured: true, token, extra, problems, ...limit };
}

/** Why a webhook with this secret must not be opened; the characters are those that Telegram takes. */
export function webhookProblem(secret: unknown): readonly string[] {
  if (typeof secret === 'string' && /^[\w-]{1,256}$/.test(secret) && !isPlaceholder(secret)) return [];
  const what =
    secret === undefined || secret === '' ? 'is not set' : 'cannot be used (A-Z a-z 0-9 _ - only, no example)';
  return [
    `TELEGRAM_WEBHOOK_URL is set and TELEGRAM_WEBHOOK_SECRET ${what}: without it anybody could write in the name of Telegram. Make one with: openssl rand -hex 32`,
  ];
}

/** Goes into addresses, so nothing else may stand in it. */
function refuseToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (!isPlaceholder(token) && /^[\w:-]+$/.test(token)) return undefined;
  return 'The token of the Telegram bot is only an example: put the one from @BotFather into TELEGRAM_BOT_TOKEN.';
}

function layered(variables: Variables, given: Block): Record<string, unknown> {
  // A key without a value is none.
  const block = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '' && value !== null));
  for (const [alias, name] of Object.entries(aliases)) if (alias in block) block[name] ??= block[alias];
  for (const [name, known] of Object.entries(sharedKeys)) block[name] ??= variable(variables, known);
  for (const [name, known] of Object.entries(ownKeys)) {
    // A key of the shared list under another name: config.yaml beats the variable there.
    if (name === 'free_response_chats' && 'free_response_channels' in block) continue;
    block[name] = variable(variables, known) ?? block[name];
  }
  return block;
}

/** Ids of chats among those of people: older versions told them apart by nothing else. */
function withGroups(variables: Variables, block: Record<string, unknown>, problems: string[]): Record<string, unknown> {
  const { group_allow_from: people, group_allowed_chats: groups } = shape;
  const listed = [variable(variables, 'TELEGRAM_GROUP_ALLOWED_USERS'), block['group_allow_from']];
  const chats = listed.flatMap((list) => people.safeParse(list).data ?? []).filter((id) => id.startsWith('-'));
  if (chats.length === 0) return block;
  problems.push(
    `TELEGRAM_GROUP_ALLOWED_USERS names chats (${chats.join(', ')}); they count as TELEGRAM_GROUP_ALLOWED_CHATS, where they belong.`,
  );
  return { ...block, group_allowed_chats: [...(groups.safeParse(block['group_allowed_chats']).data ?? []), ...chats] };
}

/** Values that cannot be are told and left out, so that the standard is used. Keys of other parts stay as they are. */
function checked(block: Block, problems: string[]): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    // The token has a place of its own.
    if (value === undefined || value === null || name === 'token') continue;
    const field = Object.hasOwn(shape, name) ? Object.entries(shape).find(([key]) => key === name)?.[1] : undefined;
    const parsed = field?.safeParse(value);
    if (parsed === undefined) extra[name] = value;
    else if (parsed.success) extra[name] = parsed.data;
    else
      problems.push(
        `${name} of Telegram ${parsed.error.issues[0]?.message ?? 'cannot be used'}; the standard is used.`,
      );
  }
  const patterns = extra['mention_patterns'];
  if (Array.isArray(patterns))
    extra['mention_patterns'] = patterns.filter((pattern) => isPattern(String(pattern), problems));
  return extra;
}

function isPattern(pattern: string, problems: string[]): boolean {
  try {
    return new RegExp(pattern, 'i').ignoreCase;
  } catch {
    problems.push(`mention_patterns of Telegram: '${pattern.slice(0, 80)}' is no regular expression and is left out.`);
    return false;
  }
}

function variable(variables: Variables, name: string): string | undefined {
  return filled(firstSet(variables, [name])?.value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? filled(value) : undefined;
}
