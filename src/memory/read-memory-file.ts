/** Reads a file of memory, and nothing that only stands in its place. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';

/** No memory comes near; something else has been put in its place. */
const maxBytes = 1024 * 1024;

/**
 * The text; empty for a missing file. Throws `UserError` for what is no readable UTF-8 text of at most 1 MB: it must not
 * be taken for an empty memory, nor be written over with what was lost in reading it.
 */
export function readMemoryFile(path: string): string {
  try {
    // Most homes have only one of the files or none, and an error costs more than a look.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return nothingAt(path);
    // Reading a pipe or a device may never end.
    if (!facts.isFile()) throw unusable(path, 'it is not a file');
    if (facts.size > maxBytes)
      throw unusable(path, `it has ${Math.round(facts.size / 1024)} KB, which is too large for a memory file`);
    const bytes = readFileSync(path);
    if (bytes.includes(0)) throw unusable(path, 'it is a binary file');
    return decode(path, bytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (errorCode(error) === 'ENOENT') return '';
    throw unusable(path, errorMessage(error));
  }
}

function nothingAt(path: string): '' {
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  if (folder === undefined || folder.isDirectory()) return '';
  throw unusable(path, 'what it should lie in is not a folder');
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The only reason to fail.
    throw unusable(path, 'it is not UTF-8 text');
  }
}

function unusable(path: string, why: string): UserError {
  return new UserError(`${path} cannot be used: ${why}.`, { hint: 'Repair it or move it away; it was not changed.' });
}
