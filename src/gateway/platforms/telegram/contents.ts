/** What a message holds besides its text: files, places, and what can only be told in words. */
import type { Attachment, MessageType } from '../../platform/message-event.ts';
import type { QuotedTelegramMessage, TelegramMessage } from './wire.ts';

export interface Contents {
  readonly type: MessageType;
  readonly attachments: readonly Attachment[];
  /** Stands in the text, before what the person wrote. */
  readonly words?: string;
}

type Holder = TelegramMessage | QuotedTelegramMessage;
type File = NonNullable<TelegramMessage['document']>;

/** Undefined for a message without anything that can be read: somebody joined, a title changed. */
export function contentsOf(message: Holder): Contents | undefined {
  return mediaOf(message) ?? toldOf(message) ?? textOf(message);
}

function textOf({ text }: Holder): Contents | undefined {
  if (text === undefined) return undefined;
  return { type: text.startsWith('/') ? 'command' : 'text', attachments: [] };
}

function mediaOf(message: Holder): Contents | undefined {
  const { photo, sticker, voice, audio, video, video_note: round, animation, document } = message;
  const largest = photo?.at(-1);
  if (largest !== undefined) return { type: 'photo', attachments: [attach('image', largest, 'image/jpeg')] };
  if (sticker !== undefined) return stickerOf(sticker);
  if (voice !== undefined) return { type: 'voice', attachments: [attach('voice', voice, 'audio/ogg')] };
  if (audio !== undefined) return { type: 'audio', attachments: [attach('audio', audio, 'audio/mpeg')] };
  const film = video ?? round ?? animation;
  if (film !== undefined) return { type: 'video', attachments: [attach('video', film, 'video/mp4')] };
  if (document === undefined) return undefined;
  // People send pictures as files to keep their quality.
  if (/^image\/(?:png|jpeg|webp|gif)$/.test(document.mime_type ?? ''))
    return { type: 'photo', attachments: [attach('image', document)] };
  return { type: 'document', attachments: [attach('document', document)] };
}

/** A sticker that moves cannot be looked at as a picture. */
function stickerOf(sticker: NonNullable<TelegramMessage['sticker']>): Contents {
  const still = sticker.is_animated !== true && sticker.is_video !== true;
  return {
    type: 'sticker',
    attachments: still ? [attach('sticker', sticker, 'image/webp')] : [],
    words: `[Sticker${sticker.emoji === undefined ? '' : ` ${sticker.emoji}`}]`,
  };
}

function toldOf({ venue, location, contact, poll, dice }: Holder): Contents | undefined {
  if (venue !== undefined) {
    const { latitude, longitude } = venue.location;
    const words = `[Location: ${venue.title}, ${venue.address}; latitude ${latitude}, longitude ${longitude}]`;
    return { type: 'location', attachments: [], words };
  }
  if (location !== undefined) {
    const words = `[Location: latitude ${location.latitude}, longitude ${location.longitude}]`;
    return { type: 'location', attachments: [], words };
  }
  const words =
    contact !== undefined
      ? `[Contact: ${`${contact.first_name} ${contact.last_name ?? ''}`.trim()}, ${contact.phone_number}]`
      : poll !== undefined
        ? `[Poll: ${poll.question} — ${poll.options.map(({ text }) => text).join(' / ')}]`
        : dice !== undefined
          ? `[${dice.emoji} shows ${dice.value}]`
          : undefined;
  return words === undefined ? undefined : { type: 'text', attachments: [], words };
}

function attach(kind: Attachment['kind'], file: File, standardType?: string): Attachment {
  const type = file.mime_type ?? standardType;
  return {
    kind,
    reference: file.file_id,
    ...(file.file_name === undefined ? {} : { name: file.file_name }),
    ...(type === undefined ? {} : { mime_type: type }),
    ...(file.file_size === undefined ? {} : { size: file.file_size }),
  };
}
