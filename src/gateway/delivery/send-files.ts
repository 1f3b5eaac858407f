/** Sends the files of a reply, in their order: pictures that stand side by side as one album where the platform has that. */
import type { NewReply } from '../../sessions/chat-inbox.ts';
import type { OutgoingFile } from '../platform/adapter.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { SendResult } from '../platform/send-result.ts';
import type { ReplyDetails, ReplyFile } from './reply-details.ts';
import { patiently, sendText, type SendTextOptions } from './send-text.ts';

export interface ReplyToSend {
  readonly reply: Pick<NewReply, 'id' | 'chatId' | 'threadId' | 'content'>;
  readonly details: ReplyDetails;
  /** Parts, files included, that have arrived. */
  readonly partsSent: number;
  /** An earlier attempt may have arrived: the first part says so. */
  readonly repeat: boolean;
  /** It may have arrived too often for another message: only its preview may still become it. */
  readonly onlyEdit?: boolean;
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

export const repeatLine = '♻️ This may be a repeat: I do not know whether it arrived the first time.';

/** `parts`: how many messages its text takes. The result is that of the first that did not arrive, or of the last. */
export async function sendFiles(sending: ReplyToSend, parts: number, options: SendReplyOptions): Promise<SendResult> {
  const { reply, details, partsSent } = sending;
  const begin = Math.max(0, partsSent - parts);
  // The words before it have said so where they were sent again.
  const saysSo = sending.repeat && !options.facts.sendsOnce && partsSent >= parts;
  const files = (details.files ?? []).map((file, index) => ({
    ...outgoing(reply, saysSo && index === begin ? saying(file) : file, index),
    kind: file.kind,
  }));
  let last: SendResult = { ok: true, messageId: null };
  /** Up to here each is sent by itself. */
  let apart = 0;
  for (let index = begin; index < files.length; ) {
    if (index > 0 || parts > 0) {
      await options.onPart?.(parts + index);
      await rest(options);
      if (options.signal.aborted) return cutOff;
    }
    const album = index < apart ? [] : albumAt(files, index, options);
    const together = album.length > 1 ? await sendAlbum(album, options) : undefined;
    if (together === undefined && album.length > 1) {
      apart = index + album.length;
      continue;
    }
    const file = files[index];
    if (file === undefined) break;
    last = together ?? (await sendFile(file, options));
    // Nothing is sent behind a gap that nobody was told of.
    if (!last.ok) return last;
    index += Math.max(1, album.length);
  }
  return last;
}

function outgoing({ id, chatId, threadId }: ReplyToSend['reply'], file: ReplyFile, index: number): OutgoingFile {
  return { ...file, to: { chatId, threadId }, idempotencyKey: `${id}.f${index}` };
}

function saying(file: ReplyFile): ReplyFile {
  return { ...file, caption: file.caption === undefined ? repeatLine : `${repeatLine}\n\n${file.caption}` };
}

/** The next start goes on with what is left. */
const cutOff: SendResult = { ok: false, kind: 'transient', error: 'the gateway is stopping' };

async function rest({ pause, clock, signal }: SendReplyOptions): Promise<void> {
  if (pause === undefined) return;
  const ms = pause.least + clock.random() * Math.max(0, pause.most - pause.least);
  await clock.sleep(ms, signal).catch(() => undefined);
}

/** The pictures from there on, as many as one album takes. */
function albumAt(files: readonly OutgoingFile[], from: number, { adapter }: SendReplyOptions): readonly OutgoingFile[] {
  const most = adapter.files?.albums?.most ?? 0;
  const end = files.findIndex(({ kind }, index) => index >= from && kind !== 'image');
  return files.slice(from, Math.min(from + most, end === -1 ? files.length : end));
}

/** Undefined: it is not taken like that, and nothing of it has arrived. */
async function sendAlbum(album: readonly OutgoingFile[], options: SendReplyOptions): Promise<SendResult | undefined> {
  const { files } = options.adapter;
  const sent = await patiently(async () => (await files?.albums?.send(album, options.signal)) ?? noAlbums, options);
  return sent.ok || sent.mayHaveArrived === true || isPassing(sent.kind) ? sent : undefined;
}

const noAlbums: SendResult = { ok: false, kind: 'unsupported', error: 'there are no albums here' };

function isPassing(kind: string): boolean {
  return kind === 'transient' || kind === 'rate_limited';
}

/** A kind that the platform does not have is sent as a document; what cannot be sent at all is told in words. */
async function sendFile(file: OutgoingFile, options: SendReplyOptions): Promise<SendResult> {
  const { files } = options.adapter;
  if (files !== undefined) {
    const send = (kind: ReplyFile['kind']) => patiently(() => files.send({ ...file, kind }, options.signal), options);
    let result = await send(file.kind);
    const other = !result.ok && ['unsupported', 'too_long', 'bad_format'].includes(result.kind);
    if (other && file.kind !== 'document') result = await send('document');
    if (result.ok || isPassing(result.kind)) return result;
  }
  // The name only: a path says more about the machine than the chat should know.
  const text = `The file ${file.name} could not be sent here.`;
  return await sendText({ to: file.to, text, key: file.idempotencyKey }, options);
}
