/** Routing entries as JSON, as they stand in `gateway_routing` and in `sessions.json`. */
import * as z from 'zod';
import { formatTime } from '../lib/format-time.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { RouteEntry } from './chat-routes.ts';

/** The entry of a chat; undefined when it is none, or names a session by what could be a path. */
export function readRoute(sessionKey: string, stored: string): RouteEntry | undefined {
  const { data } = schema.safeParse(parseJson(stored));
  if (data === undefined || isPath(data.session_id)) return undefined;
  const { model_override, origin, expiry_finalized, memory_flushed, ...rest } = data;
  return {
    ...rest,
    session_key: sessionKey,
    expiry_finalized: expiry_finalized ?? memory_flushed ?? false,
    ...(model_override !== undefined && { model_override }),
    ...(origin !== undefined && { origin }),
  };
}

/** `stored`: what stood there; the fields of it that no entry has stay. */
export function writeRoute({ model_override, origin, ...entry }: RouteEntry, stored: string | undefined): string {
  const before = stored === undefined ? undefined : parseJson(stored);
  const others = Object.entries(isJsonObject(before) ? before : {}).filter(([name]) => !known.has(name));
  return JSON.stringify({
    ...entry,
    // Whatever else the caller's may hold, such as a key, is not for the disk.
    ...(model_override !== undefined && { model_override: override.parse(model_override) }),
    ...(origin !== undefined && { origin }),
    ...Object.fromEntries(others),
  });
}

type NewRoute = Pick<RouteEntry, 'session_key' | 'session_id' | 'display_name' | 'platform' | 'chat_type' | 'origin'>;

/** A chat begins a session, or goes on in one; times in milliseconds since the epoch. */
export function newRoute(chat: NewRoute, { startedAt, now }: { startedAt: number; now: number }): RouteEntry {
  return {
    ...chat,
    created_at: localTime(startedAt),
    updated_at: localTime(now),
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    total_tokens: 0,
    last_prompt_tokens: 0,
    estimated_cost_usd: 0,
    cost_status: 'unknown',
    expiry_finalized: false,
    suspended: false,
    resume_pending: false,
    resume_reason: null,
    last_resume_marked_at: null,
    is_fresh_reset: false,
    was_auto_reset: false,
    auto_reset_reason: null,
    reset_had_activity: false,
  };
}

/** As the original writes times: local, without an offset; `ms` since the epoch. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  return `${formatTime('%FT%T', at)}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
}

/** Of the origin of an entry, as text: platforms have ids that are numbers. */
export function originPart(origin: JsonObject | undefined, name: string): string | null {
  const value = isJsonObject(origin) ? origin[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** Ids of sessions become names of files. */
function isPath(id: string): boolean {
  return /\.\.|[/\\]|^[A-Za-z]:/.test(id);
}

const nullable = z.string().nullable().catch(null).default(null);
const flag = z.boolean().catch(false).default(false);
const amount = z.number().catch(0).default(0);
const time = z.string().refine((value) => !Number.isNaN(Date.parse(value)));
const word = z.string().min(1).optional().catch(undefined);

const override = z
  .object({ model: z.string(), provider: word, base_url: word })
  .transform(({ model, provider, base_url }) => ({
    model,
    ...(provider !== undefined && { provider }),
    ...(base_url !== undefined && { base_url }),
  }));

const fields = {
  session_key: z.unknown().transform(String),
  session_id: z.string().min(1),
  created_at: time,
  updated_at: time,
  display_name: nullable,
  platform: nullable,
  chat_type: z.string().nullable().catch('dm').default('dm'),
  input_tokens: amount,
  output_tokens: amount,
  cache_read_tokens: amount,
  cache_write_tokens: amount,
  total_tokens: amount,
  last_prompt_tokens: amount,
  estimated_cost_usd: amount,
  cost_status: z.string().catch('unknown').default('unknown'),
  expiry_finalized: z.boolean().optional().catch(undefined),
  /** The old name of the one before. */
  memory_flushed: z.boolean().optional().catch(undefined),
  suspended: flag,
  resume_pending: flag,
  resume_reason: nullable,
  last_resume_marked_at: nullable,
  is_fresh_reset: flag,
  was_auto_reset: flag,
  auto_reset_reason: nullable,
  reset_had_activity: flag,
  model_override: override.optional().catch(undefined),
  origin: z
    .custom<JsonObject>((value) => isJsonObject(value))
    .optional()
    .catch(undefined),
};
const schema = z.object(fields);
const known: ReadonlySet<string> = new Set(Object.keys(fields));
