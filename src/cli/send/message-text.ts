/** The text of `hermes send`, and whose words it is. */
import { readFileSync, statSync } from 'node:fs';
import { errorCode, UserError } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import type { Source } from '../../llm/source.ts';
import { readPipedText } from '../chat/stdin.ts';

export interface MessageText {
  readonly text: string;
  readonly sources: readonly Source[];
}

/** More would be hundreds of messages. */
const maxChars = 200_000;
const maxFileBytes = 4 * maxChars;

/** Throws `UserError` with exit code 2 for what is no text, or none at all. */
export async function messageText(
  io: Io,
  message: string | undefined,
  { file, subject }: { readonly file?: string; readonly subject?: string },
): Promise<MessageText> {
  const found = await readMessage(io, message, file);
  const body = found.text.trimEnd();
  if (body.trim() === '') {
    throw new UserError('There is no text to send.', {
      exitCode: 2,
      hint: 'Say it behind the command, with --file <path>, or pipe it in.',
    });
  }
  const text = subject === undefined || subject.trim() === '' ? body : `${subject.trim()}\n\n${body}`;
  if (text.length <= maxChars) return { text, sources: found.sources };
  throw new UserError(`The text has more than ${maxChars} characters.`, {
    exitCode: 2,
    hint: 'Send it as a file: a line MEDIA:/path/to/file in the text.',
  });
}

async function readMessage(io: Io, message: string | undefined, file: string | undefined): Promise<MessageText> {
  if (message !== undefined) return { text: message, sources: [{ from: 'user' }] };
  if (file !== undefined && file !== '-') return { text: readTextFile(file), sources: [{ from: 'file', name: file }] };
  try {
    return { text: await readPipedText(io), sources: [{ from: 'unknown' }] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message, {
      exitCode: 2,
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

function readTextFile(path: string): string {
  const refuse = (why: string, cause?: unknown): UserError =>
    new UserError(`${path} ${why}.`, { exitCode: 2, cause, hint: 'A file is sent with MEDIA:<path> in the text.' });
  try {
    if (statSync(path).size > maxFileBytes) throw refuse('is too long to be a message');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw error instanceof TypeError
      ? refuse('is not UTF-8 text', error)
      : refuse(`cannot be read (${errorCode(error) ?? 'error'})`, error);
  }
}
