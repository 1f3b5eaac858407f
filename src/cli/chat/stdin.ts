/** Reads what was piped into the program. */
import { fstatSync, type Stats } from 'node:fs';
import { UserError } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { inputPosition, isSharedInput } from './stdin-owner.ts';

/** Larger input belongs into a file that the agent can read in parts. */
const maxInputBytes = 10 * 1024 * 1024;
/** A pipe that is open and silent for so long is not being written to: a supervisor's, an SSH connection's, a test's. */
const firstByteMs = 5000;
/** Who has begun to write is waited for, but not for ever. */
const nextByteMs = 300_000;

/**
 * The whole of standard input, waited for however long it takes: for where it is the question itself. Empty when it is a
 * terminal or /dev/null. Throws `UserError` when it is not UTF-8.
 */
export async function readPipedText({ stdin }: Pick<Io, 'stdin'>): Promise<string> {
  const stats = inputStats(stdin);
  if (stdin.isTTY || stats?.isCharacterDevice() === true) return '';
  return (await readText(stdin, {})).text;
}

/**
 * What was piped in beside a question of its own. Only input that was meant for this program is read:
 *
 * - a file from its beginning. In `while read …; do hermes -z …; done < list` it stands further on: the rest is the loop's;
 * - a pipe that no program above holds as its own input, as in `cat x | hermes -z …`. In `… | while read` it is the loop's;
 * - and a pipe that stays silent is left after a while: whoever opened it does not mean to write.
 *
 * Where the system does not tell who holds a pipe (no /proc), it counts as meant for this program.
 */
export async function readInputBeside({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): Promise<string> {
  const stats = inputStats(stdin);
  if (stdin.isTTY || stats === undefined || stats.isCharacterDevice()) return '';
  if (stats.isFile() ? (inputPosition() ?? 0) > 0 : isSharedInput()) return '';
  const { text, left } = await readText(stdin, stats.isFile() ? {} : { firstByteMs, nextByteMs });
  if (left === 'first') {
    stderr.write(
      `hermes: standard input is open, but nothing came for ${firstByteMs / 1000} s; answering without it (close it with </dev/null)\n`,
    );
  }
  if (left === 'next') {
    stderr.write(
      `hermes: standard input fell silent for ${nextByteMs / 60_000} minutes; answering with what had come by then\n`,
    );
  }
  return text;
}

interface Patience {
  readonly firstByteMs?: number;
  readonly nextByteMs?: number;
}

interface Input {
  readonly text: string;
  /** What was waited for in vain. */
  readonly left?: 'first' | 'next';
}

async function readText(stdin: NodeJS.ReadStream, patience: Patience): Promise<Input> {
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxInputBytes) {
      throw new UserError('standard input is larger than 10 MB', {
        hint: 'Save it to a file and name the file instead.',
      });
    }
    chunks.push(bytes);
  };
  const ended = await drain(stdin, add, patience);
  const left = ended ? {} : ({ left: chunks.length === 0 ? 'first' : 'next' } as const);
  return { text: decode(Buffer.concat(chunks)), ...left };
}

/** False when the patience ended before the input did. Rejects with what `add` throws. */
function drain(stdin: NodeJS.ReadStream, add: (chunk: Buffer | string) => void, patience: Patience): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number | undefined): void => {
    clearTimeout(timer);
    if (ms !== undefined) timer = setTimeout(() => resolve(false), ms);
  };
  const onData = (chunk: Buffer | string): void => {
    wait(patience.nextByteMs);
    try {
      add(chunk);
    } catch (error) {
      reject(error);
    }
  };
  const onEnd = (): void => resolve(true);
  wait(patience.firstByteMs);
  stdin.on('data', onData).once('end', onEnd).once('error', reject);
  return promise.finally(() => {
    clearTimeout(timer);
    stdin.off('data', onData).off('end', onEnd).off('error', reject);
    // An open pipe must not keep the program alive.
    stdin.pause();
    if ('unref' in stdin) stdin.unref();
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UserError('standard input is not UTF-8 text', {
      cause: error,
      hint: 'Convert it first (iconv -t UTF-8), or save it to a file and name the file.',
    });
  }
}

/** Undefined when the descriptor is closed: there is nothing to read. */
function inputStats(stdin: NodeJS.ReadStream): Stats | undefined {
  try {
    return fstatSync('fd' in stdin && typeof stdin.fd === 'number' ? stdin.fd : 0);
  } catch {
    // A descriptor that is closed has nothing to read.
    return undefined;
  }
}
