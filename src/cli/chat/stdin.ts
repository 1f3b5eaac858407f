/** Reads what was piped into the program. */
import { fstatSync } from 'node:fs';
import { UserError } from '../../lib/errors.ts';

/** Larger input belongs into a file that the agent can read in parts. */
const maxInputBytes = 10 * 1024 * 1024;

/** The piped text, or an empty string when stdin is a terminal or /dev/null. Throws `UserError` when it is not UTF-8. */
export async function readPipedText(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY || !isPipeOrFile(stdin)) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxInputBytes) {
      throw new UserError('standard input is larger than 10 MB', {
        hint: 'Save it to a file and name the file instead.',
      });
    }
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new UserError('standard input is not UTF-8 text', {
      cause: error,
      hint: 'Convert it first (iconv -t UTF-8), or save it to a file and name the file.',
    });
  }
}

/** A character device is a terminal or /dev/null: nothing to wait for. */
function isPipeOrFile(stdin: NodeJS.ReadStream): boolean {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number') return true;
  try {
    return !fstatSync(stdin.fd).isCharacterDevice();
  } catch {
    // A descriptor that is closed has nothing to read.
    return false;
  }
}
