/** A reply that waits to be sent: how far it has come, and what of its preview that leaves. */
import type { NewReply, Reply } from '../../sessions/chat-inbox.ts';
import { readDetails, type ReplyDetails } from './reply-details.ts';

export interface Waiting {
  readonly reply: NewReply;
  readonly partsSent: number;
  /** Processes that have tried it, this one not counted. */
  readonly processes: number;
  /** Attempts of this process. */
  readonly attempts: number;
  /** How often what is to be sent now may have arrived already. */
  readonly unknown: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Attempts of one process to finish a preview. */
const maxEdits = 3;

/** A preview that could not be finished so often stays as it is: the answer must come all the same. */
export function leavesPreview({ reply, attempts, partsSent }: Waiting): boolean {
  return attempts >= maxEdits && partsSent === 0 && readDetails(reply.details).previewId !== undefined;
}

export function detailsOf(waiting: Waiting): ReplyDetails {
  const details = readDetails(waiting.reply.details);
  const { previewId: _left, oldPreviewId, ...rest } = details;
  if (leavesPreview(waiting)) return rest;
  // Sent anew it may stand there already. What was shown must not stay half beside it, and an edit comes only once.
  if (oldPreviewId !== undefined && waiting.unknown > 0 && waiting.partsSent === 0)
    return { ...rest, previewId: oldPreviewId, shown: true };
  return details;
}

/** What earlier processes have made of it. */
export function waitingFor(reply: Reply): Waiting {
  const { partsSent, createdAt: since, attempts: processes } = reply;
  const shown = partsSent === 0 && readDetails(reply.details).shown === true ? 1 : 0;
  return { reply, partsSent, processes, attempts: 0, unknown: reply.unknown + shown, since };
}
