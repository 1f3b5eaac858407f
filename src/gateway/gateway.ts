/** The gateway: platforms on one side, conversations on the other, and what is written down between them. */
import type { ConfirmSetting } from '../commands/command.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, UserError } from '../lib/errors.ts';
import { userDirectory } from '../config/home.ts';
import type { Log } from '../lib/log.ts';
import type { Program } from '../runtime/program.ts';
import { secretMask } from '../runtime/secret-mask.ts';
import type { KeptQuestion } from '../sessions/chat-questions.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { BackgroundTasks } from './background/background-tasks.ts';
import { ChatResults } from './chats/chat-results.ts';
import { ChatRouting } from './chats/chat-routing.ts';
import type { ChatDeps, ChatHooks, OpenChat } from './chats/chat-deps.ts';
import { ChatMoves } from './chats/chat-moves.ts';
import { Chats, type ChatsOptions } from './chats/chats.ts';
import { whyOver } from './chats/conversation-over.ts';
import { Place } from './chats/place.ts';
import { noticeReply, nothingShown } from './chats/replies.ts';
import { PromptDesk } from './chats/prompt-desk.ts';
import { RoutingMirror } from './chats/routing-mirror.ts';
import { whyNoTurn } from './chats/turn-limit.ts';
import type { ConnectionStatus, PlatformConnection } from './connections/platform-connection.ts';
import { type AdapterServices, PlatformConnections } from './connections/platform-connections.ts';
import { showMenu } from './connections/show-menu.ts';
import { Delivery } from './delivery/delivery.ts';
import { DeadTargets } from './targets/dead-targets.ts';
import { KnownChats } from './targets/known-chats.ts';
import { type Guest, type Lender, Lending, type LendingOptions } from './lending.ts';
import { LiveDisplay } from './display/live-display.ts';
import { proxyRoute } from './elsewhere/proxy-route.ts';
import { beginDuties, type Duties } from './duties.ts';
import { gatewaySettings, type GatewaySettings } from './gateway-settings.ts';
import type { Authorization } from './intake/authorization.ts';
import { lentAuthorization } from './intake/lent-authorization.ts';
import { Intake } from './intake/intake.ts';
import type { Acceptance, AdapterClock } from './platform/adapter-host.ts';
import type { ChatMedia } from './media/chat-media.ts';
import type { ChatAddress, MenuCommand } from './platform/adapter.ts';
import type { MessageEvent } from './platform/message-event.ts';
import type { ConfiguredPlatform } from './platform/configured-platform.ts';
import { eventAt } from './platform/own-event.ts';
import type { SessionSource } from './platform/session-source.ts';
import { sessionKey } from './sessions/session-key.ts';
import { forgetTopic } from './topics/gone-topic.ts';
import { TopicMode } from './topics/topic-mode.ts';
import { openVoice } from './voice/open-voice.ts';
import type { VoiceReplies } from './voice/voice-replies.ts';

/** What the gateway is put together from; each has one job and is tested by itself. */
export interface GatewayOptions extends ChatMedia, Omit<LendingOptions, 'own'> {
  readonly program: Program;
  readonly platforms: readonly ConfiguredPlatform[];
  readonly authorization: Authorization;
  readonly commands: GatewayCommands;
  readonly hooks: ChatHooks;
  readonly services: AdapterServices;
  onStatus(platform: string, status: ConnectionStatus): void;
  readonly clock?: AdapterClock;
  readonly chats?: ChatsOptions;
  /** Why nothing can be taken now (a disk that is nearly full); see `closed` of `IntakeOptions`. */
  closed?(): string | undefined;
  /** Why no chat gets a turn that it does not have yet; commands are let in. */
  paused?(): string | undefined;
  /** How often it is looked whether a terminal hands something off, in milliseconds. Default two seconds. */
  readonly handoffLookMs?: number;
  /** False: turns that the last process was in are not gone on with; who asked is told. Default true. */
  readonly resumes?: boolean;
  /** Named in the keys of its conversations: where one process serves several profiles, and this is not the default one. */
  readonly profile?: string;
}

/** Slash commands in chats. */
export interface GatewayCommands {
  /** What menus of platforms show. */
  menu(gateway: Gateway): Promise<readonly MenuCommand[]>;
  /** One that stands at the head of the queue; false: it goes to the model. */
  run(chat: OpenChat, event: MessageEvent, gateway: Gateway): Promise<boolean>;
  /** One that does not wait for the running turn; false: it waits. */
  immediate(chat: OpenChat, event: MessageEvent, gateway: Gateway): Promise<boolean>;
}

export interface GatewayStatus {
  readonly platforms: Readonly<Record<string, ConnectionStatus>>;
  readonly busyChats: number;
  readonly openChats: number;
  readonly draining: boolean;
}

/** How long the turn of a chat that gets another id may take to break off. */
const closeMs = 30_000;
const shutDownText = '⏳ I am shutting down for now. Your message is kept; I answer it as soon as I am back.';

export const systemClock: AdapterClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
  random: () => Math.random(),
};

/**
 * @example
 * const gateway = await Gateway.open(options);
 * await gateway.start();
 * await gateway.drain(AbortSignal.timeout(30_000));
 * await gateway.close();
 */
export class Gateway implements Lender, Guest {
  readonly program: Program;
  readonly settings: GatewaySettings;
  readonly background: BackgroundTasks;
  /** How chats show turns; commands change it. */
  readonly display: LiveDisplay;
  readonly chats: Chats;
  readonly desk: PromptDesk;
  readonly delivery: Delivery;
  readonly routing: ChatRouting;
  readonly authorization: Authorization;
  readonly hooks: ChatHooks;
  readonly voice: VoiceReplies;
  /** Private chats in which each topic is a conversation. */
  readonly topics: TopicMode;
  readonly deadTargets: DeadTargets;
  readonly clock: AdapterClock;
  /** Somebody said that commands which lose something need not ask any more. */
  readonly confirmedAlways = new Set<ConfirmSetting>();
  readonly #options: GatewayOptions;
  readonly #lending: Lending;
  readonly #store: SessionStore;
  readonly #log: Log;
  readonly #place: Place;
  readonly #results: ChatResults;
  readonly #intake: Intake;
  readonly #mirror: RoutingMirror | undefined;
  readonly #knownChats: KnownChats;
  readonly #moves: ChatMoves;
  readonly #connections: PlatformConnections;
  /** No turn begins any more. */
  readonly #stopping = new AbortController();
  /** What earlier processes left is in the hands of its chats: new messages come behind it. */
  readonly #takenUp = Promise.withResolvers<void>();
  #draining = false;
  #duties: Duties | undefined;

  /** Throws `UserError` when nothing can be written down: then nothing must be accepted. */
  static open(options: GatewayOptions): Gateway {
    const { store, warnings } = options.program;
    if (store === undefined) {
      throw new UserError(warnings[0] ?? 'The database cannot be opened, so no message could be kept.', {
        hint: 'See what is wrong with it: hermes doctor',
      });
    }
    return new Gateway(options, store);
  }

  private constructor(options: GatewayOptions, store: SessionStore) {
    const { program } = options;
    const { config } = program.options;
    this.program = program;
    const own = options.platforms.map(({ platform }) => platform.name);
    const lending = new Lending({ ...options, own });
    this.#lending = lending;
    this.authorization = lentAuthorization(
      options.authorization,
      (platform) => lending.lenderOf(platform)?.authorization,
    );
    this.hooks = options.hooks;
    this.#options = options;
    this.#store = store;
    this.clock = options.clock ?? systemClock;
    this.#log = program.log.named('gateway');
    const settings = gatewaySettings(config);
    this.settings = options.resumes === false ? { ...settings, resumeSeconds: 0 } : settings;
    if (settings.mirrorsRoutes) {
      this.#mirror = new RoutingMirror({ write: () => store.chatRoutes.mirror(), log: this.#log });
    }
    this.display = new LiveDisplay(settings.display, settings.streaming.enabled);
    const { cwd, env } = program.options;
    this.#connections = this.#openConnections();
    const connection = (platform: string): PlatformConnection | undefined => this.connection(platform);
    this.#place = new Place({
      settings: this.settings,
      display: this.display,
      work: { cwd, userHome: userDirectory(env) },
      clock: this.clock,
      log: this.#log,
      connection,
      connected: () => this.connected,
      stopping: this.#stopping.signal,
      receive: (event, signal) => options.receive(event, connection(event.source.platform), signal),
      takeFiles: (text) => options.takeFiles(text),
      takePictures: (...asked) => options.takePictures(...asked),
    });
    this.routing = new ChatRouting({
      routes: store.chatRoutes,
      sessions: store.sessions,
      clock: this.clock,
      changed: () => this.#mirror?.changed(),
      expired: (entry, source) =>
        whyOver(this.settings, entry, source, {
          now: new Date(this.clock.now()),
          processesSince: this.#processesOf(entry.session_key),
        }),
    });
    const { path: homePath } = program.options.home;
    this.deadTargets = new DeadTargets(homePath, { log: this.#log, clock: this.clock });
    this.#knownChats = new KnownChats({
      homePath,
      clock: this.clock,
      log: this.#log,
      connections: () => this.#connections.all,
      routes: () => this.routing.each(),
    });
    this.delivery = this.#openDelivery();
    this.voice = openVoice(program, {
      log: this.#log.named('voice'),
      connection,
      add: (reply) => this.delivery.add(reply),
    });
    this.desk = this.#openDesk();
    const { routing, clock } = this;
    this.topics = new TopicMode({ topics: store.chatTopics, clock, log: this.#log.named('topics'), connection });
    this.#results = new ChatResults({ store, routing, clock, log: this.#log.named('delegation') });
    const deps: ChatDeps = {
      program,
      inbox: store.chatInbox,
      delivery: this.delivery,
      routing,
      results: this.#results,
      desk: this.desk,
      commands: { run: (chat, event) => options.commands.run(chat, event, this) },
      hooks: options.hooks,
      settings: this.settings,
      clock: this.clock,
      log: this.#log.named('chats'),
      stopping: this.#stopping.signal,
      place: this.#place,
      voice: this.voice,
      topics: this.topics,
      elsewhere: proxyRoute(program.options),
    };
    this.chats = new Chats(deps, options.chats);
    this.#moves = this.#openMoves();
    this.background = new BackgroundTasks(deps);
    this.#intake = this.#openIntake();
  }

  /** Names of the platforms that are connected. */
  get connected(): readonly string[] {
    return this.#connections.connected;
  }

  get status(): GatewayStatus {
    return {
      platforms: this.#connections.status,
      busyChats: this.chats.busy.length,
      openChats: this.chats.count,
      draining: this.#draining,
    };
  }

  /** That of a platform of our own, else the one that is lent to us. */
  connection(platform: string): PlatformConnection | undefined {
    return this.#connections.get(platform) ?? this.#lending.lenderOf(platform)?.connection(platform);
  }

  /** Whether chats of this platform can be brought by another gateway: it has no bot of its own there. */
  takesFromOthers(platform: string): boolean {
    return this.#lending.takesFromOthers(platform);
  }

  /** A message that came through a bot of another gateway, which has let its sender in. */
  async acceptFromOther(event: MessageEvent): Promise<Acceptance> {
    await this.#takenUp.promise;
    return await this.#intake.accept(this.#ofProfile(this.#moves.currentEvent(event)));
  }

  /** A platform of another gateway is connected: what waits for it here can be sent. */
  connectedElsewhere(platform: string): void {
    if (!this.takesFromOthers(platform)) return;
    void this.desk.tidy(platform);
    this.#sendWaiting(platform);
  }

  /** A chat of another gateway's bot goes by another id. */
  async movedElsewhere(platform: string, from: string, to: string): Promise<void> {
    if (!this.takesFromOthers(platform)) return;
    await this.#takenUp.promise;
    await this.#moves.move(platform, from, to);
  }

  threadGoneElsewhere(platform: string, to: ChatAddress): void {
    if (this.takesFromOthers(platform)) this.#threadGone(platform, to);
  }

  keyOf(source: SessionSource): string {
    return sessionKey(source, {
      group_sessions_per_user: this.settings.groupSessionsPerUser,
      thread_sessions_per_user: this.settings.threadSessionsPerUser,
      profile: this.#options.profile ?? source.profile,
    });
  }

  /** Says something in a chat, beside the outbox. */
  async say(event: MessageEvent, text: string): Promise<void> {
    await this.#place.say(event, text);
  }

  /**
   * Resolves when every platform was tried once. What was left open is taken up first: its answers go out as soon as their
   * platform is connected.
   */
  async start(): Promise<void> {
    await this.routing.open();
    const started = this.#connections.start(this.#options.platforms);
    try {
      await this.desk.recover((question, text) => this.#tellLapsed(question, text));
      for (const name of this.connected) void this.desk.tidy(name);
      await this.#results.recover();
      for await (const rows of this.#intake.leftOpen()) this.chats.recover(rows);
    } finally {
      this.#takenUp.resolve();
    }
    await this.background.recover();
    await started;
    for (const platform of this.#lending.connected) this.connectedElsewhere(platform);
    this.#duties = this.#beginDuties();
  }

  /** No new messages; resolves when what runs has ended and its answers are sent, or when the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#draining = true;
    this.#stopping.abort();
    await this.#intake.settled(signal);
    await this.chats.settled(signal);
    await this.background.settled(signal);
    await this.voice.settled(signal);
    await this.delivery.settled(signal);
    const given = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    if (!signal.aborted) await Promise.race([this.#duties?.handedOver, given]);
  }

  /** Interrupts what still runs; it is taken up with the next start. */
  async close(): Promise<void> {
    this.#draining = true;
    this.#stopping.abort();
    this.desk.close();
    await this.chats.close();
    await this.background.close();
    await this.voice.close();
    await this.delivery.close();
    await this.#mirror?.close();
    await this.#connections.close();
  }

  #openDelivery(): Delivery {
    return new Delivery({
      outbox: this.#store.outbox,
      clock: this.clock,
      log: this.#log.named('delivery'),
      pause: this.settings.pause,
      connection: (platform) => this.connection(platform),
      current: (reply) => this.#moves.currentReply(reply),
      onReach: (reply, reached, error) => {
        if (reached) this.deadTargets.clear(reply);
        else this.deadTargets.mark(reply, error ?? 'it was refused');
      },
    });
  }

  #openDesk(): PromptDesk {
    return new PromptDesk({
      records: this.#store.approvals.inChats,
      clock: this.clock,
      log: this.#log.named('questions'),
      mask: secretMask(this.program.options),
      connection: (platform) => this.connection(platform),
      say: async (question, text) => {
        await this.#place.say(eventAt(question.platform, question.to.chatId, question.to.threadId), text);
      },
      mayAnswerForOthers: (source) => this.authorization.tierOf(source).tier === 'admin',
    });
  }

  #openIntake(): Intake {
    const { chats } = this;
    const options = this.#options;
    return new Intake({
      inbox: this.#store.chatInbox,
      chats,
      desk: this.desk,
      authorization: this.authorization,
      clock: this.clock,
      log: this.#log.named('intake'),
      hooks: options.program.hooks,
      sessionKey: (source) => this.keyOf(source),
      immediate: (chat, event) => options.commands.immediate(chat, event, this),
      closed: () => options.closed?.(),
      later: () => (this.#draining ? shutDownText : undefined),
      noTurn: (key, entering) =>
        whyNoTurn(key, entering, { chats, settings: this.settings, paused: options.paused?.() }),
      say: (event, text) => this.#place.say(event, text),
      endLate: async (row, event, text) => {
        const reply = noticeReply(row.sessionKey, [row], event, text);
        await this.#store.chatInbox.end([row.id], 'done', [reply]);
        this.delivery.send(reply);
      },
      refuse: (event, text) => this.#refuse(event, text),
    });
  }

  async #refuse(event: MessageEvent, text: string): Promise<void> {
    const row = { eventId: event.event_id, preview: nothingShown };
    await this.delivery.add(noticeReply(this.keyOf(event.source), [row], event, text));
  }

  async #tellLapsed(question: KeptQuestion, content: string): Promise<void> {
    const { id, sessionKey, platform, chatId, threadId } = question;
    await this.delivery.add({ id: `lapsed.${id}`, sessionKey, platform, chatId, threadId, content, details: '{}' });
  }

  #openConnections(): PlatformConnections {
    const options = this.#options;
    const isAuthorized = async (source: SessionSource): Promise<boolean> =>
      (await this.authorization.admit({ source, silent: true })).as === 'allowed';
    return new PlatformConnections({
      services: options.services,
      clock: this.clock,
      log: this.#log,
      connectTimeoutMs: this.settings.connectTimeoutMs,
      disconnectMs: this.settings.disconnectMs,
      isAuthorized,
      accept: async (event, signal) => {
        await this.#takenUp.promise;
        if (signal.aborted) return 'ignored';
        const acceptance = await this.#take(this.#moves.currentEvent(event));
        const { platform, chat_id: chatId } = event.source;
        // Who writes to us can be written to.
        if (acceptance === 'accepted') this.deadTargets.clear({ platform, chatId });
        return acceptance;
      },
      moved: async (platform, from, to) => {
        await this.#takenUp.promise;
        await this.#moves.move(platform, from, to);
        await this.#lending.tellMoved(platform, from, to);
      },
      threadGone: (platform, to) => {
        this.#threadGone(platform, to);
        this.#lending.tellThreadGone(platform, to);
      },
      press: async (press) => {
        if (!(await isAuthorized(press.source))) return { as: 'denied' };
        const guest = await this.#lending.guestAt(press.source).catch(() => undefined);
        return (guest ?? this).desk.press(press);
      },
      onStatus: (platform, status) => options.onStatus(platform, status),
      onConnected: (name) => {
        const menu = (): Promise<readonly MenuCommand[]> => options.commands.menu(this);
        void showMenu(name, this.#connections.get(name), { menu, log: this.#log });
        void this.desk.tidy(name);
        void this.#knownChats.refresh(this.#stopping.signal);
        this.#sendWaiting(name);
        this.#lending.tellConnected(name);
      },
    });
  }

  #threadGone(platform: string, to: ChatAddress): void {
    if (platform !== 'telegram') return;
    const { routing, chats } = this;
    const log = this.#log.named('topics');
    void forgetTopic(to, { topics: this.#store.chatTopics, routing, chats, log, stopping: this.#stopping.signal });
  }

  #sendWaiting(platform: string): void {
    this.delivery.recover(platform).catch((error: unknown) => {
      this.#log.named(platform).error(`what waits for ${platform} could not be read: ${errorMessage(error)}`, error);
    });
  }

  /** By the gateway that answers in its chat. What cannot be given to that one is refused aloud: nobody else answers there. */
  async #take(event: MessageEvent): Promise<Acceptance> {
    let guest: Guest | undefined;
    try {
      guest = await this.#lending.guestAt(event.source);
    } catch (error) {
      if ((await this.authorization.admit(event)).as !== 'allowed') return 'ignored';
      this.#log.warning(`a message for another profile was refused: ${errorMessage(error)}`, error);
      await this.#refuse(event, errorMessage(error));
      return 'refused';
    }
    if (guest !== undefined) return await guest.acceptFromOther(event);
    return await this.#intake.accept(this.#ofProfile(event));
  }

  #ofProfile(event: MessageEvent): MessageEvent {
    const { profile } = this.#options;
    return profile === undefined ? event : { ...event, source: { ...event.source, profile } };
  }

  #openMoves(): ChatMoves {
    return new ChatMoves({
      inbox: this.#store.chatInbox,
      log: this.#log,
      close: (isNamed) => this.chats.closeAll(isNamed, AbortSignal.timeout(closeMs)),
      write: (move) => this.routing.move(move),
      follow: async (move) => {
        const { platform, from, to } = move;
        this.delivery.move(move);
        this.desk.move(move);
        this.#connections.get(platform)?.move(from, to);
        this.deadTargets.clear({ platform, chatId: from });
        this.#knownChats.moveName(platform, from, to);
        await this.#options.services.moved(platform, from, to);
        void this.#knownChats.refresh(this.#stopping.signal);
      },
      recover: (rows) => this.chats.recover(rows),
    });
  }

  /** When the background processes began that keep the conversation of a chat alive. */
  #processesOf(key: string): readonly Date[] {
    const since = this.chats.find(key)?.worker?.session.background.since ?? [];
    return since.map((at) => new Date(at));
  }

  #beginDuties(): Duties {
    const { program, settings, routing, chats, clock, deadTargets } = this;
    return beginDuties({
      program,
      store: this.#store,
      settings,
      routing,
      chats,
      clock,
      deadTargets,
      knownChats: this.#knownChats,
      log: this.#log,
      stopping: this.#stopping.signal,
      lookMs: this.#options.handoffLookMs,
      connection: (platform) => this.#connections.get(platform),
      keyOf: (source) => this.keyOf(source),
      takeFiles: (text) => this.#options.takeFiles(text),
      deny: (questionId) => this.desk.deny(questionId),
    });
  }
}
