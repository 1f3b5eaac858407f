/** Reads files in which other programs keep their logins. */
import { readFile, stat } from 'node:fs/promises';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';

const maxBytes = 1024 * 1024;

/** The text, or undefined when there is no such file. Throws `UserError` when it cannot be read or is no small file. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxBytes) throw new Error('it is not a regular file, or too large');
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UserError(`${path} cannot be read: ${errorMessage(error)}`, { hint: 'Check who may read it.' });
  }
}
