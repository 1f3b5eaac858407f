/** The open conversation of a chat: its worker, as long as the chat is in use. */
import { UserError } from '../../lib/errors.ts';
import { textOf } from '../../llm/message.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import { MemoryWorkQueue } from '../../worker/memory-work-queue.ts';
import type { JobOrigin } from '../../tools/cron/job-access.ts';
import { openWorker } from '../../worker/open-worker.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { Human } from '../../agent/human.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionMode, SessionSpec } from '../../runtime/session-spec.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { SessionChat } from '../../sessions/sessions.ts';
import type { TurnFacts } from '../display/runtime-footer.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { specElsewhere } from '../elsewhere/proxy-route.ts';
import type { SessionSource } from '../platform/session-source.ts';
import type { ChatRouting, Routed } from './chat-routing.ts';

export interface ChatSessionOptions {
  readonly sessionKey: string;
  readonly program: Program;
  readonly routing: ChatRouting;
  readonly human: Human;
  /** Who is asked for sub-agents while nothing is answered. */
  readonly later: Human;
  /** What the model should know of the chat; fixed for a session. */
  readonly context: (event: MessageEvent) => string;
  readonly notify: NonNullable<SessionSpec['notify']>;
  /** The conversation was given a name. */
  readonly titled: NonNullable<SessionMode['titled']>;
  /** Sub-agents may have brought something. */
  readonly onResults: () => void;
  /** News of background processes. */
  readonly onNews: (news: readonly string[]) => void;
  /** What a person said for a turn that had ended. */
  readonly onLate: (text: string) => void;
  /** Tells the person something beside the conversation. */
  readonly say: (event: MessageEvent, text: string) => Promise<void>;
  /** The person whose session it is; null where several share it. */
  readonly owner: (event: MessageEvent) => string | null;
  /** Who answers in the place of a model of this machine. */
  readonly elsewhere?: ModelRoute | undefined;
}

export class ChatSession {
  readonly #options: ChatSessionOptions;
  #worker: SessionWorker | undefined;
  /** The id under which the index has it. */
  #routedId: string | undefined;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
  }

  get worker(): SessionWorker | undefined {
    return this.#worker;
  }

  /** With what its last answer was made. */
  get facts(): TurnFacts | undefined {
    const agent = this.#worker?.session.agent;
    if (agent === undefined) return undefined;
    const { model, contextLength } = agent.route;
    const { last_prompt_tokens: promptTokens } = agent.tokens;
    return { model, contextLength, promptTokens: promptTokens === 0 ? undefined : promptTokens };
  }

  /** The worker for the next message; another one than before when the chat has moved on to another session. */
  async open(event: MessageEvent): Promise<{ readonly worker: SessionWorker; readonly reset?: Routed['reset'] }> {
    const { sessionKey, routing } = this.#options;
    const routed = await routing.sessionFor(sessionKey, event.source);
    const reset = routed.reset === undefined ? {} : { reset: routed.reset };
    if (this.#worker !== undefined && this.#routedId === routed.entry.session_id)
      return { worker: this.#worker, ...reset };
    await this.close('agent_close');
    const worker = await this.#openWorker(routed, event);
    worker.listen((told) => {
      // A compaction into a new session: the index follows, or a restart would go on with the old one.
      if (told.type === 'session_moved') void this.#moved(told.to);
    });
    worker.session.background.onNotice(() => {
      const news = this.#worker === worker ? worker.session.background.takeNotices() : [];
      if (news.length > 0) this.#options.onNews(news);
    });
    worker.session.background.agents.listen(({ type }) => {
      if (type === 'results_due') this.#options.onResults();
    });
    this.#worker = worker;
    this.#routedId = routed.entry.session_id;
    this.#options.onResults();
    return { worker, ...reset };
  }

  /** Gives the resources back. The conversation itself ends only with another reason than `agent_close`. */
  async close(reason: string): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    await worker.close();
    await worker.session.close(reason);
  }

  async #moved(to: string): Promise<void> {
    this.#routedId = to;
    await this.#options.routing.change(this.#options.sessionKey, { session_id: to });
  }

  async #openWorker(routed: Routed, event: MessageEvent): Promise<SessionWorker> {
    const { sessionKey, routing, say, elsewhere } = this.#options;
    const chosen = elsewhere === undefined ? routed.entry.model_override : undefined;
    if (chosen === undefined) return await this.#openWith(routed, event, undefined);
    try {
      return await this.#openWith(routed, event, chosen);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      // Its key or its provider is gone since: without the usual model no command could choose another one.
      const worker = await this.#openWith(routed, event, undefined);
      await routing.forgetModel(sessionKey);
      await say(event, `⚠️ ${chosen.model} cannot be used any more (${error.message}); the usual model answers.`);
      return worker;
    }
  }

  async #openWith(
    { entry, resume }: Routed,
    event: MessageEvent,
    override: RouteEntry['model_override'],
  ): Promise<SessionWorker> {
    const { sessionKey, program, human, later, notify, titled, context, owner, onLate, elsewhere } = this.#options;
    const { source } = event;
    const user = owner(event);
    return await openWorker(
      program,
      {
        surface: source.platform,
        source: source.platform,
        human,
        notify,
        ...(user === null ? {} : { userId: user }),
        ...(override === undefined ? {} : { route: { model: override.model, ...providerOf(override) } }),
        ...(resume === undefined ? { stored: { id: entry.session_id, chat: chatOf(sessionKey, source) } } : { resume }),
        ...(elsewhere === undefined
          ? {
              prompt: { systemMessage: context(event), preload: event.auto_skill ?? [] },
              mode: {
                learns: true,
                titled,
                later: { chat: sessionKey, human: later },
                jobOrigin: jobOrigin(source, user),
              },
            }
          : { prompt: { systemMessage: context(event) }, ...specElsewhere(elsewhere) }),
      },
      { queue: new MemoryWorkQueue(), onLate: ({ content }) => onLate(textOf(content)) },
    );
  }
}

/** Where jobs of this chat answer. */
function jobOrigin(source: SessionSource, user: string | null): JobOrigin {
  const { platform, chat_id, chat_name: name, thread_id: thread } = source;
  return {
    platform,
    chat_id,
    ...(name == null ? {} : { chat_name: name }),
    ...(thread == null ? {} : { thread_id: thread }),
    ...(user === null ? {} : { user_id: user }),
  };
}

/** What the row of a session says of its chat. */
export function chatOf(sessionKey: string, source: SessionSource): SessionChat {
  return {
    sessionKey,
    chatId: source.chat_id,
    chatType: source.chat_type,
    threadId: source.thread_id,
    displayName: source.chat_name ?? source.user_name,
    profile: source.profile,
    origin: JSON.stringify(source),
  };
}

function providerOf({ provider }: { readonly provider?: string }) {
  return provider === undefined ? {} : { provider };
}
