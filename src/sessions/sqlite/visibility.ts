/** Which stored messages count: live ones, those that a compaction put away, and none that were taken back. */

/** SQL: not taken back. `row` is a table of messages or its alias. */
export function notUndone(row: string): string {
  return `(${row}.active = 1 OR ${row}.compacted = 1)`;
}

/** SQL: put away by a compaction, and no copy of it stayed in the conversation. */
export function putAway(row: string): string {
  const same = ['content', 'tool_calls', 'tool_call_id'].map((column) => `kept.${column} IS ${row}.${column}`);
  return `(${row}.active = 0 AND ${row}.compacted = 1 AND NOT EXISTS (SELECT 1 FROM messages kept
    WHERE kept.session_id = ${row}.session_id AND kept.active = 1 AND kept.role = ${row}.role AND ${same.join(' AND ')}))`;
}
