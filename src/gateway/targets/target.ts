/** Where something goes, as people write it: `platform`, `platform:chat`, `platform:chat:thread` or `platform:name`. */
import { UserError } from '../../lib/errors.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import type { Platform } from '../platform/platform.ts';
import { type Directory, findByName } from './channel-directory.ts';

export interface WrittenTarget {
  readonly platform: string;
  /** A chat by id or name; undefined: the home chat. */
  readonly chat: string | undefined;
}

export interface FoundTarget {
  readonly to: ChatAddress;
  /** For the person: which chat that was. */
  readonly note?: string;
}

export function parseTarget(text: string): WrittenTarget {
  const [, platform = '', chat] = /^([^:]*)(?::(.*))?$/s.exec(text.trim()) ?? [];
  return { platform: platform.trim().toLowerCase(), chat: chat?.trim() || undefined };
}

/** Throws `UserError` for a chat that nobody knows, and where there is no home. */
export function findChat(
  { platform, config }: ConfiguredPlatform,
  chat: string | undefined,
  directory: Directory,
): FoundTarget {
  if (chat === undefined) {
    const { homeChannel: home } = config;
    if (home === undefined) {
      throw new UserError(`${platform.label} has no home chat.`, {
        hint: `Write /sethome in a chat, or: hermes config set ${platform.homeVariable} <chat>`,
      });
    }
    return {
      to: { chatId: home.chatId, threadId: home.threadId },
      note: `the home chat of ${platform.label}${home.name === undefined ? '' : `, ${home.name}`}`,
    };
  }
  const address = addressOf(platform, chat);
  if (address !== undefined) return { to: address };
  const found = findByName(directory.platforms[platform.name] ?? [], chat);
  if (found.as === 'found') {
    const { id, name } = found.entry;
    return { to: addressOf(platform, id) ?? { chatId: id, threadId: null }, note: name };
  }
  if (found.as === 'several') {
    throw new UserError(`'${chat.slice(0, 100)}' may be several chats of ${platform.label}.`, {
      hint: `Say which: ${found.names.slice(0, 10).join(', ')}`,
    });
  }
  throw new UserError(`No chat of ${platform.label} is called '${chat.slice(0, 100)}'.`, {
    hint: `Those that are known: hermes send --list ${platform.name}`,
  });
}

/** Undefined for a name. */
export function addressOf({ readAddress }: Pick<Platform, 'readAddress'>, text: string): ChatAddress | undefined {
  if (readAddress !== undefined) return readAddress(text);
  const [, chatId, threadId = null] = /^(-?\d+)(?::(\S+))?$/.exec(text) ?? [];
  return chatId === undefined ? undefined : { chatId, threadId };
}
