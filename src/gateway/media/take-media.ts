/** Takes the files that an answer names out of its text. */
import { basename, extname } from 'node:path';
import type { ReplyFile } from '../delivery/reply-details.ts';
import { findMedia, takeMedia } from '../text/media-marks.ts';
import { isFile, sendablePath, type SendableRules } from './sendable.ts';

export interface TakenMedia {
  readonly text: string;
  readonly files: readonly ReplyFile[];
  /** Names of those that may not be sent; the text says so too. */
  readonly refused: readonly string[];
}

const maxFiles = 30;
const kinds: readonly [ReplyFile['kind'], RegExp][] = [
  ['animation', /^\.gif$/],
  ['image', /^\.(?:png|jpe?g|webp|bmp|tiff)$/],
  ['video', /^\.(?:mp4|mov|avi|mkv|webm)$/],
  ['voice', /^\.(?:ogg|opus)$/],
  ['audio', /^\.(?:mp3|wav|m4a|flac)$/],
];

/** What may not be sent is named to the person, without its path. `userHome`: for paths that begin with `~/`. */
export function mediaOf(answer: string, userHome: string, rules: SendableRules): TakenMedia {
  const found = findMedia(answer, userHome);
  if (found.files.length === 0) return { text: answer, files: [], refused: [] };
  const sendable = new Map<string, string>();
  for (const { path } of found.files) {
    const real = sendablePath(path, rules);
    if (real !== undefined) sendable.set(path, real);
  }
  // A file that is there and is asked for by a mark is refused aloud, whatever its name ends with.
  const media = takeMedia(
    { ...found, pictures: [] },
    ({ path, start }) => sendable.has(path) || (isMark(answer, start) && isFile(path)),
  );
  const refused = media.files.filter((path) => !sendable.has(path));
  const files = media.files.flatMap((path) => {
    const real = sendable.get(path);
    return real === undefined ? [] : [{ kind: kindOf(real, media), path: real, name: basename(path) }];
  });
  const notes = [
    ...refused.map((path) => `(The file ${basename(path)} may not be sent from here.)`),
    ...(files.length > maxFiles ? [`(${files.length - maxFiles} more files were not sent.)`] : []),
  ];
  return {
    text: [media.text.trim(), ...notes].filter((part) => part !== '').join('\n\n'),
    files: files.slice(0, maxFiles),
    refused: refused.map((path) => basename(path)),
  };
}

/** A path can stand in the text without one. */
function isMark(answer: string, start: number): boolean {
  return /^MEDIA:/i.test(answer.slice(start, start + 6));
}

function kindOf(path: string, how: { readonly asVoice: boolean; readonly asDocument: boolean }): ReplyFile['kind'] {
  const ending = extname(path).toLowerCase();
  const kind = kinds.find(([, pattern]) => pattern.test(ending))?.[0] ?? 'document';
  if (how.asVoice && kind === 'audio') return 'voice';
  return how.asDocument && (kind === 'image' || kind === 'animation') ? 'document' : kind;
}
