/** Which session a chat goes on in: the table `gateway_routing`, which the original reads and writes as well. */
import type { JsonObject } from '../lib/json.ts';
import type { ChatMove } from './chat-move.ts';

/** Names as stored. Times are local, without an offset, as in the original. Unknown fields stay as they are. */
export interface RouteEntry {
  readonly session_key: string;
  readonly session_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly display_name: string | null;
  readonly platform: string | null;
  readonly chat_type: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly total_tokens: number;
  readonly last_prompt_tokens: number;
  readonly estimated_cost_usd: number;
  readonly cost_status: string;
  readonly expiry_finalized: boolean;
  readonly suspended: boolean;
  readonly resume_pending: boolean;
  readonly resume_reason: string | null;
  readonly last_resume_marked_at: string | null;
  readonly is_fresh_reset: boolean;
  readonly was_auto_reset: boolean;
  readonly auto_reset_reason: string | null;
  readonly reset_had_activity: boolean;
  readonly model_override?: { readonly model: string; readonly provider?: string; readonly base_url?: string };
  /** As in `SessionSource`. */
  readonly origin?: JsonObject;
}

/**
 * The routing index of this home. The table may hold others: its column `scope` is the path of the folder `sessions`
 * beside the store, as the original has it, and what stands there under another one stays untouched. When the
 * index is first read, once, entries that it lacks are taken over: from where the home stood before it was moved, and from
 * `sessions/sessions.json`.
 */
export interface ChatRoutes {
  /**
   * Takes over what is to be taken over. An entry whose session has ended is repointed to the newest session of its chat
   * that goes on, or dropped, and a topic of a private chat (`ChatTopics`) has the session that is bound to it. Asked for
   * once, before anything is read.
   */
  putRight(): Promise<void>;
  /** Undefined where there is none, and for one that cannot be read: such a one stays where it is. */
  get(sessionKey: string): Promise<RouteEntry | undefined>;
  /** Those that can be read, in the order of their keys. What changes meanwhile may come as it was or as it is. */
  each(): AsyncIterable<RouteEntry>;
  /** Writes these entries, and no others; many calls in one turn of the event loop share one transaction. */
  save(entries: readonly RouteEntry[]): Promise<void>;
  /**
   * Puts all that stands under the id of a chat under another one, in one transaction: routes, stored sessions, open messages
   * and questions, and what is still to be sent. Nothing may be at work in that chat. Returns the new keys of conversations
   * with messages that have not ended. Harmless when it was done before.
   */
  move(move: ChatMove): Promise<readonly string[]>;
  remove(sessionKeys: readonly string[]): Promise<void>;
  /** Writes the whole index to `sessions/sessions.json`, which old readers know. */
  mirror(): Promise<void>;
}
