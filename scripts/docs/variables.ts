/** What the environment variables mean that are no copy of a configuration key and belong to no provider. */

export interface VariableGroup {
  readonly title: string;
  readonly variables: readonly (readonly [names: string, meaning: string])[];
}

export const variableGroups: readonly VariableGroup[] = [
  {
    title: 'The home and the program',
    variables: [
      ['HERMES_HOME', 'the home, instead of `~/.hermes`'],
      [
        'HERMES_MANAGED_DIR',
        'the folder with the `config.yaml` and `.env` of an administrator, instead of `/etc/hermes`',
      ],
      [
        'HERMES_HOME_MODE',
        "the mode of the home's folders in octal, such as `0750`, instead of `0700`; existing ones are changed too",
      ],
      ['HERMES_SKIP_CHMOD', '`HERMES_HOME_MODE` changes nothing'],
      ['HERMES_MANAGED', 'the configuration belongs to somebody else: commands that would write it refuse'],
      ['HERMES_NODE', 'a Node.js of version 24 or newer, for when the one that was called is older'],
      ['HERMES_DEV', '1 runs the sources rather than the built program'],
      ['HOME LOCALAPPDATA XDG_CACHE_HOME', 'where the home and the cache of compiled code are'],
      ['NODE_COMPILE_CACHE', 'another place for the cache of compiled code'],
      ['MALLOC_ARENA_MAX', 'how many heaps the C library of Linux makes; a gateway makes one unless this is set'],
    ],
  },
  {
    title: 'The API server',
    variables: [
      ['API_SERVER_ENABLED', '1 starts it with the gateway'],
      ['API_SERVER_HOST API_SERVER_PORT', 'where it listens, instead of `127.0.0.1` and 8642'],
      ['API_SERVER_KEY', 'what callers send as `Authorization: Bearer …`: at least 16 characters, needed everywhere'],
      ['API_SERVER_CORS_ORIGINS', 'origins of pages that may ask, with commas between them; `*` allows every one'],
      ['API_SERVER_MODEL_NAME', 'under which the agent is listed as a model, instead of `hermes-agent` or its profile'],
    ],
  },
  {
    title: 'Chats that another Hermes answers',
    variables: [
      ['GATEWAY_PROXY_KEY', 'the `API_SERVER_KEY` of the server at `GATEWAY_PROXY_URL`; it goes to no other'],
    ],
  },
  {
    title: 'The proxy',
    variables: [['HERMES_PROXY_TOKEN', 'what programs send to `hermes proxy` as their key; its first start makes it']],
  },
  {
    title: 'Scheduled jobs',
    variables: [
      [
        'HERMES_CRON_TIMEOUT',
        'seconds in which nothing may happen in a run before it is ended, instead of 600; 0: no limit',
      ],
      ['HERMES_MODEL', 'the model of jobs that name none'],
      ['HERMES_MACHINE_ID', 'the name of this machine in `cron/jobs.json`, for homes that several share'],
      ['TELEGRAM_CRON_THREAD_ID', 'the topic of the home chat that results of jobs go to'],
    ],
  },
  {
    title: 'Web search and pages',
    variables: [
      [
        'TAVILY_API_KEY EXA_API_KEY PARALLEL_API_KEY FIRECRAWL_API_KEY BRAVE_SEARCH_API_KEY',
        'keys of services that search the web and, but for the last, read pages; see [The web](../web.md)',
      ],
      ['SEARXNG_URL FIRECRAWL_API_URL', 'where servers of your own are'],
      ['TOOL_GATEWAY_USER_TOKEN', 'a token of the tool gateway of Nous Portal, before the login there'],
      ['TOOL_GATEWAY_DOMAIN TOOL_GATEWAY_SCHEME', 'where its gateways are, default `nousresearch.com` and `https`'],
      [
        'FIRECRAWL_GATEWAY_URL FAL_QUEUE_GATEWAY_URL KREA_GATEWAY_URL OPENAI_AUDIO_GATEWAY_URL BROWSER_USE_GATEWAY_URL MODAL_GATEWAY_URL',
        'where one of them is',
      ],
      ['TAVILY_BASE_URL', 'where Tavily is asked, instead of at `https://api.tavily.com`'],
      ['PARALLEL_SEARCH_MODE', 'how Parallel searches: `fast`, `one-shot` or `agentic`, which is usual'],
    ],
  },
  {
    title: 'Pictures and videos',
    variables: [
      [
        'FAL_KEY KREA_API_KEY',
        'keys of services that make them; those of OpenAI, xAI, OpenRouter and DeepInfra serve too',
      ],
      [
        'FAL_IMAGE_MODEL OPENAI_IMAGE_MODEL XAI_IMAGE_MODEL KREA_IMAGE_MODEL OPENROUTER_IMAGE_MODEL DEEPINFRA_IMAGE_MODEL NOUS_IMAGE_MODEL',
        'which model makes pictures: over `image_gen.model`, with FAL where that names none',
      ],
      ['FAL_VIDEO_MODEL', 'which model of FAL makes videos, over `video_gen.model`'],
    ],
  },
  {
    title: 'The desktop',
    variables: [
      ['HERMES_CUA_DRIVER_CMD', 'the program that sees and operates the desktop, instead of `cua-driver` in `PATH`'],
      ['HERMES_COMPUTER_USE_BACKEND', '`noop`: a desktop on which nothing happens'],
      ['CUA_DRIVER_RS_HOME', 'where cua-driver keeps its files, instead of in `~/.cua-driver`'],
    ],
  },
  {
    title: 'Home Assistant',
    variables: [
      ['HASS_TOKEN', 'a long-lived access token: the agent sees your house and switches things in it'],
      ['HASS_URL', 'where the house is, instead of at `http://homeassistant.local:8123`'],
    ],
  },
  {
    title: 'Boards of tasks',
    variables: [
      ['HERMES_KANBAN_HOME', 'where boards are, instead of in the root home, which all profiles share'],
      ['HERMES_KANBAN_BOARD', 'the board that is meant where none is named'],
      ['HERMES_KANBAN_DB', 'the file of the board, whichever is asked for'],
      ['HERMES_KANBAN_WORKSPACES_ROOT', 'a folder whose folders are workspaces of tasks, besides the usual ones'],
      ['HERMES_KANBAN_ATTACHMENTS_ROOT', 'where files of tasks are kept'],
      ['HERMES_KANBAN_TASK', 'the one task that this process works on: it gets the tools for it'],
      [
        'HERMES_KANBAN_RUN_ID',
        'the attempt it was started for: once another one has begun, it can neither end nor hold the task',
      ],
      ['HERMES_KANBAN_CLAIM_LOCK', 'under which it holds the task: each of its calls renews the claim'],
      ['HERMES_KANBAN_CLAIM_TTL_SECONDS', 'how long a claim holds; 900'],
      ['HERMES_KANBAN_STOP_NUDGE', '`0`: a worker that stops without a word is not reminded of its task'],
      ['HERMES_KANBAN_BUSY_TIMEOUT_MS', 'how long other programs on a board are waited for; 120000'],
      ['HERMES_PROFILE', 'the name that the session writes under, instead of that of its profile'],
      ['HERMES_TENANT', 'the tenant of tasks that name none'],
    ],
  },
  {
    title: 'Speech',
    variables: [
      [
        'ELEVENLABS_API_KEY',
        'the key of ElevenLabs; `VOICE_TOOLS_OPENAI_KEY` and the keys of MiniMax, Mistral, Gemini, xAI and DeepInfra serve too',
      ],
      ['MINIMAX_GROUP_ID', 'the group of a MiniMax account, where `tts.minimax.group_id` names none'],
    ],
  },
  {
    title: 'Voice messages',
    variables: [
      [
        'GROQ_API_KEY VOICE_TOOLS_OPENAI_KEY MISTRAL_API_KEY ELEVENLABS_API_KEY',
        'keys of the services that turn them into text',
      ],
      [
        'GROQ_BASE_URL STT_OPENAI_BASE_URL XAI_STT_BASE_URL ELEVENLABS_STT_BASE_URL',
        'where these are asked, instead of at their usual address',
      ],
      ['HERMES_LOCAL_STT_COMMAND', 'a program of this machine that turns them into text, in place of `whisper`'],
      ['HERMES_LOCAL_STT_LANGUAGE', 'the language for it and for xAI, where `stt` names none'],
      [
        'STT_GROQ_MODEL STT_OPENAI_MODEL STT_MISTRAL_MODEL STT_ELEVENLABS_MODEL',
        'which model listens, where `stt` names none',
      ],
    ],
  },
  {
    title: 'Chat platforms',
    variables: [
      [
        'GATEWAY_ALLOWED_USERS',
        'ids of the people who may speak to the agent on every platform, with commas between them',
      ],
      ['HERMES_GATEWAY_EXTERNAL_SUPERVISOR', 'something outside starts the gateway again when it ends'],
      [
        'HERMES_GATEWAY_ADAPTER_DISCONNECT_TIMEOUT',
        'seconds that the end of a connection to a chat platform may take (5); then it is left behind',
      ],
      ['HERMES_GATEWAY_LOCK_DIR', 'where gateways of this machine note which accounts they use'],
      [
        'WEBHOOK_ENABLED WEBHOOK_PORT WEBHOOK_SECRET',
        'signed events of other programs are taken; where, and with which secret',
      ],
      ['TELEGRAM_BOT_TOKEN', 'the token of the bot; it alone switches Telegram on'],
      [
        'TELEGRAM_ALLOWED_USERS TELEGRAM_ALLOW_ALL_USERS TELEGRAM_ALLOW_BOTS TELEGRAM_GROUP_ALLOWED_USERS TELEGRAM_GROUP_ALLOWED_CHATS',
        'who may speak to the agent there: people, everybody, bots, people in groups, whole groups',
      ],
      [
        'TELEGRAM_HOME_CHANNEL TELEGRAM_HOME_CHANNEL_NAME TELEGRAM_HOME_CHANNEL_THREAD_ID',
        'where messages go that nobody asked for in a chat',
      ],
      [
        'TELEGRAM_REQUIRE_MENTION TELEGRAM_MENTION_PATTERNS TELEGRAM_EXCLUSIVE_BOT_MENTIONS TELEGRAM_FREE_RESPONSE_CHATS TELEGRAM_FREE_RESPONSE_TOPICS TELEGRAM_ALLOWED_CHATS TELEGRAM_ALLOWED_TOPICS TELEGRAM_IGNORED_THREADS TELEGRAM_GUEST_MODE TELEGRAM_OBSERVE_UNMENTIONED_GROUP_MESSAGES',
        'when it answers in groups; see [Telegram](../telegram.md)',
      ],
      [
        'TELEGRAM_REPLY_TO_MODE TELEGRAM_REACTIONS HERMES_TELEGRAM_NOTIFICATIONS',
        'how it answers: with quotes, with marks, with a sound',
      ],
      [
        'TELEGRAM_WEBHOOK_URL TELEGRAM_WEBHOOK_PORT TELEGRAM_WEBHOOK_SECRET',
        'messages come by a webhook, not by polling',
      ],
      [
        'TELEGRAM_PROXY TELEGRAM_FALLBACK_IPS HERMES_TELEGRAM_DISABLE_FALLBACK_IPS HERMES_TELEGRAM_HTTP_CONNECT_TIMEOUT HERMES_TELEGRAM_HTTP_READ_TIMEOUT HERMES_TELEGRAM_HTTP_WRITE_TIMEOUT HERMES_TELEGRAM_INIT_TIMEOUT',
        'how Telegram is reached',
      ],
      [
        'HERMES_TELEGRAM_TEXT_BATCH_DELAY_SECONDS HERMES_TELEGRAM_TEXT_BATCH_SPLIT_DELAY_SECONDS HERMES_TELEGRAM_MEDIA_BATCH_DELAY_SECONDS',
        'how long it waits for more of the same message',
      ],
      [
        'MATRIX_HOMESERVER MATRIX_ACCESS_TOKEN MATRIX_USER_ID MATRIX_PASSWORD MATRIX_DEVICE_ID',
        'the account on Matrix',
      ],
      [
        'MATRIX_E2EE_MODE MATRIX_ENCRYPTION MATRIX_RECOVERY_KEY MATRIX_RECOVERY_KEY_OUTPUT_FILE',
        'encryption there; see [Matrix](../matrix.md)',
      ],
      [
        'MATRIX_ALLOWED_USERS MATRIX_ALLOW_ALL_USERS MATRIX_ALLOWED_ROOMS',
        'who may speak to the agent there, and where',
      ],
      [
        'MATRIX_HOME_ROOM MATRIX_HOME_ROOM_NAME MATRIX_HOME_ROOM_THREAD_ID',
        'where messages go that nobody asked for in a room',
      ],
      [
        'MATRIX_REQUIRE_MENTION MATRIX_THREAD_REQUIRE_MENTION MATRIX_FREE_RESPONSE_ROOMS MATRIX_ALLOW_ROOM_MENTIONS MATRIX_IGNORE_USER_PATTERNS MATRIX_PROCESS_NOTICES',
        'when it answers in rooms; see [Matrix](../matrix.md)',
      ],
      [
        'MATRIX_AUTO_THREAD MATRIX_DM_AUTO_THREAD MATRIX_DM_MENTION_THREADS MATRIX_SESSION_SCOPE MATRIX_REACTIONS',
        'how it answers: in threads, with marks',
      ],
      [
        'MATRIX_APPROVAL_REQUIRE_SENDER MATRIX_APPROVAL_TIMEOUT_SECONDS',
        'whose reaction answers a question of the bot there, and for how long one may allow something',
      ],
      [
        'MATRIX_MAX_MESSAGE_LENGTH MATRIX_MAX_MEDIA_BYTES MATRIX_ROOM_IDENTITY_TTL_SECONDS HERMES_MATRIX_TEXT_BATCH_DELAY_SECONDS HERMES_MATRIX_TEXT_BATCH_SPLIT_DELAY_SECONDS',
        'sizes and times',
      ],
    ],
  },
  {
    title: 'Switches of a run',
    variables: [
      ['HERMES_YOLO_MODE', 'dangerous commands run without being asked about, like `--yolo`'],
      ['HERMES_ACCEPT_HOOKS', 'shell hooks that were not allowed yet are, like `--accept-hooks`'],
      [
        'HERMES_ENABLE_PROJECT_PLUGINS',
        'also plug-ins in `.hermes/plugins` of the folder one works in, as far as they are enabled',
      ],
      ['HERMES_PLUGINS_DEBUG', '`hermes plugins list` says of each plug-in why it is not loaded'],
      ['HERMES_PLUGIN_PAYLOAD_MAX_CHARS', 'how much hooks see of a request to a model (50000)'],
      ['HERMES_SAFE_MODE', 'no customisation, like `--safe-mode`'],
      ['HERMES_IGNORE_USER_CONFIG', '`config.yaml` is not read, like `--ignore-user-config`'],
      ['HERMES_IGNORE_RULES', 'no rules and no memory, like `--ignore-rules`'],
      ['HERMES_NONINTERACTIVE', '`hermes setup` asks nothing, like `--non-interactive`'],
      ['HERMES_SESSION_SOURCE', 'what sessions are filed under instead of their surface'],
      ['HERMES_EPHEMERAL_SYSTEM_PROMPT', 'added to the system prompt of this process, never stored'],
      ['HERMES_AGENT_HELP_GUIDANCE', 'what whoever runs this installation tells the model about it'],
      ['HERMES_MD_NAMES', 'names of the project files that steer the model'],
    ],
  },
  {
    title: 'Files and commands of the agent',
    variables: [
      [
        'HERMES_WRITE_SAFE_ROOT',
        'file tools write below these folders only (separated as in `PATH`); beyond, a person is asked',
      ],
      ['HERMES_DISABLE_FILE_STATE_GUARD', 'files may be written that changed since they were read'],
      [
        'TERMINAL_MAX_FOREGROUND_TIMEOUT',
        'the most seconds that a model may ask for a command in the foreground; default 600',
      ],
      [
        'HERMES_CONCURRENT_TOOL_TIMEOUT_S',
        'seconds that calls which run side by side may take; default 420, 0 sets no limit',
      ],
      ['HERMES_SIGTERM_GRACE', 'seconds that a call gets to end after an interrupt; default 1.5'],
      [
        'HERMES_EXIT_WATCHDOG_S',
        'seconds after which what still runs at the end is left behind; default 30, 0 waits for it',
      ],
      ['HERMES_CHECKPOINT_TIMEOUT', 'seconds that one call of git for a checkpoint may take, 10 to 60; default 30'],
      ['HERMES_DOCKER_BINARY', 'the program to call for `docker`'],
      ['DAYTONA_API_KEY', 'key of Daytona, for `terminal.backend: daytona`'],
      ['DAYTONA_API_URL', 'an installation of Daytona of your own; default `https://app.daytona.io/api`'],
      ['DAYTONA_TARGET', 'the region of Daytona where sandboxes are made'],
      [
        'MODAL_TOKEN_ID MODAL_TOKEN_SECRET',
        'token of Modal, for `terminal.backend: modal`; default: that of `~/.modal.toml`',
      ],
      ['MODAL_CONFIG_PATH', 'a file of Modal with tokens instead of `~/.modal.toml`'],
      ['MODAL_ENVIRONMENT', 'the environment of Modal where sandboxes are made'],
      ['OSV_ENDPOINT', 'who `hermes security audit` asks about holes in packages (`https://api.osv.dev/v1/query`)'],
      ['HERMES_BUNDLED_SKILLS', 'a folder of skills instead of those that come along'],
      ['HERMES_OPTIONAL_SKILLS', 'a folder of further official skills'],
      ['HERMES_OPTIONAL_MCPS', 'the folder of the catalogue of MCP servers, instead of the one that comes along'],
      ['HERMES_BUNDLES_DIR', 'the folder of bundles, instead of `skill-bundles` in the home'],
      ['GITHUB_TOKEN GH_TOKEN', 'for skills that lie on GitHub: more requests, private repositories'],
      [
        'GATEWAY_ALLOW_ALL_USERS',
        'everybody may write to the agent on chat platforms, which are not in this build; `hermes doctor` warns of it',
      ],
      ['SHELL PATH', 'the shell that commands run in, and where programs are found'],
    ],
  },
  {
    title: 'The browser',
    variables: [
      ['AGENT_BROWSER_EXECUTABLE_PATH', 'the browser to start, instead of the first Chromium that is found'],
      ['AGENT_BROWSER_ARGS', 'its arguments, with commas between them'],
      ['PLAYWRIGHT_BROWSERS_PATH', 'where Playwright keeps browsers, instead of `~/.cache/ms-playwright`'],
      ['BROWSERBASE_API_KEY BROWSERBASE_PROJECT_ID', 'browsers of Browserbase in the place of one of this machine'],
      ['BROWSERBASE_BASE_URL', 'where Browserbase is asked, default `https://api.browserbase.com`'],
      ['BROWSERBASE_PROXIES BROWSERBASE_KEEP_ALIVE', '`false`: without them; default `true`'],
      ['BROWSERBASE_ADVANCED_STEALTH', '`true`: with it; default `false`'],
      ['BROWSERBASE_SESSION_TIMEOUT', 'seconds until a browser of Browserbase ends by itself, at most 21600'],
      ['BROWSER_USE_API_KEY', 'browsers of Browser Use'],
      ['CAMOFOX_URL', 'a Camofox server whose browser is used, such as `http://localhost:9377`'],
      ['CAMOFOX_API_KEY', 'its key'],
      ['FIRECRAWL_BROWSER_TTL', 'seconds until a browser of Firecrawl ends by itself, default 300'],
    ],
  },
  {
    title: 'Secret managers',
    variables: [
      [
        'BWS_ACCESS_TOKEN',
        'the access token of Bitwarden, or the variable that `secrets.bitwarden.access_token_env` names',
      ],
      ['BWS_SERVER_URL', 'the server of Bitwarden, where `secrets.bitwarden.server_url` names none'],
      [
        'OP_SERVICE_ACCOUNT_TOKEN',
        'the token of 1Password, or the variable that `secrets.onepassword.service_account_token_env` names; while it is not set, `.op.env` in the home is read',
      ],
      ['OP_ACCOUNT OP_CONNECT_HOST OP_CONNECT_TOKEN OP_SESSION_*', 'handed to the program of 1Password'],
    ],
  },
  {
    title: 'Requests to models',
    variables: [
      ['HERMES_API_TIMEOUT', 'seconds for a whole request'],
      ['HERMES_STREAM_READ_TIMEOUT', 'seconds of silence on the connection of a stream'],
      ['HERMES_STREAM_STALE_TIMEOUT', 'seconds in which a stream brings nothing new'],
      ['HERMES_API_CALL_STALE_TIMEOUT', 'seconds of silence of a request that is not streamed'],
      [
        'HERMES_LOCAL_STREAM_STALE_TIMEOUT',
        'the same for servers of your own, over `agent.local_stream_stale_timeout`; 0 means never',
      ],
      [
        'HERMES_STREAM_STALE_GIVEUP',
        'answers in a row that did not come in time, after which a provider is left alone; default 5, 0 means never',
      ],
      ['HERMES_CODEX_TTFB_TIMEOUT_SECONDS', 'seconds until Codex begins to answer; default 120, 0 sets no limit'],
      [
        'HERMES_CODEX_TTFB_DISABLE_ABOVE_TOKENS HERMES_CODEX_TTFB_STRICT HERMES_CODEX_TTFB_MAX_SECONDS',
        'from which size on a request may wait longer for that (default 10,000 tokens), that none may, and how long at most (default 120)',
      ],
      ['HERMES_CODEX_EVENT_STALE_TIMEOUT_SECONDS', 'seconds between two events of Codex'],
      ['HERMES_CODEX_HARD_TIMEOUT_SECONDS', 'seconds for a whole answer of Codex; default 1500, 0 sets no limit'],
      ['HERMES_STREAM_RETRIES', 'how often a stream that broke off is asked for again; default 3'],
      ['HERMES_DUMP_REQUESTS', 'what is sent to models is written to files in the home'],
      ['HERMES_DUMP_REQUEST_STDOUT', 'those requests are printed on standard output too'],
      [
        'HTTPS_PROXY HTTP_PROXY NO_PROXY',
        'the proxy, `ALL_PROXY` for both, and what is reached without it: names, addresses, networks, with a port or without; small letters work too',
      ],
      [
        'HERMES_CA_BUNDLE SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE',
        'files of certificate authorities to trust as well',
      ],
    ],
  },
  {
    title: 'Clouds and logins',
    variables: [
      ['AWS_REGION AWS_DEFAULT_REGION', 'the region of Bedrock; keys come from the usual AWS credential chain'],
      ['GOOGLE_CLOUD_PROJECT VERTEX_PROJECT_ID VERTEX_PROJECT', 'the project of Vertex'],
      ['GOOGLE_CLOUD_LOCATION VERTEX_REGION VERTEX_LOCATION', 'the location of Vertex'],
      ['VERTEX_CREDENTIALS_PATH GOOGLE_APPLICATION_CREDENTIALS', 'the file of a Google Cloud account'],
      ['COPILOT_GH_HOST', 'another GitHub than github.com, whose login `gh` has for Copilot'],
      ['AZURE_TENANT_ID AZURE_CLIENT_ID AZURE_CLIENT_SECRET', 'the login of an application with Microsoft Entra'],
      ['AZURE_FEDERATED_TOKEN_FILE', 'the file with the token of a workload, instead of the secret'],
      ['AZURE_AUTHORITY_HOST', 'the login service of another Azure cloud'],
      [
        'IDENTITY_ENDPOINT IDENTITY_HEADER MSI_ENDPOINT MSI_SECRET AZURE_POD_IDENTITY_AUTHORITY_HOST',
        "where a machine's own Azure identity is found",
      ],
      ['CODEX_HOME', 'where the Codex program keeps its login; default `~/.codex`'],
      ['HERMES_PORTAL_BASE_URL NOUS_PORTAL_BASE_URL', 'another portal of Nous'],
      ['HERMES_NOUS_MIN_KEY_TTL_SECONDS', 'how long a key made by that portal must still be good'],
      [
        'HERMES_CODEX_REFRESH_TIMEOUT_SECONDS HERMES_XAI_REFRESH_TIMEOUT_SECONDS HERMES_NOUS_TIMEOUT_SECONDS',
        'seconds that one request of a login may take; default 15, at most 60',
      ],
      ['HERMES_OAUTH_TRACE', 'what logins ask and are answered is shown, without values'],
      [
        'HERMES_CODEX_CLIENT_ID HERMES_XAI_CLIENT_ID HERMES_NOUS_CLIENT_ID HERMES_COPILOT_CLIENT_ID HERMES_MINIMAX_CLIENT_ID',
        'the id of another OAuth client',
      ],
    ],
  },
  {
    title: 'The terminal',
    variables: [
      ['NO_COLOR TERM', 'no colours with `NO_COLOR`; with `TERM=dumb` none either, and the chat is that of `--plain`'],
      ['COLORTERM', 'with `truecolor` or `24bit`, skins show their colours exactly'],
      ['HERMES_SPINNER_PAUSE', 'nothing turns while one waits'],
      ['HERMES_FAST_STARTUP_BANNER', 'a short welcome, without the list of tools'],
      ['HERMES_DEFER_AGENT_STARTUP', 'the prompt is there before the agent is, and what is typed waits for it'],
      ['HERMES_QUIET', 'a worktree that is made or removed is not mentioned; warnings are'],
      ['EDITOR VISUAL', 'the editor of `hermes config edit` and `/prompt`'],
      [
        'HERMES_TUI_THEME COLORFGBG',
        'the background of the terminal: `light`, `dark` or its colour as `#rrggbb`; without it `COLORFGBG`, and else the terminal is asked',
      ],
      ['XTERM_VERSION STY', 'the terminal cuts lines off when it gets narrower, rather than break them'],
      ['SSH_CONNECTION SSH_TTY SSH_CLIENT', 'the person sits elsewhere: no browser is opened here'],
      ['DISPLAY WAYLAND_DISPLAY', 'whether a browser can be opened'],
    ],
  },
];

/** Read in the program, and of no concern to anybody: how one of its processes speaks to another. */
export const insideOnly: ReadonlySet<string> = new Set(['HERMES_ONE_HEAP', 'HERMES_REEXEC', 'HERMES_SHELL_ID']);
