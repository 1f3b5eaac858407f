/** Makes one conversation: its agent, its environment, its row in the store. */
import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { Spending } from '../agent/spending.ts';
import type { Transcript } from '../agent/transcript.ts';
import type { ProcessNotice } from '../environments/process-registry.ts';
import { UserError } from '../lib/errors.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { fallbackRequests } from '../providers/fallback-entries.ts';
import { ConfiguredSideModels } from '../providers/side-models.ts';
import type { SideModels } from '../llm/side-task.ts';
import { personalities } from '../prompt/personalities.ts';
import { newSessionId } from '../sessions/session-id.ts';
import type { SessionRow, SessionStore } from '../sessions/session-store.ts';
import { createStoreTranscript, usageDelta } from '../sessions/store-transcript.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { ToolServices } from '../tools/services.ts';
import { outsideSources } from './learning/outside-text.ts';
import type { OpenSessionOptions, Session } from './runtime.ts';
import type { SessionParts } from './session-parts.ts';
import { compactionHooks, openContextEngine } from './session-context.ts';
import { sessionEphemeral } from './session-ephemeral.ts';
import { sessionHints } from './session-hints.ts';
import { createSessionLearning } from './session-learning.ts';
import { createSessionPolicy } from './session-policy.ts';
import { sessionPrompt } from './session-prompt.ts';
import { expandMessage } from './session-references.ts';
import { openSessionServices } from './session-services.ts';
import { sideTasks } from './side-tasks.ts';
import { createPricing, createSpending } from './spending.ts';
import { switchModel } from './switch-model.ts';

/** Opens a new session, or continues `options.resume` with its stored prompt, history and todo list. */
export async function openSession(
  parts: SessionParts,
  options: OpenSessionOptions,
  onClose: () => void,
): Promise<Session> {
  const { store, config } = parts;
  const { resume } = options;
  let id = resume?.id ?? newSessionId();
  const source = resume?.source ?? options.source ?? parts.surface;
  const history = resume === undefined || store === undefined ? [] : await store.getConversation(resume.id);
  if (resume !== undefined) await store?.reopenSession(resume.id);
  const underWay: HistoryMessage[] = [];
  const outside = (): string[] => outsideSources([...agent.history, ...underWay]);
  const opened = await openSessionServices(parts, {
    sessionId: id,
    outside,
    currentSession: () => id,
    userId: resume?.user_id ?? null,
    source,
    onWarning: options.onWarning,
  });
  const { services } = opened;
  let preloaded = parts.ignoreRules ? '' : await preloadSkills(opened.skills, options.preload ?? [], id);
  restoreTodos(services, history);
  const policy = createSessionPolicy(parts, services, outside);
  const { onWarning } = options;
  const ephemeral = sessionEphemeral(parts, onWarning);
  const startedAt = resume === undefined ? undefined : await conversationStart(store, resume);
  const prompt = sessionPrompt(parts, services, {
    route: () => agent.route,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  const price = createPricing(parts.models);
  const spending = createSpending({
    limits: config.config.limits,
    store,
    sessionId: () => id,
    price,
    now: () => new Date(),
  });
  const warn = (line: string): void => onWarning?.(line);
  const side = sideModels(parts, { agent: () => agent, spending, price, sessionId: () => id, warn });
  const learning = createSessionLearning({
    parts,
    side,
    opened,
    policy: policy.policy,
    sessionId: () => id,
    systemPrompt: async () => (await store?.getSession(id))?.system_prompt ?? (await prompt(id)),
    tell: (line) => options.onLearned?.(line),
    warn,
  });
  const context = {
    parts,
    side,
    services,
    sessionId: () => id,
    moveTo: (next: string) => {
      id = next;
    },
    freshPrompt: prompt,
    flush: (messages: readonly HistoryMessage[], signal: AbortSignal) => learning.flush(messages, signal),
    warn,
  };
  const agent: Agent = createAgent<ToolServices>({
    sessionId: id,
    taskId: id,
    route: parts.route,
    fallbacks: fallbacksOf(parts),
    systemPrompt: async () => resume?.system_prompt ?? (await remember(await prompt(id))),
    ephemeral: () => ephemeral.layers(),
    ...sessionHints(parts, services, onWarning),
    history,
    tools: parts.tools,
    services,
    policy: policy.policy,
    transcript: transcriptOf(parts, () => id, source, price, underWay),
    contextEngine: await openContextEngine(context),
    compaction: compactionHooks(context),
    ...(options.learns === true
      ? {
          afterTurn: (messages: readonly HistoryMessage[], turn: readonly HistoryMessage[]) =>
            learning.turnFinished(messages, turn),
        }
      : {}),
    spending,
    cacheTtl: config.config.prompt_caching.cache_ttl,
    human: options.human,
    maxSteps: parts.maxTurns ?? config.config.agent.max_turns,
    maxRetries: config.config.agent.api_max_retries,
    streamRetries: config.process.streamRetries,
    maxDelegations: config.config.delegation.max_concurrent_children,
    verifyFileMutations: config.config.display.file_mutation_verifier,
    reasoningEffort: config.config.agent.reasoning_effort || 'medium',
  });

  if (options.learns === true) learning.start();

  /** The prompt is stored once, so that a resumed session sends the same bytes. */
  async function remember(text: string): Promise<string> {
    await store?.createSession({ id, source, model: parts.route.model });
    await store?.setSystemPrompt(id, text);
    if (options.title !== undefined) await store?.setTitle(id, options.title);
    return text;
  }

  let closed = false;
  return {
    get id() {
      return id;
    },
    agent,
    todos: services.todos,
    memory: opened.memory,
    skills: opened.skills,
    tools: parts.tools.map(({ name, toolset, emoji }) => ({ name, toolset, emoji })),
    get yolo() {
      return policy.yolo;
    },
    set yolo(on) {
      policy.yolo = on;
    },
    get extraPrompt() {
      return ephemeral.text;
    },
    set extraPrompt(text) {
      ephemeral.text = text;
    },
    get personalities() {
      return personalities(config.config.agent.personalities);
    },
    expand: (message, signal) => expandMessage(message, parts, services, agent.route, signal),
    takePreloaded() {
      const text = preloaded;
      preloaded = '';
      return text;
    },
    get backgroundCount() {
      return services.processes.running;
    },
    takeNotices: () =>
      wantedNotices(services.processes.takeNotices(), config.config.display.background_process_notifications),
    onNotice: (listener) => services.processes.onNotice(listener),
    stopBackground: () => stopAll(services),
    switchModel: (spec, provider) => switchModel(parts, agent, spec, provider),
    async defaultModelChanges() {
      const { defaultModelChanges } = await import('./default-model.ts');
      return await defaultModelChanges(parts, agent.route, parts.models.settings);
    },
    async contextParts() {
      const { contextParts } = await import('./context-parts.ts');
      const sent = (await store?.getSession(id))?.system_prompt;
      return await contextParts(parts, services, id, {
        added: ephemeral.text.trim(),
        request: { route: () => agent.route },
        ...(typeof sent === 'string' ? { sent } : {}),
      });
    },
    spent: async () => await store?.spent({ sessionId: id }),
    row: async () => await store?.getSession(id),
    async close(reason) {
      if (closed) return;
      closed = true;
      onClose();
      if (options.learns === true) await learning.close(agent.history);
      await services.processes.close();
      await services.environment.close();
      if (agent.history.length > 0) await store?.endSession(id, reason);
    },
  };
}

/** A session that came of a compaction goes on with the conversation of the first of its lineage. */
async function conversationStart(store: SessionStore | undefined, session: SessionRow): Promise<Date> {
  const [first] = (await store?.lineage(session.id)) ?? [];
  const row = first === undefined ? undefined : await store?.getSession(first);
  return new Date((row ?? session).started_at * 1000);
}

async function preloadSkills(
  skills: SkillLibrary | undefined,
  names: readonly string[],
  sessionId: string,
): Promise<string> {
  if (names.length === 0) return '';
  const { signal } = new AbortController();
  const { text, missing } = (await skills?.preload(names, { signal, sessionId })) ?? { text: '', missing: names };
  if (missing.length === 0) return text;
  throw new UserError(`Unknown skill(s): ${missing.join(', ')}`, {
    hint: 'See what there is with: hermes skills list',
  });
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

function fallbacksOf({ config, models }: SessionParts): (() => Promise<ModelRoute>)[] {
  return fallbackRequests(config.config.fallback_providers).map((request) => () => models.resolve(request));
}

interface SideParts {
  readonly agent: () => Agent;
  readonly spending: Spending;
  readonly price: ReturnType<typeof createPricing>;
  readonly sessionId: () => string;
  readonly warn: (line: string) => void;
}

/** Questions beside the conversation count in the caps and the books like its own. */
function sideModels(parts: SessionParts, { agent, spending, price, sessionId, warn }: SideParts): SideModels {
  const { config, models, store } = parts;
  return new ConfiguredSideModels({
    tasks: () => sideTasks(config.config.auxiliary),
    sources: models.sources,
    main: () => agent().route,
    fallbacks: config.config.fallback_providers,
    resolve: (request, signal) => models.resolve(request, signal),
    warn,
    refusal: () => spending.refusal(),
    onUsage: async (task, usage, on) => {
      await spending.record(usage, on);
      await store?.addUsage(sessionId(), { ...usageDelta(usage, on), ...(await price(usage, on)), task });
    },
  });
}

/**
 * Without a store the conversation lives in memory only. After a compaction another session is written to. `underWay`
 * gets the messages of the turn that runs.
 */
function transcriptOf(
  parts: SessionParts,
  sessionId: () => string,
  source: string,
  cost: ReturnType<typeof createPricing>,
  underWay: HistoryMessage[],
): Transcript {
  const { store, route } = parts;
  const note = (message: HistoryMessage): void => {
    if (message.role === 'user') underWay.length = 0;
    underWay.push(message);
  };
  if (store === undefined) {
    return {
      append: async (message) => note(message),
      recordUsage: async () => undefined,
      dropLast: async () => undefined,
    };
  }
  const transcripts = new Map<string, Transcript>();
  const current = (): Transcript => {
    const id = sessionId();
    const known = transcripts.get(id) ?? createStoreTranscript(store, { id, source, model: route.model }, { cost });
    transcripts.clear();
    transcripts.set(id, known);
    return known;
  };
  return {
    async append(message) {
      note(message);
      await current().append(message);
    },
    recordUsage: (usage, used) => current().recordUsage(usage, used),
    dropLast: () => current().dropLast(),
  };
}

/** The todo list is what the last `todo` result said. */
function restoreTodos(services: ToolServices, history: readonly HistoryMessage[]): void {
  const last = history.findLast((message) => message.role === 'tool' && message.tool_name === 'todo');
  if (last !== undefined && typeof last.content === 'string') services.todos.restore(last.content);
}
