/**
 * Environment variables that hermes-agent 0.19.0 reads and this build does not, with the part they belong to. They have no
 * effect, and `hermes doctor` and `hermes config check` say so when one is set. Whoever builds a part takes its names out.
 * Variables that stand for a key of `config.yaml` go with that key (`not-in-build.ts`) and are not repeated here.
 */
import { configVariables } from './env-layers.ts';
import { missingPartOf } from './not-in-build.ts';
import type { Variables } from './variables.ts';

interface MissingPart {
  /** What is missing, as people call it. */
  readonly part: string;
  /** Names, or beginnings of names that end in `*`. */
  readonly names: string;
}

export const missingVariables: readonly MissingPart[] = [
  {
    part: 'chat platforms',
    names: `GATEWAY_RELAY_* HERMES_GATEWAY_DETACHED HERMES_GATEWAY_ELEVATED_HANDOFF HERMES_GATEWAY_EXIT_DIAG
      HERMES_GATEWAY_HTTPX_* HERMES_GATEWAY_INSTALL_* HERMES_GATEWAY_NO_SUPERVISE HERMES_GATEWAY_SESSION
      TELEGRAM_ONBOARDING_URL DISCORD_* SLACK_* WHATSAPP_* SIGNAL_* MATTERMOST_* EMAIL_*
      DINGTALK_* FEISHU_* WECOM_* WEIXIN_* BLUEBUBBLES_* QQ_* QQBOT_* YUANBAO_* LINE_* NTFY_* IRC_* SIMPLEX_*
      TEAMS_* PHOTON_* RAFT_* SMS_* TWILIO_* GOOGLE_CHAT_* MSGRAPH_* HERMES_DISCORD_* HERMES_FEISHU_*
      HERMES_WECOM_* HERMES_SIMPLEX_* HERMES_S6_SUPERVISED_CHILD S6_PROFILE_GATEWAY_SCANDIR`,
  },
  {
    part: 'a grace for what follows just after a turn of Telegram began (what is sent in one go is gathered before it begins)',
    names: 'HERMES_TELEGRAM_FOLLOWUP_GRACE_SECONDS',
  },
  {
    part: 'a pool of connections to Telegram (no request waits for another to end)',
    names: 'HERMES_TELEGRAM_HTTP_POOL_*',
  },
  { part: 'rooms of Matrix that the bot makes (it makes none, public or not)', names: 'MATRIX_ALLOW_PUBLIC_ROOMS' },
  {
    part: 'another name for the home room, which nothing of the original reads either (MATRIX_HOME_ROOM works)',
    names: 'MATRIX_HOME_CHANNEL MATRIX_HOME_CHANNEL_NAME',
  },
  { part: 'the container image, whose refusal of root it lifts', names: 'HERMES_ALLOW_ROOT_GATEWAY' },
  {
    part: 'the dispatcher of boards of tasks',
    names:
      'HERMES_KANBAN_CRASH_GRACE_SECONDS HERMES_KANBAN_DISPATCH_IN_GATEWAY HERMES_KANBAN_GOAL_* HERMES_KANBAN_RATE_LIMIT_COOLDOWN_SECONDS HERMES_KANBAN_SPECIFY_MAX_TOKENS',
  },
  {
    part: 'the dashboard',
    names:
      'HERMES_DASHBOARD_* GATEWAY_HEALTH_* HERMES_WEB_DIST HERMES_SERVE_HEADLESS MINIMAX_PORTAL_BASE_URL HERMES_COMPUTE_HOST_HEARTBEAT_SECS',
  },
  {
    part: 'the desktop application',
    names: 'HERMES_DESKTOP HERMES_DESKTOP_* APPLE_SIGNING_IDENTITY CSC_LINK ELECTRON_*',
  },
  {
    part: 'the full-screen terminal',
    names:
      'HERMES_TUI HERMES_TUI_* HERMES_SLASH_WATCHDOG_* HERMES_PET_* HERMES_ISO_CERTIFY_* HERMES_CWD HERMES_API_KEY HERMES_BASE_URL',
  },
  { part: 'messages in other languages', names: 'HERMES_BUNDLED_LOCALES' },
  {
    part: 'plug-ins',
    names: `HERMES_BUNDLED_PLUGINS
      HERMES_LANGFUSE_* LANGFUSE_* HERMES_NEMO_RELAY_* SECURITY_GUIDANCE_* HERMES_MEET_* HERMES_SPOTIFY_* SPOTIFY_*`,
  },
  {
    part: 'memory providers',
    names: 'HINDSIGHT_* HONCHO_* HERMES_HONCHO_HOST MEM0_* OPENVIKING_* RETAINDB_* SUPERMEMORY_* BRV_API_KEY',
  },
  {
    part: 'summaries of browser pages',
    names: 'AUXILIARY_WEB_EXTRACT_*',
  },
  {
    part: 'a limit of its own for pictures that are made smaller at the same time',
    names: 'HERMES_VISION_MAX_CONCURRENCY',
  },
  {
    part: 'speech',
    names: 'HERMES_VOICE HERMES_VOICE_*',
  },
  { part: 'language servers', names: 'PSES_BUNDLE_PATH' },
  {
    part: 'a copy of files that is forced (what has changed goes to remote backends before a command)',
    names: 'HERMES_FORCE_FILE_SYNC',
  },
  { part: 'the upload of reports', names: 'HERMES_DIAGNOSTICS_BASE_URL' },
  {
    part: 'the subscription of the vendor',
    names: 'HERMES_DEV_CREDITS HERMES_DEV_CREDITS_FIXTURE HERMES_DEV_BILLING_FIXTURE HERMES_DEV_SUBSCRIPTION_FIXTURE',
  },
  {
    part: 'skills of the original that ask for it themselves',
    names: 'TENOR_API_KEY NOTION_API_KEY LINEAR_API_KEY AIRTABLE_API_KEY',
  },
  { part: 'Copilot as a program', names: 'COPILOT_ACP_* COPILOT_CLI_PATH HERMES_COPILOT_ACP_*' },
  { part: 'a GitHub application for skills (GITHUB_TOKEN works)', names: 'GITHUB_APP_*' },
  { part: 'logins that profiles share', names: 'HERMES_SHARED_AUTH_DIR' },
  { part: 'another name for an address, which nothing of the original reads either', names: 'NOUS_BASE_URL' },
  {
    part: 'the Python program and its installation',
    names: `HERMES_PYTHON HERMES_PYTHON_SRC_ROOT HERMES_LAZY_INSTALL_TARGET HERMES_TERMUX_* HERMES_SKIP_NODE_BOOTSTRAP
      HERMES_NODE_TARGET_MAJOR HERMES_DISABLE_WINDOWS_UTF8 HERMES_GIT_BASH_PATH HERMES_SKIP_SSL_GUARD HERMES_REVISION
      HERMES_CONTAINER HERMES_UID HERMES_GID HERMES_DEBUG_INTERRUPT HERMES_TERMINAL_SECURITY_MODE`,
  },
];

/** What is missing for a variable to have an effect; undefined for those that are read, and those that nobody knows. */
export function missingPartOfVariable(name: string): string | undefined {
  const keys = configVariables().filter(({ variable }) => variable === name);
  if (keys.length > 0) {
    const parts = keys.map(({ path }) => missingPartOf(path));
    return parts.includes(undefined) ? undefined : parts[0];
  }
  if (READ.has(name)) return undefined;
  return missingVariables.find(({ names }) => names.split(/\s+/).some((known) => covers(known, name)))?.part;
}

/** Read, although their beginning belongs to a part that is not. */
const READ: ReadonlySet<string> = new Set([
  'GATEWAY_ALLOW_ALL_USERS',
  'GATEWAY_ALLOWED_USERS',
  'HERMES_GATEWAY_EXTERNAL_SUPERVISOR',
  'HERMES_GATEWAY_LOCK_DIR',
  'HERMES_TUI_THEME',
]);

function covers(known: string, name: string): boolean {
  return known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : known === name;
}

/** Those that are set, by part. */
export function unbuiltVariables(env: Variables): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of Object.keys(env).sort()) {
    const part = env[name]?.trim() ? missingPartOfVariable(name) : undefined;
    if (part !== undefined) found.set(part, [...(found.get(part) ?? []), name]);
  }
  return found;
}
