/** Brings variables and config.yaml together for Telegram, and says what is wrong with them. */
import type { Variables } from '../../../config/variables.ts';
import { isPlaceholder } from '../../../lib/secrets.ts';
import type { PlatformReading } from '../../platform/platform.ts';
import { type Block, checked, type KeysOfPlatform, layered, text, variable } from '../../platform/read-block.ts';
import { ownKeys, maxRichLength, shape, sharedKeys } from './settings.ts';

const keys: KeysOfPlatform = {
  label: 'Telegram',
  shape,
  sharedKeys,
  ownKeys,
  aliases: {
    ingest_unmentioned_group_messages: 'observe_unmentioned_group_messages',
    free_response_channels: 'free_response_chats',
  },
  patterns: ['mention_patterns'],
};

export function readTelegram(variables: Variables, block: Block): PlatformReading {
  const problems: string[] = [];
  const extra = checked(withGroups(variables, layered(variables, block, keys), problems), keys, problems);
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
