/** What kind of content a file has, and how it is fenced. */
import { extname } from 'node:path';

/** A zero byte near the start, or the ending of a format that is never text. */
export function isBinary(path: string, bytes: Uint8Array): boolean {
  return bytes.subarray(0, 4096).includes(0) || binaryEndings.has(extname(path).toLowerCase());
}

/** A fenced block that nothing in the text can close. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

/** The name of a file's language for its fence; empty when it has none. */
export function languageOf(path: string): string {
  const ending = extname(path).slice(1).toLowerCase();
  return languages.get(ending) ?? '';
}

const binaryEndings = new Set(
  '.png .jpg .jpeg .gif .webp .bmp .ico .tif .tiff .heic .avif .pdf .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .mp3 .m4a .ogg .opus .wav .flac .mp4 .mov .mkv .webm .avi .woff .woff2 .ttf .otf .exe .dll .so .dylib .o .a .class .pyc .wasm .sqlite .db .docx .xlsx .pptx .odt .ods .bin'.split(
    ' ',
  ),
);

const languages = new Map([
  ['ts', 'typescript'],
  ['mts', 'typescript'],
  ['cts', 'typescript'],
  ['tsx', 'tsx'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['jsx', 'jsx'],
  ['py', 'python'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['go', 'go'],
  ['java', 'java'],
  ['kt', 'kotlin'],
  ['swift', 'swift'],
  ['c', 'c'],
  ['h', 'c'],
  ['cc', 'cpp'],
  ['cpp', 'cpp'],
  ['hpp', 'cpp'],
  ['cs', 'csharp'],
  ['php', 'php'],
  ['sh', 'bash'],
  ['bash', 'bash'],
  ['zsh', 'bash'],
  ['sql', 'sql'],
  ['html', 'html'],
  ['css', 'css'],
  ['scss', 'scss'],
  ['json', 'json'],
  ['jsonc', 'json'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['toml', 'toml'],
  ['xml', 'xml'],
  ['md', 'markdown'],
  ['diff', 'diff'],
  ['patch', 'diff'],
]);
