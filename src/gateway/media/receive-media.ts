/** Brings what came with a message to this machine, and says in the message what it is. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { startDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { maxPictureBytes } from '../../pictures/bounds.ts';
import { partOf } from '../../pictures/part.ts';
import { fitPicture } from '../../pictures/picture.ts';
import type { ReceivedFile } from '../chats/turn-input.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { Attachment, MessageEvent } from '../platform/message-event.ts';
import { displayName, type MediaCache } from './media-cache.ts';

export interface ReceiveOptions {
  readonly cache: MediaCache;
  readonly log: Log;
  /** Undefined while the platform is not connected. */
  readonly adapter: PlatformAdapter | undefined;
  /** Nobody waits for the message any more. */
  readonly signal: AbortSignal;
  /** Turns voice messages into text; absent when nobody is to. */
  readonly voice?: VoiceReader;
}

export interface VoiceReader {
  /** What was said. Throws `UserError` with a reason for people; within a time of its own, as long notes take long. */
  read(path: string, signal: AbortSignal): Promise<string>;
  /** Tells the person what was heard, or why nothing was; never rejects. */
  tell(line: string): Promise<void>;
  /** Whether what was heard is told. */
  readonly echo: boolean;
}

const fetchMs = 60_000;
const fitMs = 90_000;
const maxFiles = 30;
/** Documents of text that are no longer than this stand in the message itself. */
const maxInlineBytes = 100 * 1024;
const textEndings =
  /\.(?:txt|md|rst|log|csv|tsv|json|jsonl|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|scss|less|m?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|pl|lua|sh|bash|zsh|fish|ps1|sql|r|swift|scala|dart|vue|svelte|tex|srt|vtt|ass|diff|patch)$/i;

/** What cannot be brought is a note, for the model and through it for the sender; it never stops the message. Rejects only with the reason of `signal`. */
export async function receiveMedia(event: MessageEvent, options: ReceiveOptions): Promise<readonly ReceivedFile[]> {
  const received: ReceivedFile[] = [];
  for (const attachment of event.attachments.slice(0, maxFiles)) received.push(await receiveOne(attachment, options));
  const left = event.attachments.length - maxFiles;
  return left > 0 ? [...received, { note: `[${left} more files came along and were not taken.]` }] : received;
}

async function receiveOne(
  attachment: Attachment,
  { cache, log, adapter, voice, signal: wanted }: ReceiveOptions,
): Promise<ReceivedFile> {
  const name = displayName(attachment.name ?? '') || attachment.kind;
  if (adapter?.files === undefined)
    return { note: `[The file ${name} could not be fetched: the chat is not connected.]` };
  using deadline = startDeadline(fetchMs, wanted);
  const { signal } = deadline;
  try {
    const bytes = await adapter.files.fetch(attachment, signal);
    const { path, size } = await cache.store(attachment, bytes, signal);
    if (attachment.kind === 'voice' && voice !== undefined) return await heard(path, voice, { log, signal: wanted });
    return await noteOf(attachment, name, path, size);
  } catch (error) {
    wanted.throwIfAborted();
    log.warning(`a file of a chat could not be fetched: ${errorMessage(error)}`, error);
    return { note: `[The file ${name} could not be fetched: ${errorMessage(error).slice(0, 200)}]` };
  }
}

/** The file stays in reach, whatever became of it. */
async function heard(
  path: string,
  voice: VoiceReader,
  { log, signal }: Pick<ReceiveOptions, 'log' | 'signal'>,
): Promise<ReceivedFile> {
  try {
    const words = await voice.read(path, signal);
    if (words === '') return { note: `[The user sent a voice message in which nothing was said: ${path}]` };
    if (voice.echo) await voice.tell(`🎙️ "${words}"`);
    // They are words of whoever sent it, like those that are typed.
    return { note: `[The user sent a voice message: ${path}. It says:]\n${words}` };
  } catch (error) {
    signal.throwIfAborted();
    const why = errorMessage(error).slice(0, 200);
    log.warning(`a voice message could not be turned into text: ${why}`, error);
    await voice.tell(`⚠️ I could not turn your voice message into text: ${why}`);
    const source = { from: 'file', name: path } as const;
    return {
      note: `[The user sent a voice message that could not be turned into text, and was told so: ${path}]`,
      source,
    };
  }
}

async function noteOf(attachment: Attachment, name: string, path: string, size: number): Promise<ReceivedFile> {
  // Whoever sends a file need not have written it.
  const source = { from: 'file', name: path } as const;
  switch (attachment.kind) {
    case 'image':
    case 'sticker': {
      const image = await pictureAt(path, size);
      return { note: `[The user sent a picture: ${path}]`, ...(image === undefined ? {} : { image }), source };
    }
    case 'voice':
      return { note: `[The user sent a voice message: ${path}]`, source };
    case 'audio':
    case 'video':
      return { note: `[The user sent ${attachment.kind === 'audio' ? 'an audio file' : 'a video'}: ${path}]`, source };
    case 'document': {
      const text = size <= maxInlineBytes && textEndings.test(name) ? textAt(path) : undefined;
      const note = `[The user sent the file ${name}: ${path}]`;
      return {
        note: text === undefined ? note : `${note}\n\`\`\`\n${text.replaceAll('```', '`\u200b``')}\n\`\`\``,
        source,
      };
    }
  }
}

/** Undefined for what models do not take as a picture; its path stands in the note. */
async function pictureAt(path: string, size: number): Promise<ReceivedFile['image']> {
  if (size > maxPictureBytes) return undefined;
  try {
    return partOf(await fitPicture(await readFile(path), path, AbortSignal.timeout(fitMs)));
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Undefined for bytes that are no text. */
function textAt(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replaceAll('\0', '');
  } catch {
    return undefined;
  }
}
