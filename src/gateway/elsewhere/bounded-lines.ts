/** Ends an answer in which a line does not come to an end. */
import type { Exchange } from '../../llm/protocols/exchange.ts';
import { failure, type RequestContext } from '../../llm/protocols/model-failure.ts';

/** Characters. */
const maxLine = 16 * 1024 * 1024;
const lineEnd = 0x0a;

/** The same body, read as far as its lines are no longer than that. */
export function boundedLines(
  exchange: Pick<Exchange, 'read' | 'header'>,
  context: RequestContext,
  most = maxLine,
): Pick<Exchange, 'read' | 'header'> {
  let open = 0;
  return {
    header: (name) => exchange.header(name),
    async read() {
      const bytes = await exchange.read();
      if (bytes === undefined) return undefined;
      const end = bytes.lastIndexOf(lineEnd);
      // A line within one piece is no longer than that piece.
      open = end === -1 ? open + characters(bytes) : characters(bytes.subarray(end + 1));
      if (open > most) throw failure(context, 'malformed', `a line of the answer is longer than ${most} characters`);
      return bytes;
    },
  };
}

/** Of UTF-8, all but the bytes that go on with a character begin one. */
function characters(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}
