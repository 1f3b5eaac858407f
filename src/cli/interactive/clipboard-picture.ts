/** The picture in the clipboard, asked for with the programs that systems have for it. */
import { maxPictureBytes } from '../../pictures/bounds.ts';
import type { Variables } from '../../config/variables.ts';
import { printedBytes } from '../../environments/printed-bytes.ts';
import { UserError } from '../../lib/errors.ts';
import { findProgram } from '../find-program.ts';

interface Reader {
  readonly program: string;
  readonly args: readonly string[];
  /** What it prints is the picture, or its bytes in hexadecimal (`«data PNGf8950…»`). */
  readonly prints: 'bytes' | 'hex';
}

const macReaders: readonly Reader[] = [
  { program: 'pngpaste', args: ['-'], prints: 'bytes' },
  { program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], prints: 'hex' },
];
const otherReaders: readonly Reader[] = [
  { program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'], prints: 'bytes' },
  { program: 'xclip', args: ['-selection', 'clipboard', '-target', 'image/png', '-out'], prints: 'bytes' },
];

const deadlineMs = 5000;

/** Its bytes; undefined when the clipboard has none. Throws `UserError` when there is no program to ask. */
export async function clipboardPicture(env: Variables, platform = process.platform): Promise<Buffer | undefined> {
  const readers = platform === 'darwin' ? macReaders : otherReaders;
  const found = readers.flatMap((reader) => {
    const file = findProgram(reader.program, env);
    return file === undefined ? [] : [{ ...reader, file }];
  });
  if (found.length === 0) {
    const names = readers.map(({ program }) => program).join(' or ');
    throw new UserError(`The clipboard cannot be read: ${names} is not installed.`, {
      hint: 'Install one of them, or save the picture and use /image.',
    });
  }
  for (const { file, args, prints } of found) {
    // All of these programs fail when there is no picture, or no display to ask.
    const bytes = await printedBytes(file, args, { env, timeoutMs: deadlineMs, maxBytes: 2 * maxPictureBytes });
    const picture = prints === 'hex' ? fromHex(bytes) : bytes;
    if (picture !== undefined && picture.length > 0) return picture;
  }
  return undefined;
}

function fromHex(printed: Buffer | undefined): Buffer | undefined {
  const digits = /«data PNGf([0-9A-F]+)»/.exec(printed?.toString('utf8') ?? '')?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
}
