/** Makes one conversation: its agent, its environment, its row in the store. */
import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { Transcript } from '../agent/transcript.ts';
import type { ProcessNotice } from '../environments/process-registry.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { parseModelSpec, resolveRoute } from '../llm/resolve.ts';
import { newSessionId } from '../sessions/session-id.ts';
import { createStoreTranscript } from '../sessions/store-transcript.ts';
import type { ToolServices } from '../tools/services.ts';
import type { OpenSessionOptions, Session } from './runtime.ts';
import type { SessionParts } from './session-parts.ts';
import { createSessionPolicy } from './session-policy.ts';
import { sessionPrompt } from './session-prompt.ts';
import { createToolServices } from './tool-services.ts';

/** Opens a new session, or continues `options.resume` with its stored prompt, history and todo list. */
export async function openSession(
  parts: SessionParts,
  options: OpenSessionOptions,
  onClose: () => void,
): Promise<Session> {
  const { store, config } = parts;
  const { resume } = options;
  const id = resume?.id ?? newSessionId();
  const source = resume?.source ?? options.source ?? parts.surface;
  const history = resume === undefined || store === undefined ? [] : await store.getConversation(resume.id);
  if (resume !== undefined) await store?.reopenSession(resume.id);
  const services = createToolServices(parts, id);
  restoreTodos(services, history);
  const policy = createSessionPolicy(parts, services);
  const prompt = sessionPrompt(parts, services, id);
  const agent = createAgent<ToolServices>({
    sessionId: id,
    taskId: id,
    route: parts.route,
    fallbacks: fallbacksOf(parts),
    systemPrompt: async () => withExtra(resume?.system_prompt ?? (await remember(await prompt()))),
    history,
    tools: parts.tools,
    services,
    policy: policy.policy,
    transcript: transcriptOf(parts, { id, source }),
    human: options.human,
    maxSteps: parts.maxTurns ?? config.config.agent.max_turns,
    maxRetries: config.config.agent.api_max_retries,
    streamRetries: config.process.streamRetries,
    maxDelegations: config.config.delegation.max_concurrent_children,
    verifyFileMutations: config.config.display.file_mutation_verifier,
    ...(config.config.agent.reasoning_effort === '' ? {} : { reasoningEffort: config.config.agent.reasoning_effort }),
  });

  /** The prompt is stored once, so that a resumed session sends the same bytes. */
  async function remember(text: string): Promise<string> {
    await store?.createSession({ id, source, model: parts.route.model });
    await store?.setSystemPrompt(id, text);
    if (options.title !== undefined) await store?.setTitle(id, options.title);
    return text;
  }

  /** The owner's extra text may change from run to run, so it is sent but not stored. */
  function withExtra(text: string): string {
    const extra = config.process.ephemeralSystemPrompt || config.config.agent.system_prompt;
    return extra === '' ? text : `${text}\n\n${extra}`;
  }

  let closed = false;
  return {
    id,
    agent,
    todos: services.todos,
    tools: parts.tools.map(({ name, toolset, emoji }) => ({ name, toolset, emoji })),
    get yolo() {
      return policy.yolo;
    },
    set yolo(on) {
      policy.yolo = on;
    },
    get backgroundCount() {
      return services.processes.running;
    },
    takeNotices: () =>
      wantedNotices(services.processes.takeNotices(), config.config.display.background_process_notifications),
    onNotice: (listener) => services.processes.onNotice(listener),
    stopBackground: () => stopAll(services),
    switchModel: (spec) => switchModel(parts, agent, spec),
    async close(reason) {
      if (closed) return;
      closed = true;
      onClose();
      await services.processes.close();
      await services.environment.close();
      if (agent.history.length > 0) await store?.endSession(id, reason);
    },
  };
}

type NoticeMode = 'all' | 'result' | 'error' | 'off';

function wantedNotices(notices: readonly ProcessNotice[], mode: NoticeMode): string[] {
  const wanted = notices.filter((notice) => {
    if (mode === 'all' || mode === 'off') return mode === 'all';
    return notice.kind === 'completed' && (mode === 'result' || notice.exitCode !== 0);
  });
  return wanted.map((notice) => notice.text);
}

async function stopAll({ processes }: ToolServices): Promise<number> {
  const running = processes.list().filter((found) => found.status === 'running');
  await Promise.all(running.map((found) => processes.kill(found.id)));
  return running.length;
}

async function switchModel(parts: SessionParts, agent: Agent, spec: string): Promise<void> {
  const request = parseModelSpec(spec, agent.route, parts.settings);
  agent.switchRoute(await resolveRoute(request, parts.settings, parts.env));
}

function fallbacksOf({ config, settings, env }: SessionParts): (() => Promise<ModelRoute>)[] {
  return config.config.fallback_providers
    .filter((entry) => entry.provider !== '' && entry.model !== '')
    .map((entry) => async () => {
      const request = {
        provider: entry.provider,
        model: entry.model,
        ...(entry.base_url === undefined ? {} : { baseUrl: entry.base_url }),
        ...(entry.api_key === undefined ? {} : { apiKey: entry.api_key }),
        ...(entry.key_env === undefined ? {} : { keyEnv: entry.key_env }),
        ...(entry.api_mode === undefined ? {} : { apiMode: entry.api_mode }),
      };
      return await resolveRoute(request, settings, env);
    });
}

/** Without a store the conversation lives in memory only. */
function transcriptOf(parts: SessionParts, session: { id: string; source: string }): Transcript {
  if (parts.store === undefined) {
    return { append: async () => undefined, recordUsage: async () => undefined, dropLast: async () => undefined };
  }
  return createStoreTranscript(parts.store, { ...session, model: parts.route.model });
}

/** The todo list is what the last `todo` result said. */
function restoreTodos(services: ToolServices, history: readonly HistoryMessage[]): void {
  const last = history.findLast((message) => message.role === 'tool' && message.tool_name === 'todo');
  if (last !== undefined && typeof last.content === 'string') services.todos.restore(last.content);
}
