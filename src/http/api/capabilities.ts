/** What a client may rely on, for those that ask before they do. */
import type { ApiServerSettings } from '../../config/api-server.ts';

const can = `chat_completions chat_completions_streaming responses_api responses_streaming run_submission run_status
  run_events_sse run_stop run_approval_response tool_progress_events approval_events session_resources session_chat
  session_chat_streaming session_fork skills_api`.split(/\s+/);
const cannot = 'admin_config_rw jobs_admin memory_write_api audio_api realtime_voice'.split(' ');

const endpoints = {
  health: 'GET /health',
  health_detailed: 'GET /health/detailed',
  models: 'GET /v1/models',
  chat_completions: 'POST /v1/chat/completions',
  responses: 'POST /v1/responses',
  runs: 'POST /v1/runs',
  run_status: 'GET /v1/runs/{run_id}',
  run_events: 'GET /v1/runs/{run_id}/events',
  run_approval: 'POST /v1/runs/{run_id}/approval',
  run_stop: 'POST /v1/runs/{run_id}/stop',
  skills: 'GET /v1/skills',
  toolsets: 'GET /v1/toolsets',
  sessions: 'GET /api/sessions',
  session_create: 'POST /api/sessions',
  session: 'GET /api/sessions/{session_id}',
  session_update: 'PATCH /api/sessions/{session_id}',
  session_delete: 'DELETE /api/sessions/{session_id}',
  session_messages: 'GET /api/sessions/{session_id}/messages',
  session_fork: 'POST /api/sessions/{session_id}/fork',
  session_chat: 'POST /api/sessions/{session_id}/chat',
  session_chat_stream: 'POST /api/sessions/{session_id}/chat/stream',
};

export function capabilities({ modelName, corsOrigins }: ApiServerSettings): object {
  return {
    object: 'hermes.api_server.capabilities',
    platform: 'hermes-agent',
    model: modelName,
    auth: { type: 'bearer', required: true },
    runtime: {
      mode: 'server_agent',
      tool_execution: 'server',
      split_runtime: false,
      description: 'Each request is answered by an agent on the server, which uses its own tools there.',
    },
    features: {
      ...Object.fromEntries([...can.map((name) => [name, true]), ...cannot.map((name) => [name, false])]),
      session_continuity_header: 'X-Hermes-Session-Id',
      session_key_header: 'X-Hermes-Session-Key',
      cors: corsOrigins.length > 0,
    },
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([name, route]) => {
        const [method, path] = route.split(' ');
        return [name, { method, path }];
      }),
    ),
  };
}
