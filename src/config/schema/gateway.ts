/** Configuration: chat platforms and how answers are delivered. */
import * as z from 'zod';
import {
  anyMap,
  bool,
  choice,
  int,
  list,
  listOf,
  mapOf,
  nested,
  number,
  optionalBool,
  optionalChoice,
  optionalInt,
  optionalList,
  optionalText,
  section,
  text,
} from './fields.ts';
import { webhookRoute } from './webhook-route.ts';

const DM_RULES = ['pair', 'ignore'] as const;
const TRANSPORTS = ['edit', 'auto', 'draft', 'off'] as const;

/** Settings every platform understands; each adapter reads its own keys besides them. */
const platform = () =>
  z.looseObject({
    enabled: optionalBool('Connect'),
    token: optionalText('Bot token'),
    api_key: optionalText('Key'),
    home_chat_id: optionalText('Chat for unasked messages'),
    home_channel: z.unknown().optional().describe('Chat for unasked messages'),
    reply_to_mode: optionalChoice(['off', 'first', 'all'], 'Which parts of an answer quote the question'),
    gateway_restart_notification: optionalBool('Tell the home chat about restarts'),
    require_mention: optionalBool('Answer in groups only when mentioned'),
    mention_patterns: optionalList('What counts as a mention'),
    free_response_channels: optionalList('Channels that need no mention'),
    allowed_channels: optionalList('Only these channels'),
    channel_prompts: anyMap('Extra prompt per channel'),
    reply_prefix: optionalText('Put before every answer'),
    unauthorized_dm_behavior: optionalChoice(DM_RULES, 'What strangers get'),
    auto_thread: optionalBool('Answer in threads'),
    reactions: optionalBool('React to messages'),
    extra: anyMap('Settings of the adapter'),
  });

/** What a list leaves out fits every chat. */
const profileRoute = z.looseObject({
  name: optionalText('For the log'),
  platform: text('', 'Chat platform'),
  profile: text('', 'The profile that answers'),
  guild_id: optionalText('Chats of this guild, team or space'),
  chat_id: optionalText('This chat, and what hangs below it'),
  thread_id: optionalText('This thread'),
  enabled: bool(true, 'Counts'),
});

export type ProfileRoute = z.output<typeof profileRoute>;

const profileRoutes = (words: string) => listOf(profileRoute, words);

const gateway = () =>
  section({
    platforms: mapOf(platform(), 'Chat platforms'),
    multiplex_profiles: bool(false, 'The gateway of the default profile serves all profiles'),
    profile_routes: profileRoutes('Which profile answers in which chats, where one gateway serves all'),
    api_server: nested(
      { max_concurrent_runs: int(10, 'Most turns of the API server at the same time; 0 sets no limit') },
      'API server',
    ).prefault({}),
    max_inbound_media_bytes: int(134_217_728, 'Largest file that is taken from a chat, in bytes; 0 means any'),
    strict: bool(true, 'Only files of the own media folders and files that were changed lately are sent to chats'),
    media_delivery_allow_dirs: list('Folders whose files may always be sent to chats'),
    trust_recent_files: bool(true, 'Files that were changed lately may be sent'),
    trust_recent_files_seconds: int(600, 'How lately, in seconds'),
    platform_connect_timeout: int(30, 'Seconds that one attempt to connect a platform may take', { least: 1 }),
    respawn_storm: nested(
      {
        max_starts: int(5, 'So many starts within the window, and the next one waits; 0 means never'),
        window_seconds: int(120, 'The window, in seconds', { least: 1 }),
      },
      'A gateway that is started again and again',
    ).prefault({}),
    restart_loop_guard: nested(
      {
        max_restarts: int(3, 'So many unclean ends within the window, and turns that were cut off are left alone', {
          least: 1,
        }),
        window_seconds: int(60, 'The window, in seconds', { least: 1 }),
      },
      'A gateway that is cut off again and again',
    ).prefault({}),
    write_sessions_json: bool(
      true,
      'Keep sessions/sessions.json, the list of chats for programs that do not read the database',
    ),
    session_store_max_age_days: int(
      90,
      'Days without a message after which a chat no longer goes on in its conversation, which stays stored; 0 means never',
      { least: 0 },
    ),
    systemd_watchdog_seconds: optionalInt(
      'systemd starts the gateway again when it gives no sign of life for so long; 0 means never',
    ),
    max_concurrent_sessions: optionalInt('Most chats that are answered at the same time; 0 sets no limit'),
    proxy_url: text('', 'API server of another Hermes that answers the chats, such as http://192.168.1.100:8642'),
    relay_url: text('', 'Relay'),
    relay_id: text('', 'Relay: this gateway'),
    relay_secret: text('', 'Relay: secret'),
    relay_endpoint: text('', 'Relay: endpoint'),
    relay_route_keys: z.unknown().optional().describe('Relay: keys of the routes'),
    message_timestamps: nested({ enabled: bool(false, 'Put times before messages') }, 'Times').prefault({}),
  });

const platforms = () => mapOf(platform(), 'Chat platforms, as under gateway.platforms');

/** A top-level block of one platform. */
const block = () => platform().prefault({});

const streaming = () =>
  section({
    enabled: bool(false, 'Show answers as they arrive'),
    transport: choice(TRANSPORTS, 'edit', 'How', { no: 'off' }),
    edit_interval: number(0.8, 'Seconds between two edits'),
    buffer_threshold: int(24, 'Characters collected before an edit'),
    cursor: text(' ▉', 'Shown at the end of unfinished text'),
    fresh_final_after_seconds: number(
      0,
      'Telegram: an answer that was shown for so many seconds is sent anew when it is complete (0: never)',
    ),
  });

const human_delay = () =>
  section({
    mode: choice(['off', 'natural', 'custom'], 'off', 'Pause between messages', { no: 'off', yes: 'natural' }),
    min_ms: int(800, 'Shortest pause'),
    max_ms: int(2500, 'Longest pause'),
  });

const filter_silence_narration = () => bool(true, 'Chats: answers that only say that nothing is said are not sent');

const systemd_watchdog_seconds = () => optionalInt('As gateway.systemd_watchdog_seconds, and comes first');

const multiplex_profiles = () => optionalBool('As gateway.multiplex_profiles, and comes first');

const profile_routes = () => profileRoutes('As gateway.profile_routes, and comes first');

const unauthorized_dm_behavior = () => choice(DM_RULES, 'pair', 'What strangers get');

const webhooks = () => section({ routes: mapOf(webhookRoute, 'Routes, as under platforms.webhook.extra') });

/** Top-level keys of this file. */
export const gatewaySections = {
  gateway,
  platforms,
  streaming,
  human_delay,
  filter_silence_narration,
  unauthorized_dm_behavior,
  systemd_watchdog_seconds,
  multiplex_profiles,
  profile_routes,
  webhooks,
  telegram: block,
  discord: block,
  slack: block,
  whatsapp: block,
  signal: block,
  matrix: block,
  mattermost: block,
  email: block,
};
