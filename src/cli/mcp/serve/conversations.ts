/** Which conversations there are in chats: `conversations_list` and `conversation_get`. */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import type { ChatConversation } from '../../../sessions/chat-reading.ts';
import { localTime } from '../../../sessions/route-entry.ts';
import { type BridgeTool, bridgeTool, optionalText, within } from './bridge-tool.ts';
import type { StoreAtHand } from './store-at-hand.ts';

export function conversationTools(store: StoreAtHand): readonly BridgeTool[] {
  return [
    bridgeTool({
      name: 'conversations_list',
      description:
        'Lists the conversations that go on in chats, the one that was active last first. Each has the session_key that messages_read takes, its platform, the type of its chat, its name and when it was last active.',
      parameters: z.object({
        platform: optionalText('Only those of this platform (telegram, discord, slack …)'),
        limit: z.int().default(50).describe('How many at most: 1 to 200'),
        search: optionalText('Only those whose name or session key contains this'),
      }),
      async run({ platform, limit, search }) {
        const all = (await store.use(({ chatReading }) => chatReading.conversations())) ?? [];
        const found = all.filter((one) => isOf(one, platform) && isNamed(one, search)).slice(0, within(limit, 1, 200));
        return { count: found.length, conversations: found.map(summaryOf) };
      },
    }),
    bridgeTool({
      name: 'conversation_get',
      description: 'What is known of one conversation.',
      parameters: z.object({ session_key: sessionKey }),
      async run({ session_key: key }) {
        const one = await conversationOf(store, key);
        return {
          ...summaryOf(one),
          chat_id: one.chatId ?? '',
          thread_id: one.threadId,
          created_at: localTime(one.startedAt * 1000),
          input_tokens: one.inputTokens,
          output_tokens: one.outputTokens,
          total_tokens: one.inputTokens + one.outputTokens,
        };
      },
    }),
  ];
}

export const sessionKey = z.string().describe('The session_key of a conversation, from conversations_list');

/** Throws `UserError` when there is none. */
export async function conversationOf(store: StoreAtHand, key: string): Promise<ChatConversation> {
  const found = await store.use(({ chatReading }) => chatReading.conversation(key));
  if (found === undefined) throw new UserError(`Conversation not found: ${key.slice(0, 300)}`);
  return found;
}

export function isOf({ platform }: ChatConversation, wanted: string | null): boolean {
  return !wanted || platform.toLowerCase() === wanted.toLowerCase();
}

export function nameOf(one: ChatConversation): string {
  return one.displayName || named(one, 'chat_name');
}

function isNamed(one: ChatConversation, search: string | null): boolean {
  if (!search) return true;
  const words = search.toLowerCase();
  return [nameOf(one), named(one, 'chat_name'), one.sessionKey].some((text) => text.toLowerCase().includes(words));
}

function summaryOf(one: ChatConversation) {
  return {
    session_key: one.sessionKey,
    session_id: one.sessionId,
    platform: one.platform,
    chat_type: one.chatType ?? '',
    display_name: nameOf(one),
    chat_name: named(one, 'chat_name'),
    user_name: named(one, 'user_name'),
    updated_at: localTime(one.lastActive * 1000),
  };
}

function named({ origin }: ChatConversation, field: string): string {
  const value = origin?.[field];
  return typeof value === 'string' ? value : '';
}
