/** One message to one chat that no conversation answers with: what it holds, and what became of it. */
import * as z from 'zod';
import { isStrange, type Source } from '../../llm/source.ts';
import type { ReplyFile } from '../delivery/reply-details.ts';
import type { SendReplyOptions } from '../delivery/send-files.ts';
import { sendReply } from '../delivery/send-reply.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import type { SendResult } from '../platform/send-result.ts';

export interface Outgoing {
  /** The same for every attempt at the same message. */
  readonly id: string;
  readonly platform: string;
  readonly to: ChatAddress;
  /** Markdown. */
  readonly text: string;
  readonly files: readonly ReplyFile[];
  /** Whose words these are. */
  readonly sources: readonly Source[];
  /** How it stands in the conversation of that chat. Absent: as something that the agent said. */
  readonly inConversation?: 'not' | JobResult;
}

/** The result of a scheduled job. */
export interface JobResult {
  readonly job: string;
  /** What was said, without header and footer. */
  readonly text: string;
  /** Whose conversation is meant, where each member of a chat has their own; null where it is shared. */
  readonly userId: string | null;
}

export type HandedMessage = Omit<Outgoing, 'files'>;

export interface Outcome {
  readonly result: SendResult;
  /** It stands in the conversation of that chat too. */
  readonly mirrored: boolean;
}

const kinds = ['user', 'agent', 'tool', 'file', 'skill', 'page', 'program', 'server', 'chat', 'unknown'] as const;

/** A message as one process hands it to another: its files are those that its text names. */
export const handedMessage = z.object({
  id: z.string(),
  platform: z.string(),
  to: z.object({ chatId: z.string(), threadId: z.string().nullable() }),
  text: z.string(),
  sources: z.array(z.object({ from: z.enum(kinds), name: z.string().exactOptional() })),
  inConversation: z
    .union([z.literal('not'), z.object({ job: z.string(), text: z.string(), userId: z.string().nullable() })])
    .exactOptional(),
});

/** Whole, in parts that the platform takes; the result is that of the first thing that did not arrive. */
export async function sendOutgoing(
  { id, to, text, files, sources }: Outgoing,
  options: Omit<SendReplyOptions, 'replyToMode'>,
): Promise<SendResult> {
  const reply = { id, chatId: to.chatId, threadId: to.threadId, content: text };
  const linkPreviews = !sources.some((source) => isStrange(source, 'files'));
  const sending = { reply, details: { files, linkPreviews }, partsSent: 0, repeat: false };
  return await sendReply(sending, { ...options, replyToMode: 'off' });
}
