/** Tells text from images and other binaries. */

const imageExtensions: ReadonlySet<string> = new Set([
  'png',
  'jpg',
  'jpeg',
  'gif',
  'webp',
  'bmp',
  'ico',
  'tiff',
  'tif',
  'heic',
  'avif',
]);

const binaryExtensions: ReadonlySet<string> = new Set(
  (
    '7z a bin bz2 class db dll dmg doc docx dylib ear eot exe flac gz iso jar lib lz4 m4a mkv mov mp3 mp4 mpeg o obj odp ods ' +
    'odt ogg otf parquet pdf ppt pptx pyc pyd pyo rar so sqlite sqlite3 tar tgz ttf war wasm wav webm woff woff2 xls xlsx xz zip zst'
  ).split(' '),
);

/** What the name says; `undefined` when the content has to be looked at. */
export function kindByName(path: string): 'image' | 'binary' | undefined {
  const extension = extensionOf(path);
  if (imageExtensions.has(extension)) return 'image';
  return binaryExtensions.has(extension) ? 'binary' : undefined;
}

/** Lower case, without the dot; empty when there is none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

const sampleChars = 1000;
const controlShare = 0.3;

/** True when more than 30 % of the first 1000 characters are control characters or were not UTF-8. */
export function looksBinary(text: string): boolean {
  const sample = text.slice(0, sampleChars);
  const strange = sample.match(/[\0-\x07\x0E-\x1A\x1C-\x1F\x7F\uFFFD]/g)?.length ?? 0;
  return strange > sample.length * controlShare;
}
