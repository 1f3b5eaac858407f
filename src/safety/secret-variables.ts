/** Which environment variables hold credentials or settings of the agent itself, by name. */
import { fetchedNames } from '../lib/fetched-names.ts';
import { isSecretName, mentionsSecret } from '../lib/secrets.ts';

/** Bases of `<X>_API_KEY` and `<X>_BASE_URL` of model providers. */
const providers = `
  OPENROUTER NOUS NOUS_INFERENCE HERMES_PORTAL HERMES_CODEX HERMES_XAI HERMES_QWEN OPENAI LM COPILOT_ACP COPILOT_API GLM ZAI Z_AI
  KIMI KIMI_CODING KIMI_CN ARCEE ARCEEAI GMI MINIMAX MINIMAX_CN KILOCODE XIAOMI TOKENHUB AZURE_FOUNDRY AZURE_ANTHROPIC HF GOOGLE
  GEMINI VERTEX ANTHROPIC DASHSCOPE ALIBABA_CODING_PLAN DEEPSEEK NOVITA DEEPINFRA FIREWORKS UPSTAGE QWEN NVIDIA STEPFUN OLLAMA XAI MISTRAL GROQ BEDROCK
  OPENCODE_ZEN OPENCODE_GO AI_GATEWAY CUSTOM`;

const otherProviderNames = `
  COPILOT_GITHUB_TOKEN HERMES_COPILOT_ACP_COMMAND HERMES_COPILOT_ACP_ARGS COPILOT_CLI_PATH AZURE_ANTHROPIC_KEY
  HF_TOKEN ANTHROPIC_TOKEN CLAUDE_CODE_OAUTH_TOKEN AWS_BEARER_TOKEN_BEDROCK TOOL_GATEWAY_USER_TOKEN
  COHERE_API_KEY TOGETHER_API_KEY PERPLEXITY_API_KEY HELICONE_API_KEY KREA_API_KEY OPENAI_API_BASE OPENAI_ORGANIZATION
  OPENAI_ORG_ID GOOGLE_APPLICATION_CREDENTIALS VERTEX_CREDENTIALS_PATH
  HERMES_OAUTH_FILE LLM_MODEL HERMES_INFERENCE_MODEL HERMES_MODEL HERMES_NOUS_MIN_KEY_TTL_SECONDS
  HERMES_NOUS_TIMEOUT_SECONDS HERMES_OPENROUTER_CACHE HERMES_OPENROUTER_CACHE_TTL`;

/** Credentials of tools, sandboxes, memories and other services. */
const tools = `
  GH_TOKEN GITHUB_TOKEN GITHUB_APP_ID GITHUB_APP_INSTALLATION_ID GITHUB_APP_PRIVATE_KEY GITHUB_APP_PRIVATE_KEY_PATH
  AZURE_TENANT_ID AZURE_CLIENT_ID AZURE_CLIENT_SECRET AZURE_CLIENT_CERTIFICATE_PATH AZURE_FEDERATED_TOKEN_FILE
  AZURE_AUTHORITY_HOST IDENTITY_ENDPOINT MSI_ENDPOINT AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
  PARALLEL_API_KEY FIRECRAWL_API_KEY FIRECRAWL_API_URL FIRECRAWL_GATEWAY_URL FAL_QUEUE_GATEWAY_URL KREA_GATEWAY_URL OPENAI_AUDIO_GATEWAY_URL BROWSER_USE_GATEWAY_URL MODAL_GATEWAY_URL TAVILY_API_KEY TAVILY_BASE_URL EXA_API_KEY
  BRAVE_SEARCH_API_KEY SEARXNG_URL BROWSERBASE_API_KEY BROWSERBASE_PROJECT_ID BROWSER_USE_API_KEY BROWSER_CDP_URL
  CAMOFOX_URL CAMOFOX_USER_ID CAMOFOX_SESSION_KEY CAMOFOX_API_KEY BRV_API_KEY HINDSIGHT_API_KEY MEM0_API_KEY
  OPENVIKING_API_KEY RETAINDB_API_KEY IRC_SERVER_PASSWORD IRC_NICKSERV_PASSWORD PHOTON_PROJECT_SECRET FAL_KEY
  VOICE_TOOLS_OPENAI_KEY ELEVENLABS_API_KEY STT_OPENAI_BASE_URL XAI_STT_BASE_URL ELEVENLABS_STT_BASE_URL HONCHO_API_KEY HONCHO_BASE_URL SUPERMEMORY_API_KEY DAYTONA_API_KEY DAYTONA_API_URL MODAL_TOKEN_ID MODAL_TOKEN_SECRET
  TOOL_GATEWAY_DOMAIN TOOL_GATEWAY_SCHEME HERMES_LANGFUSE_PUBLIC_KEY HERMES_LANGFUSE_SECRET_KEY
  HERMES_LANGFUSE_BASE_URL LANGFUSE_PUBLIC_KEY LANGFUSE_SECRET_KEY LANGFUSE_BASE_URL BWS_ACCESS_TOKEN BWS_SERVER_URL
  OP_SERVICE_ACCOUNT_TOKEN OP_CONNECT_TOKEN SUDO_PASSWORD TERMINAL_SSH_HOST TERMINAL_SSH_USER TERMINAL_SSH_PORT
  TERMINAL_SSH_KEY HASS_TOKEN HASS_URL
  WEBHOOK_ENABLED WEBHOOK_PORT WEBHOOK_SECRET MESSAGING_CWD GATEWAY_ALLOWED_USERS GATEWAY_ALLOW_ALL_USERS GATEWAY_PROXY_URL
  GATEWAY_PROXY_KEY HERMES_PROXY_TOKEN`;

/** Logins that the owner's own programs use as well: kept back like the others, but the owner may hand them on. */
const ownersToo = new Set(
  words(`
  AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_TENANT_ID AZURE_CLIENT_ID AZURE_CLIENT_SECRET
  AZURE_CLIENT_CERTIFICATE_PATH AZURE_FEDERATED_TOKEN_FILE AZURE_AUTHORITY_HOST IDENTITY_ENDPOINT MSI_ENDPOINT
  CLAUDE_CODE_OAUTH_TOKEN`),
);

/** Every variable of these belongs to the gateway or one of its platforms; words of a name follow the prefix. */
const platformPrefixes = `
  TELEGRAM DISCORD SLACK GOOGLE_CHAT WHATSAPP WHATSAPP_CLOUD SIGNAL TWILIO SMS EMAIL DINGTALK FEISHU WECOM
  WECOM_CALLBACK WEIXIN BLUEBUBBLES QQ QQBOT MATTERMOST MATRIX LINE NTFY MSGRAPH TEAMS`;
const platformWords = new Set(
  words(`
  BOT_TOKEN APP_TOKEN TOKEN ACCESS_TOKEN CHANNEL_ACCESS_TOKEN CHANNEL_SECRET VERIFY_TOKEN VERIFICATION_TOKEN AUTH_TOKEN
  GRAPH_ACCESS_TOKEN APP_SECRET SECRET CORP_SECRET CLIENT_SECRET WEBHOOK_SECRET ENCRYPT_KEY ENCODING_AES_KEY
  RECOVERY_KEY RECOVERY_KEY_OUTPUT_FILE PASSWORD STT_API_KEY STT_BASE_URL STT_MODEL SERVICE_ACCOUNT_JSON PROJECT_ID
  SUBSCRIPTION SUBSCRIPTION_NAME ALLOWED_USERS ALLOW_ALL_USERS GROUP_ALLOWED_USERS GROUP_ALLOWED_CHATS ALLOWED_ROLES
  ALLOWED_CHANNELS ALLOWED_ROOMS ALLOWED_GROUPS ALLOW_BOTS ALLOW_FROM GROUP_ALLOW_FROM DM_POLICY GROUP_POLICY
  HOME_CHANNEL HOME_CHANNEL_NAME HOME_CHANNEL_THREAD_ID HOME_ROOM HOME_ADDRESS HOME_ADDRESS_NAME CRON_THREAD_ID
  WEBHOOK_URL WEBHOOK_PORT WEBHOOK_HOST WEBHOOK_PATH WEBHOOK_ENABLED WEBHOOK_CLIENT_STATE WEBHOOK_ACCEPTED_RESOURCES
  WEBHOOK_ALLOWED_SOURCE_CIDRS INCOMING_WEBHOOK_URL PROXY MODE ENABLED DEBUG PHONE_NUMBER_ID PHONE_NUMBER APP_ID WABA_ID
  API_VERSION HTTP_URL ACCOUNT ACCOUNT_ID ACCOUNT_SID IGNORE_STORIES INSECURE_NO_SIGNATURE ADDRESS IMAP_HOST IMAP_PORT
  SMTP_HOST SMTP_PORT POLL_INTERVAL CLIENT_ID DOMAIN CONNECTION_MODE REQUIRE_MENTION BOT_ID WEBSOCKET_URL CORP_ID
  AGENT_ID HOST PORT BASE_URL CDN_BASE_URL SERVER_URL PORTAL_HOST URL REPLY_MODE HOMESERVER USER_ID DEVICE_ID
  ENCRYPTION E2EE_MODE SESSION_SCOPE TOPIC PUBLISH_TOPIC PUBLIC_URL TENANT_ID SCOPE AUTHORITY_URL DELIVERY_MODE TEAM_ID
  CHANNEL_ID CHAT_ID REACTIONS MENTION_PATTERNS FREE_RESPONSE_CHANNELS FREE_RESPONSE_ROOMS`),
);
const gatewayPrefixes = ['GATEWAY_RELAY_', 'API_SERVER_', 'HERMES_DASHBOARD_', 'HERMES_GATEWAY_'] as const;
/** Models for tasks beside the conversation, of which a plug-in may bring more. */
const auxiliaryModel = /^AUXILIARY_.+_(?:API_KEY|BASE_URL)$/;
/** What the gateway shows a relay that it belongs to. */
const relaySecret = /^GATEWAY_RELAY_(?:.+_)?(?:SECRET|KEY|TOKEN)$/;
/** Logins that `op signin` leaves in a shell: they open all that its owner keeps in 1Password. */
const openVault = 'OP_SESSION_';

/** Switches that loosen or bend the rules: neither handed to a command nor set by one. */
const policySwitches = new Set(
  words(`
  HERMES_YOLO_MODE HERMES_ACCEPT_HOOKS HERMES_IGNORE_USER_CONFIG HERMES_IGNORE_RULES HERMES_EXEC_ASK HERMES_INTERACTIVE
  HERMES_REDACT_SECRETS HERMES_ALLOW_PRIVATE_URLS HERMES_DISABLE_FILE_STATE_GUARD HERMES_ENABLE_PROJECT_PLUGINS
  HERMES_EPHEMERAL_SYSTEM_PROMPT HERMES_PREFILL_MESSAGES_FILE HERMES_DUMP_REQUESTS HERMES_DUMP_REQUEST_STDOUT
  HERMES_OAUTH_TRACE TIRITH_ENABLED TIRITH_BIN TIRITH_TIMEOUT TIRITH_FAIL_OPEN`),
);
/** Restrictions and places: a child keeps them, and a command that sets them changes the rules. */
const policyRestrictions = new Set(
  words('HERMES_HOME HERMES_MANAGED HERMES_MANAGED_DIR HERMES_SAFE_MODE HERMES_WRITE_SAFE_ROOT HERMES_CORE_TOOLS'),
);

const providerNames = new Set([
  ...words(providers).flatMap((base) => [`${base}_API_KEY`, `${base}_BASE_URL`]),
  ...words(otherProviderNames),
]);
const toolNames = new Set(words(tools));
const prefixes = words(platformPrefixes);

/**
 * True for what stays with the agent, whoever names it: its keys, tokens and addresses, and its switches. A command that
 * had one could speak in its name.
 */
export function isNeverPassedOn(name: string): boolean {
  return isOwnVariable(name) && !ownersToo.has(name.toUpperCase());
}

/** True for switches of the agent's own safety rules, for example `HERMES_YOLO_MODE`. */
export function isPolicySwitch(name: string): boolean {
  return policySwitches.has(name.toUpperCase());
}

/** True for secrets that no program but this one has a use for, also where its owner would hand over any other. */
export function isInternalSecret(name: string): boolean {
  const upper = name.toUpperCase();
  return auxiliaryModel.test(upper) || relaySecret.test(upper);
}

/** True for every variable that decides what the agent may do: switches, restrictions, homes and who may talk to it. */
export function isPolicyVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return isPolicySwitch(upper) || policyRestrictions.has(upper) || /_ALLOW(?:ED)?_(?:ALL_)?USERS$/.test(upper);
}

/** True for what belongs to the agent itself: its providers, tools, platforms, switches, and logins to what keeps keys. */
export function isOwnVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (providerNames.has(upper) || toolNames.has(upper) || policySwitches.has(upper)) return true;
  if (upper.startsWith(openVault) || auxiliaryModel.test(upper)) return true;
  return gatewayPrefixes.some((prefix) => upper.startsWith(prefix)) || isPlatformVariable(upper);
}

/** True for what a command must not inherit unless the owner passes it through. */
export function isPrivateVariable(name: string): boolean {
  return isOwnVariable(name) || mentionsSecret(name.toUpperCase());
}

/** Values of all variables in `env` that hold a secret, for masking them wherever they turn up. */
export function secretValuesOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const fetched = fetchedNames(env);
  const values = Object.entries(env)
    .filter(([name, value]) => value !== undefined && (fetched.has(name) || holdsSecret(name.toUpperCase())))
    .map(([, value]) => (value ?? '').trim());
  return [...new Set(values)];
}

function holdsSecret(name: string): boolean {
  if (policySwitches.has(name)) return false;
  return (
    isSecretName(name) || name.startsWith(openVault) || (isPrivateVariable(name) && /(?:KEY|SECRET|JSON)$/.test(name))
  );
}

function isPlatformVariable(name: string): boolean {
  return prefixes.some((prefix) => name.startsWith(`${prefix}_`) && platformWords.has(name.slice(prefix.length + 1)));
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
