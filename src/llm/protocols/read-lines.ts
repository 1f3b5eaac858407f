/** Reads the body of a response as lines of JSON objects, or as the one object that came instead. */
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { detailsOf } from './error-body.ts';
import type { Exchange } from './exchange.ts';
import { failure, type RequestContext } from './model-failure.ts';
import type { WireEvent } from './read-events.ts';

/**
 * The objects in order, those of one piece of the body together. A line that is no JSON is a `ModelError` of kind
 * `malformed`, thrown behind the lines before it; a line that the end of the body tore is none.
 */
export async function* readLines(
  exchange: Pick<Exchange, 'read'>,
  context: RequestContext,
): AsyncGenerator<readonly WireEvent[]> {
  const decoder = new TextDecoder();
  // Pieces are joined once a line is whole: a long line may come in thousands of them.
  let open: string[] = [];
  let begun = false;
  for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read()) {
    const text = decoder.decode(bytes, { stream: true });
    if (!begun && text.trimStart().startsWith('<')) {
      throw failure(context, 'not_found', `got ${detailsOf(text).message} in place of an answer`);
    }
    begun ||= text.trim() !== '';
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    if (lines.length > 0) {
      const whole = [open.join('') + (lines[0] ?? ''), ...lines.slice(1)];
      open = [];
      yield* parsed(whole, context);
    }
    open.push(last);
  }
  const rest = open.join('') + decoder.decode();
  const data = parseJson(rest);
  if (isJsonObject(data)) yield [{ name: undefined, data, form: 'event' }];
}

function* parsed(lines: readonly string[], context: RequestContext): Generator<readonly WireEvent[]> {
  const events: WireEvent[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const data = parseJson(line);
    if (!isJsonObject(data)) {
      if (events.length > 0) yield events;
      throw failure(context, 'malformed', 'a line of the answer is not a JSON object; check the base URL');
    }
    events.push({ name: undefined, data, form: 'event' });
  }
  if (events.length > 0) yield events;
}
