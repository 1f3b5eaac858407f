/** Asks an endpoint which models it has. */
import type { Fetch } from '../lib/fetch-over.ts';
import { isJsonObject } from '../lib/json.ts';
import { getJson } from '../models/knowledge/get-json.ts';
import { entriesOf } from '../models/knowledge/listed-window.ts';

const timeoutMs = 3000;
const maxBytes = 4 * 1024 * 1024;

/** Model ids as the endpoint lists them; undefined when it cannot be asked or answers something else. */
export async function listModels(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  fetch: Fetch,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const answer = await getJson(`${baseUrl}/models`, { headers, signal, timeoutMs, maxBytes, fetch });
  if (!isJsonObject(answer) || !Array.isArray(answer['data'])) return undefined;
  return entriesOf(answer).flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
}
