/** An open session as the surfaces see it. */
import type { TurnInput } from '../agent/agent.ts';
import type { Conversation } from '../agent/conversation.ts';
import type { Change } from '../config/edit.ts';
import type { ProcessNotice } from '../environments/process-notices.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { Source } from '../llm/source.ts';
import { personalities } from '../prompt/personalities.ts';
import type { MemoryTranscript } from '../sessions/memory-transcript.ts';
import type { SessionRow } from '../sessions/sessions.ts';
import { StoreTranscript } from '../sessions/store-transcript.ts';
import type { CallTotals } from '../sessions/usage-log.ts';
import type { ToolServices } from '../tools/services.ts';
import type { BackgroundWork, Preloaded, Session, SessionKnowledge, SessionModel, SessionPrompt } from './session.ts';
import type { SessionBooks } from './session-books.ts';
import { total } from './spending.ts';
import type { SubAgents } from './delegation/sub-agents.ts';
import type { SessionEphemeral } from './session-ephemeral.ts';
import type { SessionLearning } from './session-learning.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionPolicy } from './session-policy.ts';
import type { SessionPictures } from './session-pictures.ts';
import { expandMessage, referableFiles } from './session-references.ts';
import { sessionServers } from './session-servers.ts';
import type { SessionServices } from './session-services.ts';

export interface OpenSessionParts {
  readonly parts: SessionParts;
  readonly source: string;
  readonly agent: Conversation<ToolServices>;
  readonly transcript: StoreTranscript | MemoryTranscript;
  readonly opened: SessionServices;
  readonly delegation: SubAgents & { close(): Promise<void> };
  readonly policy: SessionPolicy;
  readonly books: SessionBooks;
  readonly ephemeral: SessionEphemeral;
  readonly learning: SessionLearning | undefined;
  readonly preloaded: Preloaded | undefined;
  readonly pictures: SessionPictures;
  readonly demo: boolean;
  readonly warnings: readonly string[];
  readonly onClose: () => void;
}

/** Who leaves does not wait longer for what listens. */
const lastWordsMs = 3000;

export class OpenSession implements Session {
  readonly source: string;
  readonly agent: Conversation<ToolServices>;
  readonly demo: boolean;
  readonly warnings: readonly string[];
  readonly knowledge: SessionKnowledge;
  readonly background: BackgroundWork;
  readonly model: SessionModel;
  readonly prompt: SessionPrompt;
  readonly #made: OpenSessionParts;
  #closed: Promise<void> | undefined;

  constructor(made: OpenSessionParts) {
    const { parts, agent, opened } = made;
    this.#made = made;
    this.source = made.source;
    this.agent = agent;
    this.demo = made.demo;
    this.warnings = made.warnings;
    const { todos, hosts, browser } = opened.services.state;
    this.knowledge = {
      todos,
      memory: opened.memory,
      skills: opened.skills,
      jobs: opened.services.knowledge.jobs,
      hosts,
      servers: sessionServers(parts, agent),
      ...(opened.services.state.door === undefined ? {} : { door: opened.services.state.door }),
      async plugins() {
        const { pluginReports } = await import('./plugin-reports.ts');
        return await pluginReports(parts);
      },
      browser,
    };
    this.background = backgroundOf(parts, opened.services, made.delegation);
    this.model = {
      get compressesAt() {
        return agent.compressesAt;
      },
      get keepsSwitches() {
        return parts.config.config.model.persist_switch_by_default;
      },
      async mixtures() {
        const { mixturesOf } = await import('../models/mixture/mixture-settings.ts');
        return mixturesOf(parts.config.config.moa);
      },
      async switch(...asked): Promise<readonly string[]> {
        const { switchModel } = await import('./switch-model.ts');
        return await switchModel(parts, agent, ...asked);
      },
      async renew() {
        const { renewRoute } = await import('./switch-model.ts');
        await renewRoute(parts, agent);
      },
      refresh: (signal) => parts.models.refreshNow(signal),
      async known() {
        const { knownModels } = await import('./offered-models.ts');
        return await knownModels(parts.models, agent.route, Object.keys(parts.config.config.moa.presets));
      },
      async listed(add, signal) {
        const { listedModels } = await import('./offered-models.ts');
        await listedModels(parts.models, agent.route, add, signal);
      },
      async limits(signal) {
        const { askLimits } = await import('../providers/account-limits/ask-limits.ts');
        return await askLimits(agent.route, { fetch: fetchOver(parts.models.sources.variables.network), signal });
      },
      async defaultChanges(): Promise<readonly Change[]> {
        const { defaultModelChanges } = await import('./default-model.ts');
        return await defaultModelChanges(parts, agent.route, parts.models.settings);
      },
    };
    this.prompt = new PromptOf(made);
  }

  get id(): string {
    return this.#made.transcript.sessionId;
  }

  get tools(): Session['tools'] {
    const { toolbox } = this.agent;
    const { parts, opened } = this.#made;
    const tools =
      toolbox === undefined
        ? parts.tools.filter((tool) => tool.available(opened.services))
        : [...toolbox.tools, ...toolbox.hidden];
    return tools.map(({ name, toolset, emoji, traits }) => ({
      name,
      toolset,
      emoji,
      onlyLooks: traits.idempotent === true,
    }));
  }

  /** What has entered the conversation. */
  get sources(): readonly Source[] {
    return this.#made.transcript.sources;
  }

  /** Whom it may talk to, and which addresses it was given. */
  get reach(): Pick<ToolServices['state'], 'hosts' | 'web'> {
    return this.#made.opened.services.state;
  }

  get books(): SessionBooks {
    return this.#made.books;
  }

  get yolo(): boolean {
    return this.#made.policy.yolo;
  }

  set yolo(on: boolean) {
    this.#made.policy.yolo = on;
  }

  get fence(): number | undefined {
    const { transcript } = this.#made;
    return transcript instanceof StoreTranscript ? transcript.fence : undefined;
  }

  set fence(fence: number | undefined) {
    const { transcript } = this.#made;
    if (transcript instanceof StoreTranscript) transcript.fence = fence;
  }

  async row(): Promise<SessionRow | undefined> {
    return await this.#made.parts.store?.sessions.get(this.id);
  }

  async spent(): Promise<CallTotals | undefined> {
    const own = await this.#made.parts.store?.usage.spent({ sessionId: this.id });
    return own === undefined ? undefined : total(own, this.books.spending.ofChildren);
  }

  async close(reason: string | undefined): Promise<void> {
    this.#closed ??= this.#close(reason);
    await this.#closed;
  }

  async #close(reason: string | undefined): Promise<void> {
    const { parts, opened, delegation, learning, policy, onClose } = this.#made;
    const { hooks, surface } = parts;
    onClose();
    await delegation.close();
    // Chats end when their gateway says so, not when what is held for them is given back.
    if (reason !== undefined && surface === 'cli') {
      const session_id = this.agent.history.length === 0 ? null : this.id;
      const why = reason === 'cli_close' ? 'shutdown' : 'session_boundary';
      const payload = () => ({ session_id, platform: surface, reason: why });
      await hooks.call('on_session_finalize', payload, AbortSignal.timeout(lastWordsMs));
    }
    await learning?.close();
    await opened.diagnostics?.close();
    await opened.services.state.browser?.close();
    await opened.services.state.computer?.close();
    await opened.services.processes.close();
    await opened.services.environment.close();
    await policy.settled();
    await opened.watch?.close();
    await opened.verification?.close();
    if (reason !== undefined && this.agent.history.length > 0) await parts.store?.sessions.end(this.id, reason);
  }
}

class PromptOf implements SessionPrompt {
  readonly #made: OpenSessionParts;
  #preloaded: Preloaded | undefined;

  constructor(made: OpenSessionParts) {
    this.#made = made;
    this.#preloaded = made.preloaded;
  }

  get extra(): string {
    return this.#made.ephemeral.text;
  }

  set extra(text: string) {
    this.#made.ephemeral.text = text;
  }

  get personalities() {
    return personalities(this.#made.parts.config.config.agent.personalities);
  }

  takePreloaded(): Preloaded | undefined {
    const preloaded = this.#preloaded;
    this.#preloaded = undefined;
    return preloaded;
  }

  expand(message: string, signal: AbortSignal) {
    const { parts, opened, agent } = this.#made;
    return expandMessage(message, parts, opened.services, agent.route, signal);
  }

  get seesPictures() {
    return this.#made.pictures.areSeen;
  }

  see(input: TurnInput, signal: AbortSignal) {
    return this.#made.pictures.see(input, signal);
  }

  seeHistory(history: readonly HistoryMessage[], signal: AbortSignal) {
    return this.#made.pictures.seeHistory(history, signal);
  }

  files(signal: AbortSignal) {
    return referableFiles(this.#made.opened.services, signal);
  }

  async parts() {
    const { parts, opened, agent, transcript, ephemeral } = this.#made;
    const { contextParts } = await import('./context-parts.ts');
    const sent = (await parts.store?.sessions.get(transcript.sessionId))?.system_prompt;
    return await contextParts(parts, opened.services, transcript.sessionId, {
      tools: agent.toolbox?.tools ?? parts.tools,
      added: ephemeral.text.trim(),
      request: { route: () => agent.route },
      ...(typeof sent === 'string' ? { sent } : {}),
    });
  }
}

function backgroundOf(
  { config, surface }: SessionParts,
  { processes }: ToolServices,
  agents: SubAgents,
): BackgroundWork {
  const running = () => processes.list().filter(({ status }) => status === 'running');
  // A setting for chats: in the terminal the agent asked to be told, and nobody else hears it.
  const mode = config.config.display.background_process_notifications;
  return {
    get count() {
      return processes.running;
    },
    get since() {
      return running().map(({ startedAt }) => startedAt);
    },
    takeNotices: () => wantedNotices(processes.takeNotices(), surface === 'cli' ? 'all' : mode),
    onNotice: (listener) => processes.onNotice(listener),
    async stop() {
      const stopped = running();
      await Promise.all(stopped.map(({ id }) => processes.kill(id, 'kill_all')));
      return stopped.length;
    },
    agents,
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
