/** What was said in a conversation: `messages_read` and `attachments_fetch`. */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { textOf } from '../../../llm/message.ts';
import type { StoredMessage } from '../../../sessions/messages.ts';
import { type BridgeTool, bridgeTool, within } from './bridge-tool.ts';
import { conversationOf, sessionKey } from './conversations.ts';
import type { StoreAtHand } from './store-at-hand.ts';

const maxChars = 2000;

/** `mask` takes secrets out of a text. */
export function messageTools(store: StoreAtHand, mask: (text: string) => string): readonly BridgeTool[] {
  const said = async (key: string): Promise<readonly StoredMessage[]> => {
    const { sessionId } = await conversationOf(store, key);
    return (await store.use(({ messages }) => messages.list(sessionId))) ?? [];
  };
  return [
    bridgeTool({
      name: 'messages_read',
      description:
        'Reads the newest messages of a conversation, oldest first: who said what, and when (Unix seconds). A text is cut at 2000 characters.',
      parameters: z.object({
        session_key: sessionKey,
        limit: z.int().default(50).describe('How many of the newest: 1 to 200'),
      }),
      async run({ session_key: key, limit }) {
        const spoken = (await said(key)).filter(
          ({ message }) => message.role !== 'tool' && textOf(message.content) !== '',
        );
        const messages = spoken.slice(-within(limit, 1, 200)).map(({ id, timestamp, message }) => ({
          id: String(id),
          role: message.role,
          content: cut(mask(textOf(message.content)), maxChars),
          timestamp,
        }));
        return { session_key: key, count: messages.length, total_in_session: spoken.length, messages };
      },
    }),
    bridgeTool({
      name: 'attachments_fetch',
      description:
        'Lists what a message holds besides its text: pictures, and the files that it names with MEDIA:<path>.',
      parameters: z.object({
        session_key: sessionKey,
        message_id: z.string().describe('The id of the message, from messages_read'),
      }),
      async run({ session_key: key, message_id: id }) {
        const found = (await said(key)).find((one) => String(one.id) === id);
        if (found === undefined) throw new UserError(`Message not found: ${id.slice(0, 100)}`);
        const attachments = attachmentsOf(found, mask);
        return { message_id: id, count: attachments.length, attachments };
      },
    }),
  ];
}

export function cut(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed();
}

function attachmentsOf({ message: { content } }: StoredMessage, mask: (text: string) => string) {
  const pictures = (typeof content === 'string' ? [] : (content ?? [])).flatMap((part) =>
    part.type === 'image_url' ? [{ type: 'image', url: part.image_url.url }] : [],
  );
  const files = [...textOf(content).matchAll(/MEDIA:\s*(\S+)/g)].map(([, path = '']) => ({
    type: 'media',
    path: mask(path),
  }));
  return [...pictures, ...files];
}
