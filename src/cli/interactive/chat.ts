/** The interactive chat: reads lines, hands them to the worker or to commands, one session after another. */
import type { NextSession, SurfaceSettings } from '../../commands/command.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { textOf } from '../../llm/message.ts';
import type { Session } from '../../runtime/session.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { LeaseHolder } from '../../sessions/leases.ts';
import type { QueuedMessage } from '../../sessions/work-queue.ts';
import type { Skill } from '../../skills/skill.ts';
import { MemoryWorkQueue } from '../../worker/memory-work-queue.ts';
import { openWorker } from '../../worker/open-worker.ts';
import type { Prepared, SessionWorker } from '../../worker/session-worker.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import { exitSummary } from '../chat/exit-summary.ts';
import { expandTyped } from '../chat/expand-typed.ts';
import type { Colors } from '../render/colors.ts';
import type { ChatLooks } from '../skins/chat-looks.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import { aboveInput, type Room } from './above-input.ts';
import { AttachedPictures } from './attached-pictures.ts';
import { Attention } from './attention.ts';
import { boxKeys } from './box-keys.ts';
import type { ChatEnd, ChatOptions } from './chat-options.ts';
import type { ChatScreen } from './chat-screen.ts';
import { ChatCommands } from './chat-commands.ts';
import { compose } from './compose.ts';
import { Drafts } from './drafts.ts';
import { InterruptKeys } from './interrupt-keys.ts';
import { type Leaving, leavingWith, whileRunning } from './leaving.ts';
import { Meters } from './meters.ts';
import { openOwnCommands } from './open-own-commands.ts';
import { openScreen } from './open-screen.ts';
import type { OwnCommands } from './own-commands.ts';
import type { QuickCommands } from '../../commands/quick-commands.ts';
import { resumedLines } from './recap.ts';
import { SessionView } from './session-view.ts';
import { statusBar } from './status-bar.ts';
import { TerminalHuman } from './terminal-human.ts';
import { asStarted } from '../started-as.ts';
import { TypedLines } from './typed-lines.ts';
import { skillsToShow, welcomeLines } from './welcome.ts';

/** Runs until the user leaves. Rejects with what broke the program; the terminal is given back before. */
export async function runChat(options: ChatOptions): Promise<ChatEnd> {
  return await new Chat(options).run();
}

class Chat {
  readonly #options: ChatOptions;
  readonly #display: SurfaceSettings;
  readonly #looks: ChatLooks;
  readonly #colors: Colors;
  readonly #screen: ChatScreen;
  readonly #human: TerminalHuman;
  readonly #view: SessionView;
  readonly #keys: InterruptKeys;
  readonly #meters: Meters;
  readonly #attention: Attention;
  readonly #commands: ChatCommands;
  readonly #pictures: AttachedPictures;
  readonly #quick: QuickCommands;
  readonly #own: OwnCommands;
  readonly #drafts: Drafts;
  readonly #typed: TypedLines;
  readonly #closing = new AbortController();
  /** Messages that wait for their turn. */
  #waiting: readonly QueuedMessage[] = [];
  /** Of all sessions of the chat. */
  readonly #queue = new MemoryWorkQueue();
  readonly #left = Promise.withResolvers<Leaving>();
  /** Lines are taken in the order they were typed; a command that needs time lets the next line wait. */
  #lines: Promise<void> = Promise.resolve();
  #worker: SessionWorker | undefined;
  #skills: readonly Skill[] = [];
  #sessionStarted = Date.now();
  /** No other conversation was begun or opened. */
  #isFirst = true;
  /** Of whom the user was asked already. */
  #askedAbout: LeaseHolder | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#display = options.settings.display;
    const { about, looks, view, program } = options;
    const colors = looks.palette;
    this.#looks = looks;
    this.#colors = colors;
    const { env } = program.options;
    this.#pictures = new AttachedPictures(env, () => this.#screen.refresh());
    const { quick, own } = openOwnCommands(options, () => this.#current.session.id);
    this.#quick = quick;
    this.#own = own;
    this.#screen = this.#openScreen();
    this.#human = new TerminalHuman({
      ...options,
      ...view,
      colors,
      screen: this.#screen,
      log: program.log,
      paths: options.commandPaths,
      onAsking: (question) => this.#showAsking(question),
      onAsked: (waits) => this.#meters.asks(waits),
      onRefused: (command, why) => {
        const content = `I refused \`${oneLine(command, 200)}\`: ${why}`;
        void this.#inOrder(async () => void (await this.#current.submit({ content }, 'steer')));
      },
    });
    const writeInEditor = (draft: string) =>
      compose(draft, { screen: this.#screen, env, editors: options.process.editors });
    this.#commands = new ChatCommands({
      ...options,
      store: program.store,
      source: options.spec.source ?? options.spec.surface,
      screen: this.#screen,
      human: this.#human,
      worker: () => this.#current,
      welcome: () => this.#welcome(),
      switchSession: (next, reason) => this.#switchSession(next, reason),
      quit: () => this.#left.resolve(leavingWith.quit),
      compose: writeInEditor,
      pictures: this.#pictures,
    });
    this.#typed = new TypedLines({
      screen: this.#screen,
      colors,
      commands: this.#commands,
      pictures: this.#pictures,
      quick: this.#quick,
      own: this.#own,
      pastes: options.pastes,
      view: () => this.#view,
      worker: () => this.#current,
      signal: this.#closing.signal,
    });
    this.#drafts = new Drafts({
      screen: this.#screen,
      human: this.#human,
      history: options.history,
      worker: () => this.#worker,
      submit: (text, mode) => this.#submit(text, mode),
      compose: writeInEditor,
    });
    this.#keys = new InterruptKeys({
      screen: this.#screen,
      human: this.#human,
      history: options.history,
      pictures: this.#pictures,
      worker: () => this.#worker,
      leave: (how) => this.#left.resolve(how),
    });
    this.#attention = new Attention({
      write: (sequence) => this.#screen.writeSequence(sequence),
      name: about.cwd,
      bell: view.bellOnComplete,
    });
    this.#meters = new Meters({
      session: () => this.#worker?.session,
      cwd: about.paths?.cwd ?? about.cwd,
      showCost: view.showCost,
      limit: view.sessionLimit,
      refresh: () => this.#screen.refresh(),
      log: program.log,
    });
    this.#view = new SessionView({
      ...view,
      attention: this.#attention,
      turnUsd: () => this.#meters.turnUsd(),
      turnMs: () => this.#meters.turnMs,
      screen: this.#screen,
      colors,
      skin: () => looks.skin,
      settings: this.#display,
      cwd: about.paths?.cwd ?? about.cwd,
    });
  }

  #openScreen(): ChatScreen {
    return openScreen(
      this.#options,
      {
        session: () => this.#worker?.session,
        isOwn: (word) => this.#quick.has(word),
        above: (room) => this.#above(room),
        statusBar: (width) => this.#statusBar(width),
      },
      {
        onSubmit: (text) => this.#submit(text),
        onCtrlC: () => this.#ctrlC(),
        onCtrlQ: () => this.#ctrlQ(),
        onEscape: () => this.#escape(),
        onFocus: (gained) => this.#attention.focus(gained),
        onOpen: () => this.#view.openFolded(),
        keys: this.#boxKeys(),
        onCtrlD: () => this.#ctrlD(),
        onEnd: () => this.#left.resolve(leavingWith.quit),
      },
    );
  }

  async run(): Promise<ChatEnd> {
    this.#looks.onChange = () => this.#screen.invalidate();
    if (!this.#options.view.deferAgent) await this.#begin();
    const leaving = await whileRunning(
      this.#screen,
      { onInterrupt: () => this.#ctrlC(), exitSeconds: this.#options.process.exitSeconds },
      () => this.#untilLeft(),
    );
    this.#keys.keepDraft();
    this.#closing.abort();
    if (this.#worker === undefined) return { exitCode: leaving.exitCode, lines: [] };
    const lines = await this.#close(leaving);
    return { exitCode: leaving.exitCode, lines: leaving.silent === true ? [] : lines };
  }

  async #begin(): Promise<void> {
    const { spec, view } = this.#options;
    this.#worker = await this.#open(spec);
    const { prompt } = this.#worker.session;
    const manner = prompt.extra === '' ? prompt.personalities.find(({ name }) => name === view.personality) : undefined;
    if (manner !== undefined) prompt.extra = manner.prompt;
  }

  /** What is typed before the agent is there waits for it. */
  async #untilLeft(): Promise<Leaving> {
    const show = (): void => {
      this.#welcome();
      this.#listen(this.#current);
    };
    if (this.#worker !== undefined) show();
    else {
      // The prompt is drawn first.
      const begun = nextFrame().then(() => this.#begin());
      this.#lines = begun;
      await begun;
      show();
    }
    return await this.#left.promise;
  }

  async #open(spec: Omit<SessionSpec, 'human'>): Promise<SessionWorker> {
    const { program } = this.#options;
    const colors = this.#colors;
    const paint = { learned: colors.dim, warning: colors.yellow };
    const notify: SessionSpec['notify'] = ({ kind, line }) => {
      this.#screen.print(paint[kind](terminalText(`  ${line}`)));
    };
    const worker = await openWorker(
      program,
      { ...spec, human: this.#human, notify },
      { queue: this.#queue, prepare: (...typed) => this.#prepare(...typed) },
    );
    for (const line of worker.session.warnings) notify({ kind: 'warning', line });
    this.#skills = await skillsToShow(worker.session, program.log);
    return worker;
  }

  /** What a person ran themselves goes along; nothing in it is a reference. */
  async #prepare(...typed: Parameters<typeof expandTyped>): Promise<Prepared> {
    const { input, warnings } = await expandTyped(...typed);
    return { input: input === undefined ? undefined : this.#own.bring(input), warnings };
  }

  /** Questions that a command asks were called for by whoever sits there. */
  #showAsking(question: string | undefined): void {
    if (this.#worker?.busy !== true) return;
    if (question === undefined) this.#attention.working();
    else this.#attention.waits(question);
  }

  #listen(worker: SessionWorker): void {
    this.#waiting = [];
    this.#meters.begin();
    this.#attention.idle();
    worker.listen((event) => this.#hear(worker, event));
    worker.session.background.onNotice(() => void this.#inOrder(() => this.#hearNotices(worker)));
  }

  #hear(worker: SessionWorker, event: WorkerEvent): void {
    if (this.#worker !== worker) return;
    if (event.type === 'queue_changed') this.#waiting = event.waiting;
    this.#meters.hear(event);
    this.#view.show(event);
    if (event.type === 'message_taken') this.#keys.turnBegins();
    if (event.type === 'held_here') void this.#goOn(event.movedTo);
    if (event.type === 'held_elsewhere' && event.by !== this.#askedAbout) void this.#askAbout(worker, event.by);
  }

  /** Whoever cancels leaves the conversation to the other one. */
  async #askAbout(worker: SessionWorker, by: LeaseHolder): Promise<void> {
    try {
      if (!(await this.#decide(worker, by))) this.#left.resolve(leavingWith.quit);
    } catch (error) {
      this.#printError(error);
    }
  }

  /** False when the user wants neither. */
  async #decide(worker: SessionWorker, by: LeaseHolder): Promise<boolean> {
    this.#askedAbout = by;
    const choice = await this.#human.chooseLease(by);
    if (choice === undefined) return false;
    await worker.choose(choice);
    if (choice === 'wait') this.#screen.print('  What you type now is sent as soon as the conversation is free.');
    return true;
  }

  /** The conversation is free, perhaps under another id. */
  async #goOn(movedTo: string | undefined): Promise<void> {
    this.#askedAbout = undefined;
    if (movedTo === undefined) return this.#welcome();
    await this.#inOrder(async () => {
      const row = await this.#options.program.store?.sessions.get(movedTo);
      if (row !== undefined) await this.#switchSession({ resume: row }, 'resumed_other');
    });
  }

  /** News of background processes is shown at once, and told to the agent when it is idle. */
  #hearNotices(worker: SessionWorker): void {
    if (this.#worker !== worker) return;
    const notices = worker.session.background.takeNotices();
    if (notices.length === 0) return;
    this.#screen.gap();
    for (const notice of notices) this.#screen.print(this.#colors.dim(terminalText(notice)));
    worker.tell(notices.join('\n'));
  }

  /** Ends the session; a running turn is interrupted and what it has so far is already stored. */
  async #close(leaving: Leaving): Promise<string[]> {
    const worker = this.#current;
    const { session } = worker;
    await worker.close();
    const waiting = await worker.waiting();
    const { paths } = this.#options.about;
    const lines = exitSummary(session, (await session.row())?.title ?? undefined, Date.now() - this.#sessionStarted);
    await session.close(leaving.reason);
    return [
      ...waiting.map(({ content }) => `Not sent: ${oneLine(textOf(content), 200)}`),
      ...(lines.length === 0
        ? [oneLine(this.#looks.skin.goodbye, 200)]
        : lines.map((line) => asStarted(line, paths?.env ?? {}))),
    ];
  }

  get #current(): SessionWorker {
    if (this.#worker === undefined) throw new Error('the chat has not started');
    return this.#worker;
  }

  #welcome(): void {
    const { about, view } = this.#options;
    const colors = this.#colors;
    const { session } = this.#current;
    const compact = view.compact || this.#screen.columns < 80;
    // The skills of the start hold for the first conversation alone.
    const activated = this.#isFirst ? (this.#options.spec.prompt?.preload ?? []) : [];
    const { skin } = this.#looks;
    this.#screen.print(
      welcomeLines({ session, about, colors, compact, skin, activated, skills: this.#skills }).join('\n'),
    );
    const { history } = session.agent;
    if (history.length === 0) return;
    this.#screen.gap();
    this.#screen.print(colors.dim(resumedLines(session.id, history, view).join('\n')));
  }

  #statusBar(width: number): string {
    const session = this.#worker?.session;
    if (session === undefined || !this.#display.statusBar) return '';
    const { agent } = session;
    return statusBar(
      {
        model: this.#options.view.modelNames.get(agent.route.model) ?? agent.route.model,
        contextTokens: agent.tokens.last_prompt_tokens || undefined,
        contextLength: agent.route.contextLength,
        durationMs: Date.now() - this.#sessionStarted,
        backgroundCount: session.background.count,
        yolo: session.yolo,
        folder: this.#options.about.cwd,
        ...this.#meters.facts,
      },
      width,
      this.#colors,
    );
  }

  /** The agent's steps, what waits, and pictures. */
  #above(room: Room): string[] {
    const todos = this.#worker?.session.knowledge.todos.read() ?? [];
    const pictures = this.#pictures.line;
    return aboveInput({ todos, waiting: this.#waiting, pictures }, room, this.#colors);
  }

  #boxKeys(): ReturnType<typeof boxKeys> {
    const parts = () => ({
      screen: this.#screen,
      human: this.#human,
      drafts: this.#drafts,
      pictures: this.#pictures,
      colors: this.#colors,
      history: this.#options.history,
      messages: this.#current.session.agent.history,
    });
    return boxKeys(parts, (work) => this.#inOrder(work));
  }

  #ctrlC(): void {
    if (!this.#own.stop()) this.#keys.ctrlC();
  }

  #ctrlQ(): void {
    if (!this.#own.stop()) this.#keys.ctrlQ();
  }

  #ctrlD(): void {
    if (this.#pictures.line === '') this.#left.resolve(leavingWith.quit);
    else this.#screen.hint('pictures wait for a message; Ctrl+C takes them away', 3000);
  }

  #escape(): void {
    if (this.#own.stop()) return;
    const idle = this.#worker?.busy === false;
    this.#keys.escape();
    if (idle) void this.#inOrder(() => this.#drafts.escape());
  }

  #submit(text: string, mode = this.#display.busyMode): void {
    const line = text.trim();
    if (line === '') return;
    this.#options.history.add(line);
    this.#screen.remember(line);
    void this.#inOrder(() => this.#typed.take(line, mode));
  }

  /** What throws in spite of all is shown; the chat goes on. */
  #inOrder(work: () => Promise<void> | void): Promise<void> {
    this.#lines = this.#lines.then(work).catch((error: unknown) => this.#printError(error));
    return this.#lines;
  }

  /** The next session is opened first, so that a failure leaves the user in the one that is there. */
  async #switchSession({ resume, keepModel = false, toolsets }: NextSession, reason: string): Promise<Session> {
    const { resume: _resume, prompt: { preload: _preload, ...prompt } = {}, ...like } = this.#options.spec;
    const previous = this.#current;
    const worker = await this.#open({
      ...like,
      prompt,
      ...(resume === undefined ? {} : { resume }),
      ...(toolsets === undefined ? {} : { toolsets }),
      ...(keepModel ? { route: previous.session.agent.route } : {}),
    });
    if (worker.heldBy !== undefined && !(await this.#decide(worker, worker.heldBy))) {
      await worker.close();
      await worker.session.close(reason);
      throw new UserError('You are still in the conversation from before.');
    }
    // The manner of speaking is the person's, not the conversation's.
    worker.session.prompt.extra = previous.session.prompt.extra;
    this.#worker = worker;
    this.#isFirst = false;
    this.#sessionStarted = Date.now();
    await previous.close();
    await previous.session.close(reason);
    if (resume !== undefined) this.#welcome();
    this.#listen(worker);
    return worker.session;
  }

  #printError(error: unknown): void {
    const hint = error instanceof UserError && error.hint !== undefined ? `\n${error.hint}` : '';
    this.#screen.print(this.#colors.red(terminalText(`${errorMessage(error)}${hint}`)));
  }
}

const nextFrame = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 50));
