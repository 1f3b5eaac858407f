/** Reads entries of the audit log, as far as they can be read. */
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import { openSnapshot } from './snapshot.ts';

/** The last `count` entries for which `wanted` is true, the oldest first. Whether they are genuine is not looked at. */
export async function lastEntries(
  homePath: string,
  count: number,
  wanted: (entry: JsonObject) => boolean,
): Promise<readonly JsonObject[]> {
  const snapshot = await openSnapshot(homePath);
  const found: JsonObject[] = [];
  try {
    for await (const { bytes } of snapshot.lines()) {
      const entry = parseJson(bytes.toString('utf8'));
      if (!isJsonObject(entry) || !wanted(entry)) continue;
      found.push(entry);
      if (found.length >= count * 2 + 1000) found.splice(0, found.length - count);
    }
  } finally {
    await snapshot.close();
  }
  return count === 0 ? [] : found.slice(-count);
}
