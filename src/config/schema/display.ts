/** Configuration: what the surfaces show, and how long conversations live. */
import * as z from 'zod';
import {
  bool,
  choice,
  int,
  list,
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
  textMap,
} from './fields.ts';
import { lsp } from './lsp.ts';

const PROGRESS = ['off', 'new', 'all', 'verbose'] as const;
const MEMORY_NOTICES = ['off', 'on', 'verbose'] as const;
const RESETS = ['both', 'idle', 'daily', 'per_message', 'none'] as const;
const DETAILS = ['hidden', 'collapsed', 'expanded'] as const;

const display = () =>
  section({
    interface: choice(['cli', 'tui'], 'cli', 'Which terminal interface starts'),
    tool_progress: choice(PROGRESS, 'all', 'How much tool activity is shown', { no: 'off', yes: 'all' }),
    tool_progress_command: bool(false, 'Offer /verbose in chats'),
    tool_progress_grouping: choice(['accumulate', 'separate'], 'accumulate', 'One progress message or many'),
    tool_preview_length: int(0, 'Longest argument preview; 0 means no limit'),
    skin: text('default', 'Colours and words of the terminal'),
    personality: text('', 'Manner to start with, where agent.system_prompt is empty; /personality lists them'),
    compact: bool(false, 'Small banner'),
    bell_on_complete: bool(false, 'Ring when an answer is done'),
    show_reasoning: bool(true, 'Show what the model thinks'),
    reasoning_full: bool(false, 'Without streaming: show all of what the model thinks, not ten lines'),
    streaming: bool(true, 'Show text as it arrives'),
    final_response_markdown: choice(['render', 'strip', 'raw'], 'render', 'How answers are drawn in the terminal'),
    persistent_output: bool(true, 'Draw what was said again after a change of the window'),
    persistent_output_max_lines: int(200, 'Most lines of it', { min: 1 }),
    persist_prompts: bool(true, 'Leave a line of each answered question in the conversation'),
    turn_completion_explainer: bool(true, 'Say why a turn ended without an answer'),
    cli_refresh_interval: number(1, 'Seconds between two drawings of an idle terminal; 0 means none'),
    user_message_preview: nested(
      {
        first_lines: int(2, 'From its beginning', { min: 1 }),
        last_lines: int(2, 'From its end'),
      },
      'Lines that are repeated of a long message',
    ).prefault({}),
    show_cost: bool(false, 'Show prices'),
    timestamps: bool(false, 'Show when things were said'),
    timestamp_format: text('%H:%M', 'How times are written, as for strftime'),
    resume_display: choice(['full', 'minimal'], 'full', 'What is shown of a resumed session'),
    resume_exchanges: int(10, 'Exchanges shown of it', { min: 1 }),
    resume_max_user_chars: int(300, 'Longest question shown of it', { min: 1 }),
    resume_max_assistant_chars: int(200, 'Longest answer shown of it', { min: 1 }),
    resume_max_assistant_lines: int(3, 'Most lines of an answer', { min: 1 }),
    resume_skip_tool_only: bool(true, 'Leave answers out that only called tools'),
    inline_diffs: bool(true, 'Show what an edit changed below its line'),
    busy_input_mode: choice(['interrupt', 'queue', 'steer'], 'interrupt', 'What a message during a turn does'),
    busy_text_mode: optionalChoice(
      ['interrupt', 'queue'],
      'Chats, from before busy_input_mode: queue lets messages wait that would stop the turn',
    ),
    busy_steer_ack_enabled: bool(true, 'Confirm messages that the running turn reads'),
    reasoning_style: choice(['code', 'blockquote', 'subtext'], 'code', 'How chats show what the model thinks'),
    ephemeral_system_ttl: int(0, 'Chats: seconds after which notices of the program go away; 0 means never'),
    busy_ack_enabled: bool(true, 'Confirm messages that came during a turn'),
    interim_assistant_messages: bool(true, 'Show what the model says between tool calls'),
    file_mutation_verifier: bool(true, 'Check that claimed file changes happened'),
    credits_notices: bool(true, 'Tell about used-up credit'),
    memory_notifications: choice(MEMORY_NOTICES, 'on', 'Tell when memory was written', { yes: 'on', no: 'off' }),
    background_process_notifications: choice(
      ['all', 'result', 'error', 'off'],
      'all',
      'Which news of background processes the agent hears in chats',
      {
        no: 'off',
        yes: 'all',
      },
    ),
    language: text('en', 'Language of the interface'),
    runtime_footer: nested(
      {
        enabled: bool(false, 'Show it'),
        fields: list('What it shows', ['model', 'context_pct', 'cwd']),
      },
      'Line under the final answer in chats',
    ).prefault({}),
    details_mode: choice(DETAILS, 'collapsed', 'Sections of the full-screen interface'),
    sections: mapOf(choice(DETAILS, 'collapsed', 'State'), 'State of single sections'),
    mouse_tracking: z.union([z.boolean(), z.string()]).default('all').describe('Mouse in the full-screen interface'),
    tui_status_indicator: text('kaomoji', 'Busy indicator of the full-screen interface'),
    pet: nested(
      {
        enabled: bool(false, 'Show it'),
        slug: text('', 'Which one'),
        render_mode: text('auto', 'How it is drawn'),
        scale: number(0.33, 'Size'),
        unicode_cols: int(0, 'Width in cells; 0 means automatic'),
      },
      'A small companion',
    ).prefault({}),
    platforms: mapOf(platformDisplay(), 'Settings of single chat platforms'),
    tool_progress_overrides: textMap('Deprecated: use platforms'),
  });

const onboarding = () => section({ seen: mapOf(z.unknown(), 'Hints already shown') });

const timezone = () => text('', 'IANA time zone; empty means that of the machine');
const worktree = () => bool(false, 'Start every session in a git worktree of its own');
const worktree_sync = () => bool(true, 'Start worktrees from the newest remote state');

const clarify = () => section({ timeout: int(120, 'Seconds a question of the agent waits') });

const max_concurrent_sessions = () => optionalInt('Most chats that are answered at the same time; 0 sets no limit');

const sessions = () =>
  section({
    auto_prune: bool(false, 'Delete old sessions'),
    retention_days: int(90, 'Age at which a session is old'),
    vacuum_after_prune: bool(true, 'Give the space back'),
    min_interval_hours: int(24, 'Hours between two prunings'),
    write_json_snapshots: bool(false, 'Write each conversation to sessions/session_<id>.json as well'),
  });

const session_reset = () =>
  section({
    ...resetRule(),
    notify: bool(true, 'Tell the chat'),
    notify_exclude_platforms: optionalList('Platforms that are not told'),
  });

const reset_by_platform = () => mapOf(z.object(resetRule()), 'session_reset of single platforms');
const reset_by_type = () => mapOf(z.object(resetRule()), 'session_reset of single kinds of chat');

const group_sessions_per_user = () => bool(true, 'One conversation per member of a group');
const thread_sessions_per_user = () => bool(false, 'One conversation per member of a thread');

const paste_collapse_threshold = () => int(5, 'Line breaks from which a paste is shown as one line; 0 means never');
const paste_collapse_threshold_fallback = () =>
  int(5, 'The same on terminals that do not mark what is pasted; 0 means never');
const paste_collapse_char_threshold = () => int(2000, 'Characters from which it is; 0 means never');

const quick_commands = () =>
  mapOf(
    z.looseObject({
      type: choice(['exec', 'alias'], 'exec', 'Run a command or stand for another one'),
      command: optionalText('Command line of exec'),
      target: optionalText('Command an alias stands for'),
      description: optionalText('Help text'),
    }),
    'Slash commands of your own',
  );

const updates = () =>
  section({
    pre_update_backup: choice(['off', 'quick', 'full'], 'quick', 'Back up before an update', {
      no: 'off',
      yes: 'full',
    }),
    backup_keep: int(5, 'Backups kept'),
    non_interactive_local_changes: choice(
      ['', 'stash', 'discard'],
      '',
      'What `hermes update --yes` does with changes in the checkout: put aside and bring back, or throw away; empty stops',
    ),
    refresh_cua_driver: bool(
      true,
      'Bring the program that operates the desktop up to date as well, where it is installed',
    ),
  });

const checkpoints = () =>
  section({
    enabled: bool(false, 'Snapshot files before they are changed'),
    max_snapshots: int(20, 'Snapshots kept'),
    max_total_size_mb: int(500, 'Size of the store'),
    max_file_size_mb: int(10, 'Largest file in a snapshot'),
    auto_prune: bool(true, 'Delete old snapshots'),
    retention_days: int(7, 'Age at which a snapshot is old'),
    delete_orphans: bool(true, 'Delete snapshots of vanished directories'),
    min_interval_hours: int(24, 'Hours between two prunings'),
  });

/** Top-level keys of this file. */
export const displaySections = {
  display,
  onboarding,
  timezone,
  worktree,
  worktree_sync,
  clarify,
  max_concurrent_sessions,
  sessions,
  session_reset,
  reset_by_platform,
  reset_by_type,
  group_sessions_per_user,
  thread_sessions_per_user,
  paste_collapse_threshold,
  paste_collapse_threshold_fallback,
  paste_collapse_char_threshold,
  quick_commands,
  updates,
  checkpoints,
  lsp,
};

function platformDisplay() {
  return z.looseObject({
    tool_progress: optionalChoice(PROGRESS, 'How much tool activity is shown', { no: 'off', yes: 'all' }),
    tool_progress_grouping: optionalChoice(['accumulate', 'separate'], 'One progress message or many'),
    tool_preview_length: optionalInt('Longest argument preview'),
    streaming: optionalBool('Show text as it arrives'),
    interim_assistant_messages: optionalBool('Show what the model says between tool calls'),
    show_reasoning: optionalBool('Show what the model thinks'),
    busy_ack_detail: optionalBool('Say what is going on when a message comes during a turn'),
    cleanup_progress: optionalBool('Delete progress messages after success'),
    long_running_notifications: optionalBool('Say that a long turn still works'),
    memory_notifications: optionalChoice(MEMORY_NOTICES, 'Tell when memory was written', { yes: 'on', no: 'off' }),
    notifications: z.unknown().optional().describe('Notification settings of the platform'),
    runtime_footer: nested(
      { enabled: optionalBool('Show it'), fields: optionalList('What it shows') },
      'Line under the final answer',
    ).optional(),
  });
}

/** With the words of an older vocabulary. */
function resetMode(value: unknown): unknown {
  if (value === 'never' || value === false) return 'none';
  return value === 'per_conversation' ? 'both' : value;
}

function resetRule() {
  return {
    mode: z.preprocess(resetMode, z.enum(RESETS)).default('none').describe('When a chat starts afresh'),
    idle_minutes: int(1440, 'Idle time'),
    at_hour: int(4, 'Hour of the day', { least: 0, most: 23 }),
  };
}
