/** Files that an answer may name to have them sent, by the ends of their names. */

const PICTURES = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'tiff', 'svg'];

export const mediaExtensions: readonly string[] = [
  PICTURES,
  ['mp4', 'mov', 'avi', 'mkv', 'webm'],
  ['mp3', 'wav', 'ogg', 'opus', 'm4a', 'flac'],
  ['pdf', 'docx', 'doc', 'odt', 'rtf', 'txt', 'md', 'epub'],
  ['xlsx', 'xls', 'ods', 'csv', 'tsv', 'json', 'xml', 'yaml', 'yml'],
  ['pptx', 'ppt', 'odp', 'key'],
  ['zip', 'tar', 'gz', 'tgz', 'bz2', 'xz', '7z', 'rar'],
  ['apk', 'ipa', 'html', 'htm'],
].flat();

/** Services that hand out generated pictures under addresses without an ending. */
const PICTURE_HOSTS = [
  'fal.media',
  'replicate.delivery',
  'oaidalleapiprodscus.blob.core.windows.net',
  'imgen.x.ai',
  'image.pollinations.ai',
];

/** True for an address on the web that looks like that of a picture. */
export function isPictureUrl(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { pathname, hostname } = new URL(url);
  const ending = /\.([a-z0-9]+)$/i.exec(pathname)?.[1]?.toLowerCase();
  if (PICTURES.includes(ending ?? '')) return true;
  return PICTURE_HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}
