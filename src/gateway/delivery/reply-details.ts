/** What the outbox keeps of a reply besides its text. */
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';

export interface ReplyDetails {
  /** The message that is answered. */
  readonly replyTo?: string;
  /** What it answers, by name, where that is more than the one message. */
  readonly about?: readonly string[];
  /** The message in which the answer was shown while it was written; the first part takes its place. */
  readonly previewId?: string;
  /** The same, where an edit would say neither when the answer came nor that it did: it goes when the reply has come. */
  readonly oldPreviewId?: string;
  /** A part of it may stand in the chat already, in a message whose id nobody knows. */
  readonly shown?: boolean;
  /** It tells that another reply was given up. */
  readonly notice?: boolean;
  /** Another reply has the words: when this one is given up, nobody need be told. */
  readonly beside?: boolean;
  readonly files?: readonly ReplyFile[];
  readonly notify?: boolean;
  /** As in `OutgoingText`. */
  readonly linkPreviews?: boolean;
}

export interface ReplyFile {
  readonly kind: 'image' | 'animation' | 'voice' | 'audio' | 'video' | 'document';
  /** Absolute; it may be sent. */
  readonly path: string;
  readonly name: string;
  /** Markdown. */
  readonly caption?: string;
}

const details = z.object({
  replyTo: z.string().exactOptional(),
  about: z.array(z.string()).exactOptional(),
  previewId: z.string().exactOptional(),
  oldPreviewId: z.string().exactOptional(),
  shown: z.boolean().exactOptional(),
  notice: z.boolean().exactOptional(),
  beside: z.boolean().exactOptional(),
  files: z
    .array(
      z.object({
        kind: z.enum(['image', 'animation', 'voice', 'audio', 'video', 'document']),
        path: z.string(),
        name: z.string(),
        caption: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  notify: z.boolean().exactOptional(),
  linkPreviews: z.boolean().exactOptional(),
});

/** Nothing, for a row that another program wrote. */
export function readDetails(text: string): ReplyDetails {
  return details.safeParse(parseJson(text)).data ?? {};
}
