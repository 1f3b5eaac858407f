/** What is read of a homeserver's answers; everything else in them is left alone. https://spec.matrix.org/latest/client-server-api/ */
import * as z from 'zod';

/** https://spec.matrix.org/latest/appendices/#event-ids: other servers send anything, and ids become parts of paths and keys. */
const eventId = z.string().startsWith('$').max(255);

export const event = z.looseObject({
  type: z.string(),
  event_id: eventId,
  sender: z.string().max(255),
  origin_server_ts: z.number(),
  state_key: z.string().optional(),
  room_id: z.string().optional(),
  content: z.looseObject({}),
});

/** https://spec.matrix.org/latest/appendices/#user-identifiers */
export const userId = z
  .string()
  .max(255)
  .regex(/^@[^:\s]*:\S+$/);

export const roomId = z.string().startsWith('!').max(255);

/** One that cannot be read must not stop the others. */
const events = z.object({ events: z.array(z.unknown()).default([]) }).default({ events: [] });

const joined = z.object({
  timeline: z
    .object({
      events: z.array(z.unknown()).default([]),
      limited: z.boolean().default(false),
      prev_batch: z.string().optional(),
    })
    .default({ events: [], limited: false }),
  state: events,
});

const invited = z.object({ invite_state: events });

export const sync = z.object({
  next_batch: z.string(),
  rooms: z
    .object({
      join: z.record(z.string(), joined).default({}),
      invite: z.record(z.string(), invited).default({}),
      leave: z.record(z.string(), z.unknown()).default({}),
    })
    .default({ join: {}, invite: {}, leave: {} }),
  account_data: events,
  to_device: events,
  device_lists: z
    .object({ changed: z.array(z.string()).default([]), left: z.array(z.string()).default([]) })
    .default({ changed: [], left: [] }),
  device_one_time_keys_count: z.record(z.string(), z.number()).default({}),
  device_unused_fallback_key_types: z.array(z.string()).optional(),
});

export const strippedEvent = z.looseObject({
  type: z.string(),
  sender: z.string(),
  state_key: z.string().optional(),
  content: z.looseObject({}),
});

export const messages = z.object({ chunk: z.array(z.unknown()).default([]), end: z.string().optional() });

export const whoami = z.object({ user_id: z.string(), device_id: z.string().optional() });
export const login = z.object({ user_id: z.string(), device_id: z.string(), access_token: z.string() });
export const wellKnown = z.object({ 'm.homeserver': z.object({ base_url: z.url({ protocol: /^https?$/ }) }) });
export const sent = z.object({ event_id: z.string() });
export const members = z.object({
  joined: z.record(z.string(), z.object({ display_name: z.string().nullish() })),
});
export const directRooms = z.record(z.string(), z.array(z.string()));
export const roomName = z.object({ name: z.string().default('') });
export const encryption = z.object({
  algorithm: z.string(),
  rotation_period_ms: z.number().optional(),
  rotation_period_msgs: z.number().optional(),
});

const relation = z.object({
  rel_type: z.string().optional(),
  event_id: eventId.optional(),
  key: z.string().optional(),
  is_falling_back: z.boolean().optional(),
  'm.in_reply_to': z.object({ event_id: eventId }).optional(),
});

/** https://spec.matrix.org/latest/client-server-api/#extensions-to-mroommessage-msgtypes */
export const encryptedFile = z.object({
  url: z.string(),
  key: z.object({ k: z.string(), alg: z.literal('A256CTR') }),
  iv: z.string(),
  hashes: z.object({ sha256: z.string() }),
  v: z.literal('v2'),
});

export const messageContent = z.object({
  msgtype: z.string(),
  body: z.string().default(''),
  format: z.string().optional(),
  formatted_body: z.string().optional(),
  filename: z.string().optional(),
  url: z.string().optional(),
  file: encryptedFile.optional(),
  geo_uri: z.string().optional(),
  info: z.object({ mimetype: z.string().optional(), size: z.number().optional() }).optional(),
  'org.matrix.msc3245.voice': z.unknown().optional(),
  'm.mentions': z.object({ user_ids: z.array(z.string()).optional(), room: z.boolean().optional() }).optional(),
  'm.relates_to': relation.optional(),
});

export const reactionContent = z.object({ 'm.relates_to': relation });

export type MatrixEvent = z.infer<typeof event>;
export type SyncAnswer = z.infer<typeof sync>;
export type MessageContent = z.infer<typeof messageContent>;
export type EncryptedFile = z.infer<typeof encryptedFile>;
export type RoomEncryption = z.infer<typeof encryption>;
