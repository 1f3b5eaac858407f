/** Sends one reply whole: its text in parts, in the place of its preview if it has one, then its files. */
import type { NewReply } from '../../sessions/chat-inbox.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { SendResult } from '../platform/send-result.ts';
import { splitText } from '../text/split.ts';
import type { ReplyDetails, ReplyFile } from './reply-details.ts';
import { cutRules, marked, patiently, sendText, type SendTextOptions } from './send-text.ts';

export interface ReplyToSend {
  readonly reply: Pick<NewReply, 'id' | 'chatId' | 'threadId' | 'content'>;
  readonly details: ReplyDetails;
  /** Parts, files included, that have arrived. */
  readonly partsSent: number;
  /** An earlier attempt may have arrived: the first part says so. */
  readonly repeat: boolean;
}

export interface SendReplyOptions extends SendTextOptions {
  readonly facts: Pick<PlatformFacts, 'maxMessageLength' | 'lengthUnit' | 'sendsOnce'>;
  /** Between two things of one reply, as people take it. */
  readonly pause?: Pause | undefined;
}

/** In milliseconds; its length is chosen anew each time. */
export interface Pause {
  readonly least: number;
  readonly most: number;
}

const repeatLine = '♻️ This may be a repeat: I do not know whether it arrived the first time.';

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
    if (sent.ok) await edits?.remove?.(message.to, oldPreviewId, options.signal).catch(() => undefined);
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
    // A preview that cannot be finished goes away, as far as it can.
    await edits.remove?.(message.to, previewId, options.signal).catch(() => undefined);
    return await sendText(message, options);
  }
  if (rest.length === 0) return edited;
  await options.onPart?.(1);
  const { mark: _mark, ...fresh } = message;
  return await sendText({ ...fresh, partsSent: 1 }, options);
}

/** An edit that arrives twice is one edit. */
function asEdit(result: SendResult): SendResult {
  if (result.ok) return result;
  const { mayHaveArrived: _unknown, ...known } = result;
  return known;
}

async function sendFiles(sending: ReplyToSend, parts: number, options: SendReplyOptions): Promise<SendResult> {
  const { reply, details, partsSent } = sending;
  const files = details.files ?? [];
  const begin = Math.max(0, partsSent - parts);
  // The words before it have said so where they were sent again.
  const saysSo = sending.repeat && !options.facts.sendsOnce && partsSent >= parts;
  let last: SendResult = { ok: true, messageId: null };
  for (let index = begin; index < files.length; index += 1) {
    const file = files[index];
    if (file === undefined) break;
    if (index > 0 || parts > 0) {
      await options.onPart?.(parts + index);
      await rest(options);
      if (options.signal.aborted) return cutOff;
    }
    const said = file.caption === undefined ? repeatLine : `${repeatLine}\n\n${file.caption}`;
    const shown = saysSo && index === begin ? { ...file, caption: said } : file;
    last = await sendFile(sending, shown, `${reply.id}.f${index}`, options);
    // Nothing is sent behind a gap that nobody was told of.
    if (!last.ok) return last;
  }
  return last;
}

/** The next start goes on with what is left. */
const cutOff: SendResult = { ok: false, kind: 'transient', error: 'the gateway is stopping' };

async function rest({ pause, clock, signal }: SendReplyOptions): Promise<void> {
  if (pause === undefined) return;
  const ms = pause.least + clock.random() * Math.max(0, pause.most - pause.least);
  await clock.sleep(ms, signal).catch(() => undefined);
}

/** A kind that the platform does not have is sent as a document; what cannot be sent at all is told in words. */
async function sendFile(
  { reply }: ReplyToSend,
  file: ReplyFile,
  key: string,
  options: SendReplyOptions,
): Promise<SendResult> {
  const to = { chatId: reply.chatId, threadId: reply.threadId };
  const { files } = options.adapter;
  if (files !== undefined) {
    const send = (kind: ReplyFile['kind']) =>
      patiently(() => files.send({ to, ...file, kind, idempotencyKey: key }, options.signal), options);
    let result = await send(file.kind);
    const other = !result.ok && ['unsupported', 'too_long', 'bad_format'].includes(result.kind);
    if (other && file.kind !== 'document') result = await send('document');
    if (result.ok || ['transient', 'rate_limited'].includes(result.kind)) return result;
  }
  // The name only: a path says more about the machine than the chat should know.
  return await sendText({ to, text: `The file ${file.name} could not be sent here.`, key }, options);
}
