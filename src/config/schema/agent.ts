/** Configuration: the agent loop, its tools, its context and its children. */
import * as z from 'zod';
import { parseBoolean } from '../env-values.ts';
import { effortField } from '../reasoning-effort.ts';
import { anyMap, bool, choice, int, list, listOf, mapOf, nested, number, section, text, textMap } from './fields.ts';

const agent = () =>
  section({
    max_turns: int(90, 'Most model requests in one turn', { min: 1 }),
    api_max_retries: int(3, 'Retries before the fallback'),
    reasoning_effort: effortField('How hard the model thinks; empty means medium'),
    reasoning_overrides: textMap('Model name: how hard it thinks, over reasoning_effort'),
    local_stream_stale_timeout: number(
      900,
      'Seconds without an event after which a stream of a server of your own is given up; 0 means never',
    ),
    service_tier: choice(['', 'normal', 'fast'], '', 'Ask for the faster, dearer tier where there is one'),
    image_input_mode: choice(
      ['auto', 'native', 'text'],
      'auto',
      'Pictures are shown to the model itself (native), described to it by auxiliary.vision (text), or what fits (auto)',
    ),
    max_verify_nudges: int(3, 'How often the hook pre_verify may keep one turn going', { min: 0 }),
    environment_probe: bool(true, 'Tell the model what is unusual about the Python of this machine'),
    environment_hint: text('', 'What the prompt says of this machine besides'),
    tool_use_enforcement: z
      .union([z.boolean(), z.string(), z.array(z.string())])
      .default('auto')
      .describe('Remind the model to use tools: auto, true, false or a list of model names'),
    intent_ack_continuation: z
      .union([z.boolean(), z.string(), z.array(z.string())])
      .default('auto')
      .describe(
        'Tell a model that only says what it will do to do it: auto (Codex), true, false or a list of model names',
      ),
    task_completion_guidance: bool(true, 'Tell the model to finish the job with real output'),
    parallel_tool_call_guidance: bool(true, 'Tell the model to make independent calls together'),
    coding_context: choice(
      ['auto', 'focus', 'strict', 'lean', 'on', 'always', 'off', 'never'],
      'auto',
      'Tell the model how to work with code, and of the workspace; focus also leaves other tools out',
      { yes: 'on', no: 'off', asText: true },
    ),
    coding_instructions: z
      .union([z.string(), z.array(z.string())])
      .default('')
      .describe('What you want to be kept to in code, as text or a list'),
    verify_on_stop: z
      .preprocess(readSwitch, z.union([z.literal('auto'), z.boolean()]))
      .default('auto')
      .describe('Ask for a check of changed code before a turn ends: auto (not on messaging platforms), true or false'),
    verify_guidance: bool(true, 'That question also says how to keep code small and in style'),
    disabled_toolsets: list('Toolsets removed everywhere'),
    system_prompt: text('', 'Extra system prompt'),
    prompt_profile: choice(
      ['default', 'lean'],
      'default',
      'How much the system prompt says: lean leaves out optional guidance',
    ),
    personalities: personalityMap(),
    verbose: bool(false, 'Debug output'),
    save_trajectories: bool(false, 'Write finished conversations as training data'),
    clarify_timeout: int(3600, 'Seconds a chat waits for the answer to a question'),
    gateway_timeout: int(1800, 'Chats: seconds without a sign of life after which a turn ends; 0 means never'),
    gateway_timeout_warning: int(
      900,
      'Chats: seconds without a sign of life after which the chat is told; 0 means never',
    ),
    gateway_notify_interval: int(180, 'Chats: seconds between two notes that a long turn goes on; 0 means none'),
    gateway_auto_continue_freshness: int(
      3600,
      'Chats: seconds for which a turn that a restart cut off is gone on with',
    ),
    restart_drain_timeout: int(30, 'Chats: seconds that running turns have to end when the gateway stops'),
  });

const toolsets = () => list('Deprecated: use platform_toolsets', ['hermes-cli']);

const platform_toolsets = () => mapOf(list('Toolsets'), 'Toolsets per platform');

const custom_toolsets = () =>
  mapOf(
    z.preprocess(
      (value) => (Array.isArray(value) ? { tools: value } : value),
      z.looseObject({
        description: text('', 'What it is for'),
        tools: list('Tools'),
        includes: list('Other toolsets'),
      }),
    ),
    'Toolsets of your own',
  );

const personalities = () => personalityMap();

const platform_hints = () => anyMap('Words about a platform in the prompt: {append} or {replace}');
const prefill_messages_file = () => text('', 'JSON list of messages put before every conversation');
const context_file_max_chars = () =>
  int(0, 'Most characters of a project file in the prompt; 0: 6 % of the window, 20,000 at least');
const file_read_max_chars = () => int(100_000, 'Most characters of one file read');

const tool_output = () =>
  section({
    max_bytes: int(50_000, 'Most characters of a tool result'),
    max_lines: int(2000, 'Most lines of a tool result'),
    max_line_length: int(2000, 'Longest line of a tool result'),
  });

const tool_loop_guardrails = () =>
  section({
    warnings_enabled: bool(true, 'Tell the model that it repeats itself'),
    hard_stop_enabled: bool(true, 'End a turn that repeats itself'),
    warn_after: loopLimits([2, 3, 2], 'When the model is told'),
    hard_stop_after: loopLimits([3, 8, 5], 'When the turn ends'),
  });

const tools = () =>
  section({
    tool_search: z
      .preprocess(
        // `true` alone leaves it to the size of the tools.
        (value) => (typeof value === 'boolean' ? { enabled: value ? 'auto' : 'off' } : value),
        nested(
          {
            enabled: choice(['auto', 'on', 'off'], 'auto', 'Offer tools through a search', { yes: 'on', no: 'off' }),
            threshold_pct: number(10, 'Share of the context above which auto turns on, in percent', {
              least: 0,
              most: 100,
            }),
            search_default_limit: int(5, 'Results of a search', { least: 1, most: 50 }),
            max_search_limit: int(20, 'Most results of a search', { least: 1, most: 50 }),
          },
          'Searching for tools instead of listing all',
        ),
      )
      .prefault({}),
  });

function loopLimits([exact, tool, same]: readonly [number, number, number], text: string) {
  return nested(
    {
      exact_failure: int(exact, 'Failures of the same call', { min: 1 }),
      same_tool_failure: int(tool, 'Failures of the same tool', { min: 1 }),
      idempotent_no_progress: int(same, 'Same call with the same result', { min: 1 }),
    },
    text,
  ).prefault({});
}

/** A cap that is 0 is none. */
const limits = () =>
  section({
    turn_tokens: int(0, 'Most tokens of one turn; 0 means no limit'),
    turn_usd: number(0, 'Most US dollars of one turn; 0 means no limit'),
    session_tokens: int(0, 'Most tokens of one session; 0 means no limit'),
    session_usd: number(0, 'Most US dollars of one session; 0 means no limit'),
    job_tokens: int(0, 'Most tokens of one cron job; 0 means no limit'),
    job_usd: number(0, 'Most US dollars of one cron job; 0 means no limit'),
    day_tokens: int(0, 'Most tokens of one day; 0 means no limit'),
    day_usd: number(0, 'Most US dollars of one day; 0 means no limit'),
    unknown_price: choice(
      ['stop', 'allow'],
      'stop',
      'Requests without a known price under a limit in dollars: stopped, or not counted',
    ),
  });

const goals = () => section({ max_turns: int(20, 'Turns a standing goal may take') });

const context = () => section({ engine: text('compressor', 'Context engine') });

const compression = () =>
  section({
    enabled: bool(true, 'Summarise long histories'),
    threshold: number(0.5, 'Share of the context at which a history is shortened', { min: 0.05, max: 1 }),
    target_ratio: number(0.2, 'Share of the threshold kept verbatim', { min: 0.1, max: 0.8 }),
    in_place: bool(true, 'A shortened conversation keeps its session; false: it goes on in a new one'),
    protect_last_n: int(20, 'Newest messages that are always kept'),
    protect_first_n: int(3, 'Oldest messages that are always kept'),
    hygiene_hard_message_limit: int(5000, 'Messages at which a chat is shortened in any case'),
    abort_on_summary_failure: bool(false, 'Leave a chat as long as it is when no summary of it can be made'),
    codex_gpt55_autoraise: bool(true, 'Raise the threshold for gpt-5.4, 5.5 and 5.6 on Codex'),
    codex_gpt55_autoraise_notice: bool(true, 'Tell that the threshold was raised'),
  });

const delegation = () =>
  section({
    model: text('', 'Model of sub-agents; empty means that of the conversation'),
    provider: text('', 'Provider of sub-agents'),
    base_url: text('', 'Endpoint of sub-agents'),
    api_key: text('', 'Key of sub-agents'),
    api_mode: text('', 'Wire protocol of sub-agents'),
    reasoning_effort: effortField('How hard sub-agents think; empty means as the conversation'),
    max_iterations: int(50, 'Most model requests of a sub-agent', { min: 1 }),
    max_concurrent_children: int(3, 'Tasks of one call, and calls in the background at a time', { min: 1 }),
    max_spawn_depth: int(1, 'How deep sub-agents may have sub-agents; 1: not at all', { min: 1 }),
    orchestrator_enabled: bool(true, 'Allow the orchestrator role'),
    inherit_mcp_toolsets: bool(true, 'Sub-agents have the tools of MCP servers too'),
    subagent_auto_approve: bool(false, 'Do not ask about what sub-agents do (as yolo does)'),
    child_timeout_seconds: number(0, 'Seconds a sub-agent may take, at least 30; 0 means no limit'),
    max_summary_chars: int(24000, 'Characters of a summary that the conversation gets; 0 means no limit', { min: 0 }),
  });

const code_execution = () =>
  section({
    mode: choice(['project', 'strict'], 'project', 'Where code runs'),
    timeout: int(300, 'Seconds a script may take', { min: 1 }),
    max_tool_calls: int(50, 'Tool calls a script may make'),
  });

const hooks = () =>
  mapOf(
    listOf(
      z.looseObject({
        matcher: text('', 'Pattern of tool names'),
        command: text('', 'Command line'),
        timeout: number(60, 'Seconds', { max: 300 }),
      }),
      'Commands',
    ),
    'Shell hooks per event',
  );

const hooks_auto_accept = () => bool(false, 'Run unseen hooks without asking');

/** Top-level keys of this file. */
export const agentSections = {
  agent,
  toolsets,
  platform_toolsets,
  custom_toolsets,
  personalities,
  platform_hints,
  prefill_messages_file,
  context_file_max_chars,
  file_read_max_chars,
  tool_output,
  tool_loop_guardrails,
  tools,
  limits,
  goals,
  context,
  compression,
  delegation,
  code_execution,
  hooks,
  hooks_auto_accept,
};

function personalityMap() {
  return mapOf(z.union([z.string(), z.record(z.string(), z.unknown())]), 'Personalities for /personality');
}

/** The words for true and false, beside `auto`. */
function readSwitch(value: unknown): unknown {
  return typeof value === 'string' ? (parseBoolean(value) ?? value) : value;
}
