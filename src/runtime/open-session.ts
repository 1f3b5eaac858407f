/** Makes one conversation from its spec: its agent, its environment, its row in the store. */
import type { Conversation } from '../agent/conversation.ts';
import type { Transcript } from '../agent/transcript.ts';
import type { ConversationHooks } from '../agent/turn-hooks.ts';
import { UserError } from '../lib/errors.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import { sourcesOfPrompt } from '../prompt/project-files.ts';
import { fallbackRequests } from '../providers/fallback-entries.ts';
import { MemoryTranscript } from '../sessions/memory-transcript.ts';
import { newSessionId } from '../sessions/session-id.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { StoreTranscript } from '../sessions/store-transcript.ts';
import type { NewSession, Workspace } from '../sessions/sessions.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { ToolServices } from '../tools/services.ts';
import { AskedApprovals, lostLine, lostResults } from './asked-approvals.ts';
import { buildAgent } from './build-agent.ts';
import type { Reviewer } from './learning/review.ts';
import { conversationStart, newSession, parentOf, sourceOf } from './new-session.ts';
import { SessionDelegation } from './delegation/session-delegation.ts';
import { OpenSession } from './open-session-view.ts';
import type { Program } from './program.ts';
import { workspaceAt } from './git-workspace.ts';
import { runSettings } from './run-settings.ts';
import { sessionMedia } from './session-media.ts';
import { speechAccess } from './speech-access.ts';
import { serversReady, sessionServerTools } from './session-servers.ts';
import type { Preloaded, Session } from './session.ts';
import { SessionBooks } from './session-books.ts';
import { carryState, openContextEngine } from './session-context.ts';
import { SessionEphemeral } from './session-ephemeral.ts';
import { sessionHints } from './session-hints.ts';
import { outputHook, sessionHooks } from './session-hooks.ts';
import type { SessionLearning } from './session-learning.ts';
import type { SessionParts } from './session-parts.ts';
import { SessionPictures } from './session-pictures.ts';
import { SessionVision } from './session-vision.ts';
import { SessionPolicy } from './session-policy.ts';
import { sessionPrompt } from './session-prompt.ts';
import { ToolSearch } from './tool-search.ts';
import { openSessionServices, type SessionServices } from './session-services.ts';
import { sessionDoor } from './session-door.ts';
import { SessionSideModels } from './session-side.ts';
import type { SessionSnapshot } from './session-snapshot.ts';
import type { SessionSpec } from './session-spec.ts';
import { specParts } from './spec-parts.ts';

/** Opens a new session, or continues `spec.resume` with its stored prompt, history and state. Throws `UserError`. */
export async function openSession(program: Program, spec: SessionSpec, onClose: () => void): Promise<Session> {
  const { resume, stored: { history: told } = {} } = spec;
  const { store } = program;
  const [{ parts, demo, warnings: noticed }, { history, lost }] = await Promise.all([
    specParts(program, spec),
    resume === undefined || store === undefined || told !== undefined
      ? { history: told ?? [], lost: [] }
      : storedHistory(program, store, resume.id),
  ]);
  const warnings = [...noticed, ...lost];
  const maker = await SessionMaker.begin(program, parts, spec);
  try {
    const session = await maker.finish({ history, demo, warnings, onClose });
    if (resume !== undefined) await store?.sessions.reopen(resume.id);
    return session;
  } catch (error) {
    await maker.discard();
    throw error;
  }
}

/** The conversation so far; a question that nobody could answer is told once, here to the person and there to the model. */
async function storedHistory({ log }: Program, store: SessionStore, sessionId: string) {
  const [history, lost] = await Promise.all([
    store.messages.conversation(sessionId),
    store.approvals.settleLost(sessionId).catch((error: unknown) => {
      log.named('sessions').warning('open questions were not settled', error);
      return [];
    }),
  ]);
  const results = lostResults(history, lost);
  for (const result of results) await store.messages.append(sessionId, result);
  return { history: [...history, ...results], lost: lost.map(lostLine) };
}

async function workspaceOf({ cwd, findings }: SessionParts): Promise<Workspace> {
  const find = () => workspaceAt(cwd);
  return await (findings?.workspaces.get(cwd, find) ?? find());
}

/** Puts a session together; its parts need each other, so they meet here while it is made. */
class SessionMaker {
  readonly #parts: SessionParts;
  readonly #spec: SessionSpec;
  readonly #opened: SessionServices;
  readonly #delegation: SessionDelegation;
  readonly #transcript: StoreTranscript | MemoryTranscript;
  readonly #ephemeral: SessionEphemeral;
  readonly #books: SessionBooks;
  readonly #policy: SessionPolicy;
  readonly #side: SessionSideModels;
  readonly #pictures: SessionPictures;
  readonly #prompt: (sessionId: string) => Promise<string>;
  readonly #warn: (line: string) => void;
  readonly #row: NewSession;
  /** As it was sent; empty before the first request. */
  #promptText = '';
  #beside: readonly Source[] = [];
  /** What programs of the model were given while their call still ran. */
  #within: readonly Source[] = [];
  #agent: Conversation<ToolServices> | undefined;

  static async begin(program: Program, parts: SessionParts, spec: SessionSpec): Promise<SessionMaker> {
    const { store } = parts;
    const { resume } = spec;
    const id = resume?.id ?? spec.stored?.id ?? newSessionId();
    let current = (): string => id;
    let entered = (): readonly Source[] => [];
    const delegation = new SessionDelegation({ program, parts, spec, entered: () => entered() });
    const opened = await openSessionServices(parts, {
      checkpoints: spec.mode?.checkpoints === true,
      sessionId: id,
      delegation,
      currentSession: () => current(),
      userId: resume?.user_id ?? spec.userId ?? null,
      source: sourceOf(parts, spec),
      clarifies: spec.human.clarifies,
      jobOrigin: spec.mode?.jobOrigin,
      warn: (line) => spec.notify?.({ kind: 'warning', line }),
    });
    const startedAt = resume === undefined ? undefined : await conversationStart(store, resume);
    const sources =
      resume === undefined ? (parentOf(spec)?.sources ?? []) : ((await store?.sessions.sources(resume.id)) ?? []);
    const workspace = store === undefined ? undefined : await workspaceOf(parts);
    const maker = new SessionMaker(parts, spec, { opened, delegation, id, startedAt, sources, workspace });
    current = () => maker.#transcript.sessionId;
    entered = () => maker.#entered;
    return maker;
  }

  private constructor(
    parts: SessionParts,
    spec: SessionSpec,
    begun: {
      readonly opened: SessionServices;
      readonly delegation: SessionDelegation;
      readonly id: string;
      readonly startedAt: Date | undefined;
      readonly sources: Transcript['sources'];
      readonly workspace: Workspace | undefined;
    },
  ) {
    const { opened, delegation, id, startedAt, sources, workspace } = begun;
    this.#parts = parts;
    this.#delegation = delegation;
    this.#row = newSession(id, parts, spec, workspace);
    this.#spec = spec;
    this.#opened = opened;
    this.#warn = (line) => spec.notify?.({ kind: 'warning', line });
    this.#ephemeral = new SessionEphemeral(parts, this.#warn);
    this.#prompt = sessionPrompt(parts, opened.services, {
      route: () => this.agent.route,
      onWarning: this.#warn,
      ...(startedAt === undefined ? {} : { startedAt }),
    });
    this.#books = new SessionBooks(parts, () => this.#transcript.sessionId, {
      parent: parentOf(spec)?.books,
      row: () => ({ ...this.#row, id: this.#transcript.sessionId }),
    });
    const compaction = {
      prompt: this.#prompt,
      carry: (history: readonly HistoryMessage[]) => carryState(history, opened.services),
      heard: (message: HistoryMessage) => opened.services.state.hosts.hear(message),
    };
    this.#transcript =
      parts.store === undefined
        ? new MemoryTranscript({ sessionId: id, sources, ...compaction })
        : new StoreTranscript({
            store: parts.store,
            session: this.#row,
            sources,
            booking: { cost: this.#books.cost, ...(parts.jobId === undefined ? {} : { jobId: parts.jobId }) },
            compactsInPlace: parts.config.config.compression.in_place,
            ...compaction,
          });
    const { hosts, web } = opened.services.state;
    hosts.entered = () => this.#entered;
    const worksFor = parentOf(spec)?.reach;
    if (worksFor !== undefined) {
      hosts.inherit(worksFor.hosts);
      web.found.inherit(worksFor.web.found);
    }
    const heard = outputHook(parts.hooks, () => id);
    if (heard !== undefined) opened.services.state.outputHook = heard;
    const side = new SessionSideModels({ parts, books: this.#books, route: () => this.agent.route, warn: this.#warn });
    this.#side = side;
    const vision = new SessionVision({ parts, side, route: () => this.agent.route });
    opened.services.state.vision = vision;
    const onToken = (token: string): void => opened.services.maskValues([token]);
    opened.services.state.media = sessionMedia({ ...parts, onToken });
    opened.services.state.speech = { access: speechAccess({ ...parts, onToken }, side), surface: spec.surface };
    this.#pictures = new SessionPictures(parts, vision);
    if (parts.plugins?.conversations !== undefined) {
      opened.services.state.door = sessionDoor(() => this.agent, side);
    }
    this.#policy = new SessionPolicy({
      parts,
      services: opened.services,
      yolo: spec.mode?.yolo === true,
      sources: () => this.#entered,
      warn: this.#warn,
      side: this.#side,
      ...(parts.store === undefined ? {} : { asked: askedApprovals(parts, spec, parts.store.approvals, opened) }),
    });
    opened.inline.decideBy(this.#policy);
  }

  /** Where the text came from that the model has before it, and what a look back reads while it goes on. */
  get #entered(): readonly Source[] {
    return mergeSources(this.#transcript.sources, sourcesOfPrompt(this.#promptText), this.#beside, this.#within);
  }

  #enter(sources: readonly Source[]): void {
    this.#within = mergeSources(this.#within, sources);
  }

  /** Nothing where nobody listens. */
  #hooks(): { readonly hooks?: ConversationHooks } {
    const hooks = sessionHooks(this.#parts, {
      door: this.#opened.services.state.door,
      senderId: this.#row.userId ?? '',
      taskId: this.#transcript.sessionId,
      currentSession: () => this.#transcript.sessionId,
      entered: (sources) => this.#enter(sources),
    });
    return hooks === undefined ? {} : { hooks };
  }

  get agent(): Conversation<ToolServices> {
    if (this.#agent === undefined) throw new Error('the session is not open yet');
    return this.#agent;
  }

  async finish(made: {
    readonly history: readonly HistoryMessage[];
    readonly demo: boolean;
    readonly warnings: readonly string[];
    readonly onClose: () => void;
  }): Promise<Session> {
    const { services, skills } = this.#opened;
    const verifier = this.#opened.watch ?? this.#opened.verification;
    const { prompt } = this.#parts;
    const wanted = prompt.ignoreRules === true ? [] : (prompt.preload ?? []);
    const preloaded = wanted.length === 0 ? undefined : await this.#preloadSkills(skills, wanted);
    restoreState(this.#parts, services, made.history);
    for (const message of made.history) services.state.hosts.hear(message);
    const side = this.#side;
    const learning = this.#spec.mode?.learns === true ? await this.#learning(side) : undefined;
    const contextEngine = await openContextEngine({ parts: this.#parts, side, services, warn: this.#warn });
    const snapshot = await this.#snapshot(services);
    const search = new ToolSearch({
      settings: this.#parts.config.config.tools.tool_search,
      window: () => this.agent.route.contextLength,
      found: services.state.foundTools,
      available: (tool) => tool.available(services),
    });
    const serverTools = sessionServerTools(this.#parts, services, side);
    this.#agent = buildAgent(runSettings(this.#parts.config), {
      transcript: this.#transcript,
      history: made.history,
      models: { route: this.#parts.route, fallbacks: this.#fallbacks() },
      prompt: { system: () => this.#systemPrompt(), ephemeral: () => this.#ephemeral.layers() },
      tools: {
        ready: serversReady(this.#parts, { leaveNote: (text) => this.agent.leaveNote(text), warn: this.#warn }),
        list: () => {
          // Asked at the start of each turn.
          this.#opened.checkpoints?.newTurn();
          return search.arrange(this.#parts.tools, [...serverTools(), ...(this.#spec.tools?.() ?? [])]);
        },
        policy: this.#policy,
        human: this.#spec.human,
        services,
        taskId: this.#transcript.sessionId,
        entered: (sources) => this.#enter(sources),
        ...sessionHints(this.#parts, services, this.#warn),
      },
      contextEngine,
      ...(verifier === undefined ? {} : { verifier }),
      ...this.#hooks(),
      log: this.#parts.log.named('agent'),
      spending: this.#books.spending,
      maxSteps: this.#spec.maxSteps,
      afterTurn: (messages: readonly HistoryMessage[], turn: readonly HistoryMessage[]) => {
        learning?.turnFinished(messages, turn);
        snapshot?.write(messages);
      },
    });
    learning?.start();
    const session = new OpenSession({
      parts: this.#parts,
      source: sourceOf(this.#parts, this.#spec),
      agent: this.#agent,
      transcript: this.#transcript,
      opened: this.#opened,
      delegation: this.#delegation,
      policy: this.#policy,
      books: this.#books,
      ephemeral: this.#ephemeral,
      learning,
      preloaded,
      pictures: this.#pictures,
      ...made,
    });
    this.#delegation.ready(session, services);
    return session;
  }

  /** Nobody gets the session: what it may have started ends. */
  async discard(): Promise<void> {
    const { processes, environment, state } = this.#opened.services;
    await state.browser?.close();
    await state.computer?.close();
    await processes.close();
    await environment.close();
  }

  /** The prompt is stored once, so that a resumed session sends the same bytes. */
  async #systemPrompt(): Promise<string> {
    // The prompt of a conversation that was begun here stays stored for the time when it goes on here.
    if (this.#parts.elsewhere === true) return await this.#prompt(this.#transcript.sessionId);
    const stored = this.#spec.resume?.system_prompt;
    if (typeof stored === 'string') return (this.#promptText = stored);
    const { store } = this.#parts;
    const id = this.#transcript.sessionId;
    const text = await this.#prompt(id);
    this.#promptText = text;
    await store?.sessions.create({ ...this.#row, id, systemPrompt: text });
    const title = this.#spec.stored?.title;
    if (title !== undefined) await store?.sessions.setTitle(id, title);
    return text;
  }

  /** Undefined unless snapshots are wanted. */
  async #snapshot({ redact }: ToolServices): Promise<SessionSnapshot | undefined> {
    const { config, home, log, store } = this.#parts;
    if (!config.config.sessions.write_json_snapshots || store === undefined) return undefined;
    const { SessionSnapshot } = await import('./session-snapshot.ts');
    return new SessionSnapshot({
      homePath: home.path,
      platform: sourceOf(this.#parts, this.#spec),
      startedAt: new Date(),
      sessionId: () => this.#transcript.sessionId,
      route: () => this.agent.route,
      systemPrompt: () => this.#promptText,
      tools: () => this.agent.toolbox?.schemas ?? [],
      redact,
      log: log.named('snapshots'),
    });
  }

  #fallbacks(): (() => Promise<ModelRoute>)[] {
    const { config, models } = this.#parts;
    return fallbackRequests(config.config.fallback_providers).map((request) => () => models.resolve(request));
  }

  async #preloadSkills(skills: SkillLibrary | undefined, names: readonly string[]): Promise<Preloaded> {
    const { signal } = new AbortController();
    const use = { signal, sessionId: this.#transcript.sessionId };
    const loaded = (await skills?.preload(names, use)) ?? { text: '', isOwnWords: false, missing: names };
    const { text, missing } = loaded;
    if (missing.length === 0) return loaded;
    const unknown = `Unknown skill(s): ${missing.join(', ')}`;
    if (text === '') throw new UserError(unknown, { hint: 'See what there is with: hermes skills list' });
    // What was asked for can still be answered with the others.
    this.#parts.log.named('skills').warning(unknown);
    this.#warn(`${unknown}; going on without`);
    return loaded;
  }

  async #learning(side: SessionSideModels): Promise<SessionLearning> {
    const { SessionLearning } = await import('./session-learning.ts');
    return new SessionLearning({
      parts: this.#parts,
      side,
      sessionId: () => this.#transcript.sessionId,
      hasSkills: this.#opened.skills !== undefined,
      openReviewer: () => this.#openReviewer(side),
      titled: (title, id) => this.#spec.mode?.titled?.(title, id),
      tell: (line) => this.#spec.notify?.({ kind: 'learned', line }),
      warn: this.#warn,
    });
  }

  async #openReviewer(side: SessionSideModels): Promise<Reviewer> {
    const { openReviewer } = await import('./learning/open-reviewer.ts');
    return openReviewer({
      parts: this.#parts,
      agent: () => this.agent,
      sources: () => this.#entered,
      entered: (sources) => void (this.#beside = sources),
      ephemeral: () => this.#ephemeral.layers(),
      side,
      books: this.#books,
      policy: this.#policy,
      services: await this.#opened.background(),
      tell: (line) => this.#spec.notify?.({ kind: 'learned', line }),
    });
  }
}

function askedApprovals(
  { surface }: SessionParts,
  { resume, userId }: SessionSpec,
  records: SessionStore['approvals'],
  { services: { redact } }: SessionServices,
): AskedApprovals {
  return new AskedApprovals({ records, surface, person: resume?.user_id ?? userId ?? null, redact });
}

/** Tools that keep state in a session find it again in the last result they gave. */
function restoreState(
  { tools }: Pick<SessionParts, 'tools'>,
  services: ToolServices,
  history: readonly HistoryMessage[],
): void {
  for (const tool of tools) {
    if (tool.restore === undefined) continue;
    const last = history.findLast((message) => message.role === 'tool' && message.tool_name === tool.name);
    if (last !== undefined && typeof last.content === 'string') tool.restore(last.content, services);
  }
}
