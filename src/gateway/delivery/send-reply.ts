/** Sends one reply whole: its text in parts, in the place of its preview if it has one, then its files. */
import type { ChatAddress } from '../platform/adapter.ts';
import type { SendResult } from '../platform/send-result.ts';
import { splitText } from '../text/split.ts';
import { unknownText } from './given-up.ts';
import { repeatLine, type ReplyToSend, sendFiles, type SendReplyOptions } from './send-files.ts';
import { cutRules, marked, patiently, sendText } from './send-text.ts';

/** The result is that of the first thing that did not arrive, or of the last text. */
export async function sendReply(sending: ReplyToSend, options: SendReplyOptions): Promise<SendResult> {
  const { reply, details } = sending;
  const parts = reply.content === '' ? 0 : splitText(reply.content, cutRules(options.facts)).length;
  const files = details.files ?? [];
  const result = await sendWords(sending, options);
  if (!result.ok || files.length === 0) return result;
  return await sendFiles(sending, parts, options);
}

async function sendWords(sending: ReplyToSend, options: SendReplyOptions): Promise<SendResult> {
  const { reply, details } = sending;
  const text = reply.content;
  if (text === '') return { ok: true, messageId: null };
  const message = {
    to: { chatId: reply.chatId, threadId: reply.threadId },
    text,
    key: reply.id,
    partsSent: sending.partsSent,
    ...(sending.repeat && !options.facts.sendsOnce ? { mark: repeatLine } : {}),
    ...(details.replyTo === undefined ? {} : { replyTo: details.replyTo }),
    ...(details.notify === undefined ? {} : { notify: details.notify }),
    ...(details.linkPreviews === undefined ? {} : { linkPreviews: details.linkPreviews }),
  };
  const { previewId, oldPreviewId, linkPreviews } = details;
  const { edits } = options.adapter;
  if (oldPreviewId !== undefined) {
    const sent = await sendText(message, options);
    if (!sent.ok) return sent;
    // Whoever goes on after a kill has only this left to do.
    await options.onPart?.(splitText(text, cutRules(options.facts)).length);
    await removePreview(message.to, oldPreviewId, options);
    return sent;
  }
  if (previewId === undefined || edits === undefined || sending.partsSent > 0) return await sendText(message, options);
  const [first = '', ...rest] = splitText(text, cutRules(options.facts));
  // Another preview may stand in the chat, which nobody can take away.
  const shown = details.shown === true ? marked(first, repeatLine, options.facts) : first;
  const edit = {
    to: message.to,
    text: shown,
    idempotencyKey: `${reply.id}.0`,
    ...(linkPreviews === undefined ? {} : { linkPreviews }),
  };
  const edited = await patiently(async () => asEdit(await edits.edit(previewId, edit, true, options.signal)), options);
  // It may have arrived: only another edit cannot show it twice.
  if (!edited.ok && (edited.kind === 'transient' || edited.kind === 'rate_limited')) return edited;
  if (!edited.ok) {
    if (sending.onlyEdit === true) return { ok: false, kind: 'unknown', error: unknownText };
    // A preview that cannot be finished goes away, as far as it can.
    await edits.remove?.(message.to, previewId, options.signal).catch(() => undefined);
    return await sendText(message, options);
  }
  if (rest.length === 0) return edited;
  await options.onPart?.(1);
  const { mark: _mark, ...fresh } = message;
  return await sendText({ ...fresh, partsSent: 1 }, options);
}

/** What it shows stands in the chat by now, or is told to be given up. */
export async function removePreview(
  to: ChatAddress,
  messageId: string,
  options: Pick<SendReplyOptions, 'adapter' | 'clock' | 'signal'>,
): Promise<void> {
  const { edits } = options.adapter;
  const gone: SendResult = { ok: true, messageId };
  await patiently(async () => asEdit((await edits?.remove?.(to, messageId, options.signal)) ?? gone), options);
}

/** An edit that arrives twice is one edit, and so it is with what is taken away. */
function asEdit(result: SendResult): SendResult {
  if (result.ok) return result;
  const { mayHaveArrived: _unknown, ...known } = result;
  return known;
}
