/** Made-up data, in the form in which hooks get it, to try them with. */
import type { HookPayload, HookPoint } from '../../agent/hooks.ts';

const session = { session_id: 'test-session' };
const place = { ...session, platform: 'cli', model: 'test-model' };
const turn = { ...place, task_id: 'test-task', turn_id: 'test-turn' };
const call = {
  tool_name: 'terminal',
  args: { command: 'echo hello' },
  task_id: 'test-task',
  ...session,
  tool_call_id: 'test-call',
  turn_id: 'test-turn',
  api_request_id: '',
};
const done = {
  ...call,
  result: '{"output": "hello"}',
  duration_ms: 42,
  status: 'ok',
  error_type: null,
  error_message: null,
};
const request = {
  ...turn,
  api_request_id: 'test-turn:api:1',
  provider: 'test',
  base_url: 'https://example.com/v1',
  api_mode: 'chat_completions',
  api_call_count: 1,
  started_at: 0,
};
const approval = {
  command: 'rm -r build',
  description: 'recursive delete',
  pattern_key: 'recursive delete',
  pattern_keys: ['recursive delete'],
  session_key: 'test-session',
  surface: 'cli',
  turn_id: 'test-turn',
  tool_call_id: 'test-call',
};

const subAgent = {
  parent_session_id: 'test-session',
  parent_turn_id: null,
  child_session_id: 'test-child',
  child_role: 'leaf',
};

const boardTask = {
  task_id: 't_0123abcd',
  profile_name: 'default',
  board: 'default',
  assignee: 'coder',
  run_id: 1,
};

const payloads: Readonly<Record<HookPoint, HookPayload>> = {
  pre_tool_call: { ...call, middleware_trace: [] },
  post_tool_call: { ...done, middleware_trace: [] },
  transform_tool_result: done,
  transform_terminal_output: {
    command: 'echo hello',
    output: 'hello\n',
    returncode: 0,
    task_id: 'test-task',
    env_type: 'local',
  },
  pre_llm_call: {
    ...turn,
    user_message: 'What is here?',
    conversation_history: [],
    is_first_turn: true,
    sender_id: '',
  },
  post_llm_call: { ...turn, user_message: 'What is here?', assistant_response: 'Nothing.', conversation_history: [] },
  transform_llm_output: { response_text: 'Nothing.', ...place },
  pre_verify: { ...place, coding: true, attempt: 0, final_response: 'Done.', changed_paths: ['src/app.ts'] },
  pre_api_request: { ...request, user_message: 'What is here?', message_count: 2, tool_count: 12, max_tokens: 4096 },
  post_api_request: { ...request, api_duration: 1.2, ended_at: 1.2, finish_reason: 'stop', message_count: 2 },
  api_request_error: { ...request, api_duration: 1.2, ended_at: 1.2, status_code: 429, reason: 'rate_limit' },
  on_session_start: place,
  on_session_end: { ...turn, completed: true, interrupted: false },
  on_session_finalize: { ...session, platform: 'cli', reason: 'shutdown' },
  on_session_reset: { ...session, platform: 'cli', reason: 'new_session' },
  subagent_start: {
    ...subAgent,
    parent_subagent_id: null,
    child_subagent_id: 'sa-0-test',
    child_goal: 'Look around.',
  },
  subagent_stop: { ...subAgent, child_summary: 'Nothing is here.', child_status: 'completed', duration_ms: 1200 },
  pre_gateway_dispatch: { event: { text: 'hello' }, gateway: null, session_store: null },
  pre_approval_request: approval,
  post_approval_response: { ...approval, choice: 'once' },
  kanban_task_completed: { ...boardTask, summary: 'All cups are clean.' },
  kanban_task_blocked: { ...boardTask, reason: 'Which soap?' },
};

export function madeUpPayload(point: HookPoint): HookPayload {
  return { telemetry_schema_version: 'hermes.observer.v1', ...payloads[point] };
}
