/** Environment variables that stand for configuration keys, and how they are laid around the file. */
import { delimiter } from 'node:path';
import { parseJson, type JsonObject, type JsonValue } from '../lib/json.ts';
import { parseBoolean } from './env-values.ts';
import type { Variables } from './variables.ts';
import { setAt, valueAt } from './values.ts';

/** A variable and the dotted key it stands for. `invert` turns a "disable" switch into its opposite. */
interface EnvKey {
  readonly variable: string;
  readonly path: string;
  readonly invert?: true;
  /** Paths with the separator of `PATH` between them. */
  readonly paths?: true;
}

/** Values taken from the environment, and which variable each came from (dotted key → variable). */
export interface EnvLayer {
  readonly values: JsonObject;
  readonly origins: ReadonlyMap<string, string>;
}

const TERMINAL_KEYS = `cwd timeout lifetime_seconds home_mode env_passthrough credential_files shell_init_files
  auto_source_bashrc persistent_shell docker_image modal_image modal_mode daytona_image singularity_image docker_forward_env
  docker_volumes docker_extra_args docker_env docker_network docker_mount_cwd_to_workspace docker_run_as_host_user
  docker_persist_across_processes docker_orphan_reaper container_cpu container_memory container_disk
  container_persistent file_sync_enabled file_sync_max_mb ssh_host ssh_user ssh_port ssh_key sandbox_dir scratch_dir`.split(
  /\s+/,
);

const AUXILIARY_TASKS = ['vision', 'web_extract', 'approval'] as const;
const AUXILIARY_FIELDS = ['provider', 'model', 'base_url', 'api_key'] as const;

/** The variable a `terminal` key travels in, for child processes and for `.env`. */
export function terminalVariable(key: string): string {
  if (key === 'backend') return 'TERMINAL_ENV';
  return key === 'sudo_password' ? 'SUDO_PASSWORD' : `TERMINAL_${key.toUpperCase()}`;
}

/** The `terminal` key that travels in a variable. */
export function terminalKeyOf(variable: string): string | undefined {
  return ['backend', ...TERMINAL_KEYS, 'sudo_password'].find((key) => terminalVariable(key) === variable);
}

/** The variable of one field of an auxiliary task, for the tasks that have such variables. */
function auxiliaryVariables(): EnvKey[] {
  return AUXILIARY_TASKS.flatMap((task) =>
    AUXILIARY_FIELDS.map((field) => ({
      variable: `AUXILIARY_${task}_${field}`.toUpperCase(),
      path: `auxiliary.${task}.${field}`,
    })),
  );
}

/** Used where the file says nothing about the key. Earlier lines win over later ones for the same key. */
const FALLBACKS: readonly EnvKey[] = [
  ...['backend', ...TERMINAL_KEYS, 'sudo_password'].map((key) => ({
    variable: terminalVariable(key),
    path: `terminal.${key}`,
  })),
  { variable: 'MESSAGING_CWD', path: 'terminal.cwd' },
  { variable: 'HERMES_INFERENCE_PROVIDER', path: 'model.provider' },
  { variable: 'HERMES_MAX_TOKENS', path: 'model.max_tokens' },
  { variable: 'HERMES_MAX_ITERATIONS', path: 'agent.max_turns' },
  { variable: 'HERMES_PREFILL_MESSAGES_FILE', path: 'prefill_messages_file' },
  { variable: 'HERMES_REDACT_SECRETS', path: 'security.redact_secrets' },
  { variable: 'HERMES_ALLOW_PRIVATE_URLS', path: 'security.allow_private_urls' },
  { variable: 'HERMES_DISABLE_LAZY_INSTALLS', path: 'security.allow_lazy_installs', invert: true },
  { variable: 'HERMES_TOOL_PROGRESS_MODE', path: 'display.tool_progress' },
  { variable: 'HERMES_TOOL_PROGRESS', path: 'display.tool_progress' },
  { variable: 'HERMES_BACKGROUND_NOTIFICATIONS', path: 'display.background_process_notifications' },
  { variable: 'HERMES_GATEWAY_BUSY_INPUT_MODE', path: 'display.busy_input_mode' },
  { variable: 'HERMES_GATEWAY_BUSY_TEXT_MODE', path: 'display.busy_text_mode' },
  { variable: 'HERMES_GATEWAY_BUSY_ACK_ENABLED', path: 'display.busy_ack_enabled' },
  { variable: 'HERMES_MEDIA_ALLOW_DIRS', path: 'gateway.media_delivery_allow_dirs', paths: true },
  { variable: 'HERMES_HUMAN_DELAY_MODE', path: 'human_delay.mode' },
  { variable: 'HERMES_HUMAN_DELAY_MIN_MS', path: 'human_delay.min_ms' },
  { variable: 'HERMES_HUMAN_DELAY_MAX_MS', path: 'human_delay.max_ms' },
  { variable: 'HERMES_VISION_DOWNLOAD_TIMEOUT', path: 'auxiliary.vision.download_timeout' },
  { variable: 'AUXILIARY_VIDEO_MODEL', path: 'auxiliary.video.model' },
  { variable: 'HERMES_OPENROUTER_CACHE', path: 'openrouter.response_cache' },
  { variable: 'HERMES_OPENROUTER_CACHE_TTL', path: 'openrouter.response_cache_ttl' },
  { variable: 'DELEGATION_MAX_CONCURRENT_CHILDREN', path: 'delegation.max_concurrent_children' },
  { variable: 'DELEGATION_CHILD_TIMEOUT_SECONDS', path: 'delegation.child_timeout_seconds' },
  { variable: 'SESSION_IDLE_MINUTES', path: 'session_reset.idle_minutes' },
  { variable: 'SESSION_RESET_HOUR', path: 'session_reset.at_hour' },
  { variable: 'BROWSER_INACTIVITY_TIMEOUT', path: 'browser.inactivity_timeout' },
  { variable: 'AGENT_BROWSER_HEADED', path: 'browser.headed' },
  { variable: 'AGENT_BROWSER_ENGINE', path: 'browser.engine' },
  { variable: 'GATEWAY_PROXY_URL', path: 'gateway.proxy_url' },
  { variable: 'GATEWAY_RELAY_URL', path: 'gateway.relay_url' },
  { variable: 'GATEWAY_RELAY_ID', path: 'gateway.relay_id' },
  { variable: 'GATEWAY_RELAY_SECRET', path: 'gateway.relay_secret' },
  { variable: 'GATEWAY_RELAY_ENDPOINT', path: 'gateway.relay_endpoint' },
];

/** Beat the file, for this process. */
const OVERRIDES: readonly EnvKey[] = [
  { variable: 'HERMES_INFERENCE_MODEL', path: 'model.default' },
  { variable: 'HERMES_LANGUAGE', path: 'display.language' },
  { variable: 'HERMES_ENVIRONMENT_HINT', path: 'agent.environment_hint' },
  { variable: 'HERMES_TIMEZONE', path: 'timezone' },
  { variable: 'HERMES_FILE_MUTATION_VERIFIER', path: 'display.file_mutation_verifier' },
  { variable: 'HERMES_TURN_COMPLETION_EXPLAINER', path: 'display.turn_completion_explainer' },
  { variable: 'HERMES_VERIFY_ON_STOP', path: 'agent.verify_on_stop' },
  { variable: 'HERMES_RESTART_DRAIN_TIMEOUT', path: 'agent.restart_drain_timeout' },
  { variable: 'HERMES_AUTO_CONTINUE_FRESHNESS', path: 'agent.gateway_auto_continue_freshness' },
  { variable: 'HERMES_AGENT_TIMEOUT', path: 'agent.gateway_timeout' },
  { variable: 'HERMES_AGENT_TIMEOUT_WARNING', path: 'agent.gateway_timeout_warning' },
  { variable: 'HERMES_AGENT_NOTIFY_INTERVAL', path: 'agent.gateway_notify_interval' },
  { variable: 'HERMES_FILTER_SILENCE_NARRATION', path: 'filter_silence_narration' },
  { variable: 'HERMES_MEDIA_DELIVERY_STRICT', path: 'gateway.strict' },
  { variable: 'HERMES_MEDIA_TRUST_RECENT_FILES', path: 'gateway.trust_recent_files' },
  { variable: 'HERMES_MEDIA_TRUST_RECENT_SECONDS', path: 'gateway.trust_recent_files_seconds' },
  { variable: 'HERMES_GATEWAY_BUSY_STEER_ACK_ENABLED', path: 'display.busy_steer_ack_enabled' },
  { variable: 'HERMES_GATEWAY_MAX_STARTS', path: 'gateway.respawn_storm.max_starts' },
  { variable: 'HERMES_GATEWAY_START_WINDOW_S', path: 'gateway.respawn_storm.window_seconds' },
  { variable: 'HERMES_GATEWAY_PLATFORM_CONNECT_TIMEOUT', path: 'gateway.platform_connect_timeout' },
  { variable: 'GATEWAY_MULTIPLEX_PROFILES', path: 'multiplex_profiles' },
  { variable: 'HERMES_KANBAN_DISPATCH_IN_GATEWAY', path: 'kanban.dispatch_in_gateway' },
  { variable: 'HERMES_CRON_SCRIPT_TIMEOUT', path: 'cron.script_timeout_seconds' },
  { variable: 'HERMES_CRON_MAX_PARALLEL', path: 'cron.max_parallel_jobs' },
  { variable: 'HERMES_CRON_SESSION_DB_TIMEOUT', path: 'cron.session_db_timeout_seconds' },
  { variable: 'TIRITH_ENABLED', path: 'security.tirith_enabled' },
  { variable: 'TIRITH_BIN', path: 'security.tirith_path' },
  { variable: 'TIRITH_TIMEOUT', path: 'security.tirith_timeout' },
  { variable: 'TIRITH_FAIL_OPEN', path: 'security.tirith_fail_open' },
  { variable: 'TERMINAL_LOCAL_PERSISTENT', path: 'terminal.local_persistent' },
  { variable: 'TERMINAL_SSH_PERSISTENT', path: 'terminal.ssh_persistent' },
  { variable: 'BROWSER_CDP_URL', path: 'browser.cdp_url' },
  { variable: 'CAMOFOX_USER_ID', path: 'browser.camofox.user_id' },
  { variable: 'CAMOFOX_SESSION_KEY', path: 'browser.camofox.session_key' },
  { variable: 'CAMOFOX_ADOPT_EXISTING_TAB', path: 'browser.camofox.adopt_existing_tab' },
  { variable: 'CAMOFOX_REWRITE_LOOPBACK_URLS', path: 'browser.camofox.rewrite_loopback_urls' },
  { variable: 'CAMOFOX_LOOPBACK_HOST_ALIAS', path: 'browser.camofox.loopback_host_alias' },
  ...auxiliaryVariables(),
  { variable: 'HERMES_DASHBOARD_PUBLIC_URL', path: 'dashboard.public_url' },
  { variable: 'HERMES_DASHBOARD_OAUTH_CLIENT_ID', path: 'dashboard.oauth.client_id' },
  { variable: 'HERMES_DASHBOARD_OIDC_ISSUER', path: 'dashboard.oauth.self_hosted.issuer' },
  { variable: 'HERMES_DASHBOARD_OIDC_CLIENT_ID', path: 'dashboard.oauth.self_hosted.client_id' },
  { variable: 'HERMES_DASHBOARD_OIDC_SCOPES', path: 'dashboard.oauth.self_hosted.scopes' },
  { variable: 'HERMES_DASHBOARD_BASIC_AUTH_USERNAME', path: 'dashboard.basic_auth.username' },
  { variable: 'HERMES_DASHBOARD_BASIC_AUTH_PASSWORD', path: 'dashboard.basic_auth.password' },
  { variable: 'HERMES_DASHBOARD_BASIC_AUTH_PASSWORD_HASH', path: 'dashboard.basic_auth.password_hash' },
  { variable: 'HERMES_DASHBOARD_BASIC_AUTH_SECRET', path: 'dashboard.basic_auth.secret' },
  { variable: 'HERMES_DASHBOARD_BASIC_AUTH_TTL_SECONDS', path: 'dashboard.basic_auth.session_ttl_seconds' },
];

/** Values for keys that `file` leaves open. */
export function fallbackLayer(env: Variables, file: JsonObject): EnvLayer {
  return layer(FALLBACKS, env, (path) => valueAt(file, path) === undefined || valueAt(file, path) === null);
}

/** Values that beat the file. */
export function overrideLayer(env: Variables): EnvLayer {
  return layer(OVERRIDES, env, () => true);
}

/** All of them, for lists: a variable, its key, and whether it beats the file. */
export function configVariables(): readonly (EnvKey & { readonly wins: boolean })[] {
  return [...OVERRIDES.map((key) => ({ ...key, wins: true })), ...FALLBACKS.map((key) => ({ ...key, wins: false }))];
}

/** Every variable that stands for a configuration key. */
export function isConfigVariable(name: string): boolean {
  return FALLBACKS.some((key) => key.variable === name) || OVERRIDES.some((key) => key.variable === name);
}

function layer(keys: readonly EnvKey[], env: Variables, wanted: (path: readonly string[]) => boolean): EnvLayer {
  const values: JsonObject = {};
  const origins = new Map<string, string>();
  for (const key of keys) {
    const { variable, path } = key;
    const text = env[variable];
    if (text === undefined || origins.has(path)) continue;
    // No password is one, too; elsewhere nothing means that nothing was said.
    if (text.trim() === '' && variable !== 'SUDO_PASSWORD') continue;
    const segments = path.split('.');
    if (!wanted(segments)) continue;
    setAt(values, segments, readValue(text, key));
    origins.set(path, variable);
  }
  return { values, origins };
}

/** Lists and maps travel as JSON; everything else as text, which the schema reads by the key's type. */
function readValue(text: string, { invert, paths }: EnvKey): JsonValue {
  if (paths === true) return text.split(delimiter).flatMap((path) => path.trim() || []);
  if (invert === true) return !(parseBoolean(text) ?? true);
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return text;
  return parseJson(trimmed) ?? text;
}
