/** Kinds of sound files, by the ending of their names. */
import { extname } from 'node:path';

export const audioFormats = ['mp3', 'ogg', 'wav', 'flac'] as const;
/** `ogg` holds Opus, as voice messages do. */
export type AudioFormat = (typeof audioFormats)[number];

/** Undefined for a path that ends otherwise. */
export function formatOf(path: string): AudioFormat | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === 'opus') return 'ogg';
  return audioFormats.find((format) => format === ending);
}
