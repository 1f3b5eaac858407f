/**
 * Keys of `config.yaml` that hermes-agent 0.19.0 reads and this build does not, with the part they belong to. They are
 * kept, have no effect, and `hermes config check` says so. Whoever builds a part takes its lines out.
 */

interface MissingPart {
  /** What is missing, as people call it. */
  readonly part: string;
  /** Keys, or beginnings of keys; `*` stands for one name. */
  readonly keys: string;
}

export const missingKeys: readonly MissingPart[] = [
  {
    part: 'chat platforms',
    keys: `gateway.scale_to_zero gateway.relay_url
      gateway.relay_id gateway.relay_secret gateway.relay_endpoint gateway.relay_route_keys
      whatsapp discord slack signal mattermost email display.credits_notices
      onboarding.profile_build`,
  },
  { part: 'a gateway that does not write answers down before it sends them', keys: 'gateway.delivery_ledger' },
  { part: 'the server of the full-screen terminal', keys: 'max_live_sessions' },
  { part: 'a switch for what Codex models say between their calls', keys: 'display.show_commentary' },
  { part: 'labels of tools in plain words', keys: 'display.friendly_tool_labels' },
  { part: 'phrases of your own for turns that take long', keys: 'display.status_phrases' },
  { part: 'other schedulers', keys: 'cron.provider cron.chronos' },
  { part: 'the watch over scheduled jobs', keys: 'auxiliary.monitor' },
  {
    part: 'the dispatcher of boards of tasks',
    keys: `kanban.dispatch_in_gateway kanban.dispatch_interval_seconds kanban.dispatch_stale_timeout_seconds
      kanban.max_in_progress kanban.max_in_progress_per_profile kanban.stranded_threshold_seconds
      kanban.auto_subscribe_on_create kanban.auto_decompose kanban.auto_decompose_per_tick kanban.auto_promote_children
      kanban.default_workdir kanban.default_assignee kanban.orchestrator_profile kanban.worker_log_rotate_bytes
      kanban.worker_log_backup_count auxiliary.kanban_decomposer auxiliary.triage_specifier`,
  },
  { part: 'standing goals', keys: 'goals auxiliary.goal_judge' },
  { part: 'the dashboard', keys: 'dashboard' },
  { part: 'the desktop application', keys: 'desktop' },
  {
    part: 'the full-screen terminal',
    keys: `display.tui_auto_resume_recent display.tui_agents_nudge display.tui_status_indicator display.details_mode
      display.sections display.mouse_tracking display.copy_shortcut display.pet`,
  },
  { part: 'tips that are shown once (the terminal always says what Enter does)', keys: 'onboarding.seen' },
  { part: 'plug-ins that choose a login', keys: 'plugins.entries.*.llm.allow_profile_override' },
  { part: 'memory providers', keys: 'memory.provider honcho auxiliary.memory_query_rewrite' },
  { part: 'summaries of browser pages', keys: 'auxiliary.web_extract' },
  { part: 'messages in other languages', keys: 'display.language' },
  { part: 'the PostgreSQL store', keys: 'database' },
  {
    part: 'this setting of models',
    keys: `agent.save_trajectories
      model.openai_runtime smart_model_routing bedrock.discovery
      providers.*.discover_models providers.*.rate_limit_delay
      custom_providers.*.rate_limit_delay`,
  },
  { part: 'the app server of Codex', keys: 'compression.codex_app_server_auto' },
  { part: 'a model that helps to find skills (nothing of the original asks it either)', keys: 'auxiliary.skills_hub' },
];

/** What is missing for a key to have an effect; undefined for keys that are read, or that nobody knows. */
export function missingPartOf(key: string): string | undefined {
  const names = key.split('.');
  return missingKeys.find(({ keys }) => keys.split(/\s+/).some((known) => covers(known.split('.'), names)))?.part;
}

function covers(known: readonly string[], names: readonly string[]): boolean {
  return known.length <= names.length && known.every((name, index) => name === '*' || name === names[index]);
}
