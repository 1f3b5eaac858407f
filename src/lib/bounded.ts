/** Keeps what grows within a bound: the body of an answer, a set that remembers. */

/** The body as text; undefined when it is longer than `maxBytes`, and then the rest is not read. */
export async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  return (await readBytes(response, maxBytes))?.toString('utf8');
}

/** The same as bytes. */
export async function readBytes(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Adds to a set of at most `max` values; the oldest goes when it is full. */
export function remember(set: Set<string>, value: string, max: number): void {
  const oldest = set.size >= max ? set.values().next().value : undefined;
  if (oldest !== undefined) set.delete(oldest);
  set.add(value);
}
