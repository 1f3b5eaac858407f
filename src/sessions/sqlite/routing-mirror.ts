/** `sessions/sessions.json`: the routing index of older versions, and the copy of ours that is kept for its readers. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';

/** What the index says of one session. */
export interface RoutingEntry {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly chatId: string | null;
  readonly chatType: string | null;
  readonly threadId: string | null;
  readonly displayName: string | null;
  /** The whole origin as JSON. */
  readonly origin: string | null;
  readonly expiryFinalized: boolean;
}

/** A larger file is nothing that the gateway ever wrote. */
const MAX_BYTES = 64 * 1024 * 1024;

const name = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const origin = z
  .looseObject({ chat_id: name, chat_type: name, thread_id: name, chat_name: name })
  .nullish()
  .catch(null);
const entry = z.looseObject({
  session_id: z.string(),
  display_name: name,
  chat_type: name,
  origin,
  expiry_finalized: z.boolean().optional().catch(undefined),
  memory_flushed: z.boolean().optional().catch(undefined),
});

/** The entries as they stand there, by session key; none when the file is absent or not what it should be. */
export function readMirrorEntries(path: string): readonly (readonly [string, JsonObject])[] {
  const content = parseJson(readBounded(path));
  if (!isJsonObject(content)) return [];
  return Object.entries(content).flatMap(([key, value]) =>
    // What begins so is a note to people.
    !key.startsWith('_') && isJsonObject(value) ? [[key, value] as const] : [],
  );
}

const note = 'A copy of the table gateway_routing in state.db. Changes made here are not read.';

/** Entries by session key, as they are stored. There may be very many: only their text is held, not what it stands for. */
export function writeMirror(path: string, entries: readonly (readonly [string, string])[]): void {
  const stored = entries.flatMap(([key, entry]) => {
    const value = parseJson(entry);
    return isJsonObject(value) ? [memberOf(key, value)] : [];
  });
  makeDirectories(dirname(path), 0o700);
  writeFileAtomic(path, `{\n${[memberOf('_README', note), ...stored].join(',\n')}\n}\n`, { durable: false });
}

/** As `JSON.stringify` writes it two spaces deep. */
function memberOf(key: string, value: JsonValue): string {
  return `  ${JSON.stringify(key)}: ${JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')}`;
}

/** What the entries say of their sessions. */
export function readRoutingMirror(path: string): readonly RoutingEntry[] {
  return readMirrorEntries(path).flatMap(([key, value]) => {
    const parsed = entry.safeParse(value);
    if (!parsed.success) return [];
    const { data } = parsed;
    return [
      {
        sessionKey: key,
        sessionId: data.session_id,
        chatId: data.origin?.chat_id ?? null,
        chatType: data.chat_type ?? data.origin?.chat_type ?? null,
        threadId: data.origin?.thread_id ?? null,
        displayName: data.display_name ?? data.origin?.chat_name ?? null,
        origin: data.origin ? JSON.stringify(data.origin) : null,
        expiryFinalized: data.expiry_finalized ?? data.memory_flushed ?? false,
      },
    ];
  });
}

function readBounded(path: string): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    // Homes without a gateway have none; the columns stay empty then.
    return '';
  }
}
