/** What every platform that is asked over HTTP needs: a request that nobody answered, a bounded body, one line of an error. */
import type { IncomingMessage } from 'node:http';
import type { NotSent } from './send-result.ts';

/** No connection, or none that lasted long enough. */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
  /** The whole request was written, so the platform may have done it. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { readonly mayHaveArrived: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** `who` could not be reached. */
export function unreached(who: string, error: NotAnswered): NotSent {
  const told = { ok: false, kind: 'transient', error: `${who} could not be reached: ${error.message}.` } as const;
  return error.mayHaveArrived ? { ...told, mayHaveArrived: true } : told;
}

export async function textOf(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw new Error('the answer is too long');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** For people, without the full stop that a sentence around it has. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300).toWellFormed();
}
