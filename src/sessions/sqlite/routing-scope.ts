/** Which rows of `gateway_routing` are of this home. */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Connection } from './connection.ts';

/** The folder `sessions` beside the store, without links in its path, as the original writes it. */
export function routingScope(store: string): string {
  return withoutLinks(join(withoutLinks(dirname(resolve(store))), 'sessions'));
}

/** A chat whose session is deleted begins anew. Call it inside a write. */
export function deleteRoute(db: Connection, sessionKey: string, sessionId: string): void {
  db.run(
    `DELETE FROM gateway_routing WHERE scope = ? AND session_key = ?
       AND CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.session_id') END = ?`,
    routingScope(db.path),
    sessionKey,
    sessionId,
  );
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A folder that is not there yet is no link.
    return path;
  }
}
