/** What can be set for Matrix: by key of config.yaml, by variable, or by both. */
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { address, amount, choice, flag, list, optionalText } from '../../platform/settings-fields.ts';

/** Names are those of config.yaml; what only a variable can set has a name of its own here. */
export const shape = {
  homeserver: address(),
  user_id: optionalText(),
  password: optionalText(),
  device_id: optionalText(),
  /** `off`: encrypted rooms are not read; `required`: nothing is sent into rooms without encryption. */
  e2ee_mode: choice(['off', 'optional', 'required'], 'optional'),
  /** Of the account: its device is signed with it, and old messages are read. */
  recovery_key: optionalText(),
  /** An account without one gets one, written there once. */
  recovery_key_output_file: optionalText().refine(
    (path) => path === undefined || isAbsolute(path),
    'is not an absolute path',
  ),
  /** Rooms: answer only who calls the bot. */
  require_mention: flag(true),
  /** Also in threads in which the bot has spoken. */
  thread_require_mention: flag(false),
  /** Besides its name, what calls the bot; regular expressions. */
  mention_patterns: list(),
  free_response_rooms: list(),
  /** Rooms in which the bot speaks; empty means all. Private chats are not meant. */
  allowed_rooms: list(),
  ignore_user_patterns: list(),
  process_notices: flag(false),
  /** In rooms each question begins a thread. */
  auto_thread: flag(true),
  dm_auto_thread: flag(false),
  /** In private chats a message that calls the bot by name begins a thread. */
  dm_mention_threads: flag(false),
  session_scope: choice(['auto', 'room', 'thread'], 'auto'),
  allow_room_mentions: flag(false),
  reactions: flag(true),
  /** A reaction answers a question only when it is of whom was asked; else of everybody who may speak to the bot. */
  approval_require_sender: flag(true),
  /** Seconds for which a reaction may allow something. */
  approval_timeout_seconds: amount(300),
  max_media_bytes: amount(104_857_600),
  /** Characters; what an event may have in bytes limits it further. */
  max_message_length: z.coerce
    .number('is not a number')
    .int('is not a whole number')
    .min(100, 'is below 100')
    .max(65_535, 'is above 65535')
    .optional(),
  /** Seconds for which names and members of a room are believed. */
  room_identity_ttl_seconds: amount(60),
  text_batch_delay_seconds: amount(0.6),
  text_batch_split_delay_seconds: amount(2),
  channel_prompts: z.record(z.string(), z.coerce.string()).default({}),
};

export const matrixSettings = z.object(shape);

export type MatrixSettings = z.infer<typeof matrixSettings>;

/** Keys that several platforms share: config.yaml beats the variable. */
export const sharedKeys: Readonly<Record<string, string>> = {
  require_mention: 'MATRIX_REQUIRE_MENTION',
};

/** Everything else: the variable beats config.yaml. */
export const ownKeys: Readonly<Record<string, string>> = {
  homeserver: 'MATRIX_HOMESERVER',
  user_id: 'MATRIX_USER_ID',
  password: 'MATRIX_PASSWORD',
  device_id: 'MATRIX_DEVICE_ID',
  e2ee_mode: 'MATRIX_E2EE_MODE',
  recovery_key: 'MATRIX_RECOVERY_KEY',
  recovery_key_output_file: 'MATRIX_RECOVERY_KEY_OUTPUT_FILE',
  thread_require_mention: 'MATRIX_THREAD_REQUIRE_MENTION',
  free_response_rooms: 'MATRIX_FREE_RESPONSE_ROOMS',
  allowed_rooms: 'MATRIX_ALLOWED_ROOMS',
  ignore_user_patterns: 'MATRIX_IGNORE_USER_PATTERNS',
  process_notices: 'MATRIX_PROCESS_NOTICES',
  auto_thread: 'MATRIX_AUTO_THREAD',
  dm_auto_thread: 'MATRIX_DM_AUTO_THREAD',
  dm_mention_threads: 'MATRIX_DM_MENTION_THREADS',
  session_scope: 'MATRIX_SESSION_SCOPE',
  allow_room_mentions: 'MATRIX_ALLOW_ROOM_MENTIONS',
  reactions: 'MATRIX_REACTIONS',
  approval_require_sender: 'MATRIX_APPROVAL_REQUIRE_SENDER',
  approval_timeout_seconds: 'MATRIX_APPROVAL_TIMEOUT_SECONDS',
  max_media_bytes: 'MATRIX_MAX_MEDIA_BYTES',
  max_message_length: 'MATRIX_MAX_MESSAGE_LENGTH',
  room_identity_ttl_seconds: 'MATRIX_ROOM_IDENTITY_TTL_SECONDS',
  text_batch_delay_seconds: 'HERMES_MATRIX_TEXT_BATCH_DELAY_SECONDS',
  text_batch_split_delay_seconds: 'HERMES_MATRIX_TEXT_BATCH_SPLIT_DELAY_SECONDS',
};
