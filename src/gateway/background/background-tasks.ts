/** Tasks that a chat starts beside its conversation: each has a session of its own, and its result comes into the chat. */
import type { BackgroundTasks as ListedTasks } from '../../commands/background-tasks.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import type { Program } from '../../runtime/program.ts';
import { newBesideId, runBeside } from '../../worker/run-beside.ts';
import { ChatHuman } from '../chats/chat-human.ts';
import type { Answer, ChatPlace, ChatSettings } from '../chats/chat-deps.ts';
import type { ChatRouting } from '../chats/chat-routing.ts';
import type { PromptDesk } from '../chats/prompt-desk.ts';
import { answerText, nothingShown, unknownHosts } from '../chats/replies.ts';
import { isOfAgent } from '../chats/run-turn.ts';
import { TurnWatch } from '../chats/turn-watch.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { specElsewhere } from '../elsewhere/proxy-route.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { type KeptTask, KeptTasks } from './kept-tasks.ts';

export interface BackgroundTasksOptions {
  readonly program: Program;
  readonly place: ChatPlace;
  readonly routing: Pick<ChatRouting, 'get'>;
  readonly delivery: Pick<Delivery, 'add'>;
  readonly desk: PromptDesk;
  readonly settings: ChatSettings;
  readonly clock: AdapterClock;
  readonly log: Log;
  /** Who answers in the place of a model of this machine. */
  readonly elsewhere?: ModelRoute | undefined;
}

interface Running {
  readonly kept: KeptTask;
  readonly startedAt: number;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const most = 8;
const shownChars = 80;

export class BackgroundTasks {
  readonly #options: BackgroundTasksOptions;
  readonly #file: KeptTasks;
  readonly #running = new Map<string, Running>();
  #closing = false;

  constructor(options: BackgroundTasksOptions) {
    this.#options = options;
    this.#file = new KeptTasks(options.program.options.home.path);
  }

  /** Those of a chat. */
  of(sessionKey: string): ListedTasks {
    const own = () => [...this.#running.values()].filter(({ kept }) => kept.sessionKey === sessionKey);
    const end = (ended: readonly Running[]): number => {
      for (const { stop } of ended) stop.abort();
      return ended.length;
    };
    return {
      list: () => own().map(({ kept: { id, prompt }, startedAt }) => ({ id, prompt, startedAt })),
      end: (id) => end(own().filter(({ kept }) => kept.id === id)) > 0,
      endAll: () => end(own()),
    };
  }

  /** Returns the id of the task. Throws `UserError` when too many run. */
  start(event: MessageEvent, sessionKey: string, prompt: string): string {
    if (this.#closing) throw new UserError('I am shutting down; start it again in a moment.');
    if (this.#running.size >= most)
      throw new UserError(`${most} background tasks run already; wait until one is done.`);
    const { source, message_id: replyTo } = event;
    const { platform, chat_id: chatId, thread_id: threadId } = source;
    const startedAt = this.#options.clock.now();
    const id = newBesideId(new Date(startedAt));
    const kept: KeptTask = { id, prompt, sessionKey, platform, chatId, threadId, replyTo };
    this.#file.write([...this.#keptOnes(), kept]);
    const stop = new AbortController();
    const done = this.#run(kept, event, stop.signal).catch((error: unknown) => {
      this.#options.log.error(`the result of ${id} could not be written down: ${errorMessage(error)}`, error);
    });
    this.#running.set(id, { kept, startedAt, stop, done });
    return id;
  }

  /** Tells of what the last process left unfinished. */
  async recover(): Promise<void> {
    for (const { id, prompt, sessionKey, platform, chatId, threadId, replyTo } of this.#file.read()) {
      await this.#options.delivery.add({
        id: `${id}.cut`,
        sessionKey,
        platform,
        chatId,
        threadId,
        content: `❌ Background task ${id} was cut off when I was restarted; start it again if it still matters.\nPrompt: "${shortened(prompt)}"`,
        details: JSON.stringify(replyTo === null ? {} : { replyTo }),
      });
    }
    this.#file.write(this.#keptOnes());
  }

  async settled(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (this.#running.size > 0 && !signal.aborted) {
      await Promise.race([Promise.all([...this.#running.values()].map(({ done }) => done)), stopped]);
    }
  }

  /** What still runs ends; the next start tells of it. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #run(kept: KeptTask, event: MessageEvent, signal: AbortSignal): Promise<void> {
    const { place, delivery } = this.#options;
    let text: string;
    let hosts: Answer['hosts'] = unknownHosts;
    try {
      const { result, hosts: known } = await this.#answer(kept, event, signal);
      hosts = known;
      const mark = result.ended === 'completed' ? '✅' : '❌';
      text = `${mark} Background task ${kept.id}\nPrompt: "${shortened(kept.prompt)}"\n\n${answerText(result)}`;
    } catch (error) {
      text = `❌ Background task ${kept.id} did not work: ${errorMessage(error).slice(0, 300)}\nPrompt: "${shortened(kept.prompt)}"`;
    }
    if (this.#closing) return;
    const { id, sessionKey } = kept;
    const reply = await place.compose(event, { id, sessionKey, text: text.trim(), preview: nothingShown, hosts });
    if (reply !== undefined) await delivery.add(reply);
    this.#running.delete(id);
    this.#file.write(this.#keptOnes());
  }

  async #answer({ id, sessionKey, prompt }: KeptTask, event: MessageEvent, stopped: AbortSignal) {
    const { program, place, routing, desk, settings, clock, elsewhere } = this.#options;
    const { source } = event;
    const override = (await routing.get(sessionKey))?.model_override;
    const human = new ChatHuman({
      sessionKey,
      desk,
      approvalMs: settings.approvalSeconds * 1000,
      clarifyMs: settings.clarifySeconds * 1000,
      current: () => event,
    });
    const silent = new AbortController();
    const watch = new TurnWatch({ settings, clock, say: () => Promise.resolve(), onSilent: () => silent.abort() });
    const signal = AbortSignal.any([stopped, silent.signal]);
    return await runBeside(
      program,
      {
        surface: source.platform,
        source: source.platform,
        human,
        ...(place.isShared(source) || source.user_id === null ? {} : { userId: source.user_id }),
        ...(elsewhere !== undefined ? specElsewhere(elsewhere) : override === undefined ? {} : { route: override }),
        stored: { id },
        prompt: { systemMessage: place.context(event) },
      },
      { content: prompt, asTyped: false },
      { signal, heard: (told) => isOfAgent(told) && watch.heard(told) },
    ).finally(() => watch.stop());
  }

  #keptOnes(): readonly KeptTask[] {
    return [...this.#running.values()].map(({ kept }) => kept);
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= shownChars ? line : `${line.slice(0, shownChars).toWellFormed()}…`;
}
