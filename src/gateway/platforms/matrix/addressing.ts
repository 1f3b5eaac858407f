/** Whether a message of a room is meant for the bot, and what it says without the bot's name. */
import type { MatrixSettings } from './settings.ts';
import type { MessageContent } from './wire.ts';

export interface Me {
  readonly userId: string;
  readonly name: string | undefined;
}

export type AddressRules = Pick<
  MatrixSettings,
  'require_mention' | 'thread_require_mention' | 'mention_patterns' | 'free_response_rooms' | 'allowed_rooms'
>;

export interface Addressed {
  readonly roomId: string;
  readonly direct: boolean;
  /** The bot has spoken in the thread. */
  readonly knownThread: boolean;
  readonly content: MessageContent;
}

/** Private chats are always heard. */
export function isHeard({ roomId, direct, knownThread, content }: Addressed, me: Me, rules: AddressRules): boolean {
  if (direct) return true;
  if (rules.allowed_rooms.length > 0 && !rules.allowed_rooms.includes(roomId)) return false;
  if (!rules.require_mention || rules.free_response_rooms.includes(roomId)) return true;
  if (knownThread && !rules.thread_require_mention) return true;
  return (
    isMentioned(content, me) || rules.mention_patterns.some((pattern) => new RegExp(pattern, 'i').test(content.body))
  );
}

/** Newer programs say whom they mean; of the words of older ones, the name counts. */
export function isMentioned(
  { body, formatted_body: html = '', 'm.mentions': mentions }: MessageContent,
  me: Me,
): boolean {
  if (mentions?.user_ids?.includes(me.userId) === true) return true;
  if (linkTo(me.userId).test(html)) return true;
  return idIn(me.userId).test(body) || (mentions === undefined && namesOf(me).some((name) => wordOf(name).test(body)));
}

export function withoutMention(text: string, me: Me): string {
  const names = namesOf(me).map(escaped).join('|');
  // A name before a colon may be the beginning of somebody else's id.
  const called = `${idIn(me.userId).source}|@?(?:${names})(?![\\w.-]|:[\\w.-]+\\.\\w)`;
  return text
    .replace(new RegExp(`^\\s*(?:${called})[\\s:,]*`, 'i'), '')
    .replaceAll(new RegExp(idIn(me.userId), 'gi'), '')
    .trim();
}

/** Not as the beginning of a longer one. */
function idIn(userId: string): RegExp {
  return new RegExp(`${escaped(userId)}(?![\\w.:-]*\\w)`, 'i');
}

function linkTo(userId: string): RegExp {
  return new RegExp(`matrix\\.to/#/(?:${escaped(userId)}|${escaped(encodeURIComponent(userId))})(?![\\w.:%-])`, 'i');
}

function namesOf({ userId, name }: Me): readonly string[] {
  const local = userId.slice(1).split(':', 1)[0] ?? '';
  return [name ?? '', local].filter((each) => each !== '');
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w@])@?${escaped(name)}(?!\\w)`, 'i');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
