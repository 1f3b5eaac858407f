/** The interactive chat: joins its parts, takes lines and keys, and says what stands around the input. */
import { hookSource } from '../../agent/hooks.ts';
import type { SurfaceSettings } from '../../commands/command.ts';
import { commandsWith } from '../../commands/plugin-commands.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Prepared } from '../../worker/session-worker.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
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
import { ChatSessions } from './chat-sessions.ts';
import { compose } from './compose.ts';
import { TerminalTasks } from '../background/terminal-tasks.ts';
import { showTask } from '../background/task-panel.ts';
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
import type { VoiceMode } from '../voice/voice-mode.ts';
import { asStarted } from '../started-as.ts';
import { TypedLines } from './typed-lines.ts';
import { welcomeLines } from './welcome.ts';

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
  readonly #sessions: ChatSessions;
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
  readonly #tasks: TerminalTasks;
  readonly #keyActs = this.#boxKeys();
  /** From the first `/voice` on. */
  #voice: VoiceMode | undefined;
  readonly #closing = new AbortController();
  readonly #left = Promise.withResolvers<Leaving>();
  /** Lines are taken in the order they were typed; a command that needs time lets the next line wait. */
  #lines: Promise<void> = Promise.resolve();

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#display = options.settings.display;
    const { about, looks, view, program } = options;
    const colors = looks.palette;
    this.#looks = looks;
    this.#colors = colors;
    const { env } = program.options;
    this.#pictures = new AttachedPictures(env, () => this.#screen.refresh());
    const { quick, own } = openOwnCommands(options, () => this.#sessions.current.session.id);
    this.#quick = quick;
    this.#own = own;
    this.#screen = this.#openScreen();
    this.#human = this.#openHuman();
    this.#sessions = this.#openSessions();
    this.#tasks = this.#openTasks();
    const writeInEditor = (draft: string) =>
      compose(draft, { screen: this.#screen, env, editors: options.process.editors });
    const catalogue = commandsWith(program);
    this.#commands = new ChatCommands({
      ...options,
      catalogue,
      store: program.store,
      source: options.spec.source ?? options.spec.surface,
      screen: this.#screen,
      human: this.#human,
      worker: () => this.#sessions.current,
      welcome: () => this.#welcome(),
      switchSession: (next, reason) => this.#sessions.switchTo(next, reason),
      quit: () => this.#left.resolve(leavingWith.quit),
      putDown: () => this.#left.resolve(leavingWith.putDown),
      closing: this.#closing.signal,
      compose: writeInEditor,
      pictures: this.#pictures,
      tasks: this.#tasks,
      voice: async (word) => (await this.#openVoice()).command(word),
    });
    this.#typed = new TypedLines({
      screen: this.#screen,
      colors,
      commands: this.#commands,
      catalogue,
      pictures: this.#pictures,
      quick: this.#quick,
      own: this.#own,
      pastes: options.pastes,
      view: () => this.#view,
      worker: () => this.#sessions.current,
      signal: this.#closing.signal,
    });
    this.#drafts = new Drafts({
      screen: this.#screen,
      human: this.#human,
      history: options.history,
      worker: () => this.#sessions.worker,
      submit: (text, mode) => this.#submit(text, mode),
      compose: writeInEditor,
    });
    this.#keys = new InterruptKeys({
      screen: this.#screen,
      human: this.#human,
      history: options.history,
      pictures: this.#pictures,
      worker: () => this.#sessions.worker,
      leave: (how) => this.#left.resolve(how),
    });
    this.#attention = new Attention({
      write: (sequence) => this.#screen.writeSequence(sequence),
      name: about.cwd,
      bell: view.bellOnComplete,
    });
    this.#meters = new Meters({
      session: () => this.#sessions.worker?.session,
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

  #openHuman(): TerminalHuman {
    const options = this.#options;
    return new TerminalHuman({
      ...options,
      ...options.view,
      colors: this.#colors,
      screen: this.#screen,
      log: options.program.log,
      paths: options.commandPaths,
      onAsking: (question) => this.#showAsking(question),
      onAsked: (waits) => this.#meters.asks(waits),
      onRefused: (command, why) => {
        const content = `I refused \`${oneLine(command, 200)}\`: ${why}`;
        void this.#inOrder(async () => void (await this.#sessions.current.submit({ content }, 'steer')));
      },
    });
  }

  #openScreen(): ChatScreen {
    return openScreen(
      this.#options,
      {
        session: () => this.#sessions.worker?.session,
        isOwn: (word) => this.#quick.has(word),
        above: (room) => this.#above(room),
        statusBar: (width) => this.#statusBar(width),
      },
      {
        onSubmit: (text) => this.#submit(text),
        onCtrlC: () => this.#ctrlC(),
        onCtrlQ: () => this.#ctrlQ(),
        onEscape: () => this.#escape(),
        onTyping: () => this.#voice?.typed(),
        onFocus: (gained) => this.#attention.focus(gained),
        onOpen: () => this.#view.openFolded(),
        keys: this.#keyActs,
        onCtrlD: () => this.#ctrlD(),
        onEnd: () => this.#left.resolve(leavingWith.quit),
      },
    );
  }

  #openSessions(): ChatSessions {
    return new ChatSessions({
      options: this.#options,
      screen: this.#screen,
      colors: this.#colors,
      human: this.#human,
      prepare: (...typed) => this.#prepare(...typed),
      welcome: () => this.#welcome(),
      listening: () => {
        this.#meters.begin();
        this.#attention.idle();
      },
      hear: (event) => this.#hear(event),
      leave: (how) => this.#left.resolve(how),
      inOrder: (work) => this.#inOrder(work),
      printError: (error) => this.#printError(error),
    });
  }

  #openTasks(): TerminalTasks {
    const { program, view, spec } = this.#options;
    return new TerminalTasks({
      program,
      prepare: expandTyped,
      human: this.#human,
      like: () => ({ spec: { ...spec, ...this.#sessions.chosenTools }, session: this.#sessions.current.session }),
      show: (task) => {
        showTask(task, { screen: this.#screen, colors: this.#colors, markdown: view.markdown });
        this.#attention.told(`Background task #${task.number} is done.`);
      },
      changed: () => this.#screen.refresh(),
      log: program.log,
    });
  }

  async run(): Promise<ChatEnd> {
    this.#looks.onChange = () => this.#screen.invalidate();
    if (!this.#options.view.deferAgent) await this.#sessions.begin();
    const detach = this.#options.program.plugins.conversations?.attach({
      current: () => this.#sessions.worker?.session.knowledge.door,
      say: (by, text) => void this.#inOrder(() => this.#say(by, text)),
    });
    const leaving = await this.#show();
    detach?.();
    this.#keys.keepDraft();
    this.#closing.abort();
    if (this.#sessions.worker === undefined) return { exitCode: leaving.exitCode, lines: [] };
    const stopped = (await this.#tasks.close()).map(
      ({ id, number }) => `Background task #${number} was stopped. To go on with it: hermes --resume ${id}`,
    );
    const { notSent, summary } = await this.#sessions.close(leaving);
    const lines = [...stopped, ...notSent, ...this.#parting(summary)];
    return { exitCode: leaving.exitCode, lines: leaving.silent === true ? [] : lines };
  }

  /** However it ends, nobody listens any more. */
  async #show(): Promise<Leaving> {
    const ways = { onInterrupt: () => this.#ctrlC(), exitSeconds: this.#options.process.exitSeconds };
    try {
      return await whileRunning(this.#screen, ways, () => this.#untilLeft());
    } finally {
      await this.#voice?.close();
    }
  }

  /** What is said at the end of a conversation; of an empty one only goodbye. */
  #parting(summary: readonly string[]): string[] {
    if (summary.length === 0) return [oneLine(this.#looks.skin.goodbye, 200)];
    const { paths } = this.#options.about;
    return summary.map((line) => asStarted(line, paths?.env ?? {}));
  }

  /** What is typed before the agent is there waits for it. */
  async #untilLeft(): Promise<Leaving> {
    const show = (): void => {
      this.#welcome();
      this.#sessions.listen();
      void this.#tasks.recover();
    };
    if (this.#sessions.worker !== undefined) show();
    else {
      // The prompt is drawn first.
      const begun = nextFrame().then(() => this.#sessions.begin());
      this.#lines = begun;
      await begun;
      show();
    }
    return await this.#left.promise;
  }

  /** What a person ran themselves goes along; nothing in it is a reference. */
  async #prepare(...typed: Parameters<typeof expandTyped>): Promise<Prepared> {
    const { input, warnings } = await expandTyped(...typed);
    return { input: input === undefined ? undefined : this.#own.bring(this.#voice?.bring(input) ?? input), warnings };
  }

  /** A plug-in says something in the place of the person. */
  async #say(by: string, text: string): Promise<void> {
    const submitted = await this.#sessions.current.submit({ content: text, sources: [hookSource(by)] }, 'interrupt');
    this.#view.showSubmitted(submitted, `[${by}] ${text}`);
  }

  /** Questions that a command asks were called for by whoever sits there. */
  #showAsking(question: string | undefined): void {
    if (this.#sessions.worker?.busy !== true) return;
    if (question === undefined) this.#attention.working();
    else this.#attention.waits(question);
  }

  #hear(event: WorkerEvent): void {
    this.#meters.hear(event);
    this.#view.show(event);
    this.#voice?.hear(event);
    if (event.type === 'message_taken') this.#keys.turnBegins();
  }

  #welcome(): void {
    const { about, view } = this.#options;
    const colors = this.#colors;
    const { session } = this.#sessions.current;
    const compact = view.compact || this.#screen.columns < 80;
    // The skills of the start hold for the first conversation alone.
    const activated = this.#sessions.isFirst ? (this.#options.spec.prompt?.preload ?? []) : [];
    const { skin } = this.#looks;
    this.#screen.print(
      welcomeLines({ session, about, colors, compact, skin, activated, skills: this.#sessions.skills }).join('\n'),
    );
    const { history } = session.agent;
    if (history.length === 0) return;
    this.#screen.gap();
    this.#screen.print(colors.dim(resumedLines(session.id, history, view).join('\n')));
  }

  #statusBar(width: number): string {
    const session = this.#sessions.worker?.session;
    if (session === undefined || !this.#display.statusBar) return '';
    const { agent } = session;
    return statusBar(
      {
        model: this.#options.view.modelNames.get(agent.route.model) ?? agent.route.model,
        contextTokens: agent.tokens.last_prompt_tokens || undefined,
        contextLength: agent.route.contextLength,
        durationMs: Date.now() - this.#sessions.startedAt,
        backgroundCount: session.background.count,
        tasks: this.#tasks.list().length,
        subAgents: session.background.agents.list().length,
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
    const session = this.#sessions.worker?.session;
    const todos = session?.knowledge.todos.read() ?? [];
    const agents = session?.background.agents.list() ?? [];
    const pictures = this.#pictures.line;
    const voice = this.#voice?.line(this.#colors) ?? '';
    return aboveInput({ todos, agents, waiting: this.#sessions.waiting, pictures, voice }, room, this.#colors);
  }

  #boxKeys(): ReturnType<typeof boxKeys> {
    const parts = () => ({
      screen: this.#screen,
      human: this.#human,
      drafts: this.#drafts,
      pictures: this.#pictures,
      colors: this.#colors,
      history: this.#options.history,
      messages: this.#sessions.current.session.agent.history,
    });
    return boxKeys(parts, (work) => this.#inOrder(work));
  }

  #ctrlC(): void {
    if (!this.#stopOwn()) this.#keys.ctrlC();
  }

  #ctrlQ(): void {
    if (!this.#stopOwn()) this.#keys.ctrlQ();
  }

  /** What the person runs themselves comes before the agent. */
  #stopOwn(): boolean {
    return this.#own.stop() || this.#commands.stop() || this.#voice?.stop() === true;
  }

  #ctrlD(): void {
    if (this.#pictures.line === '') this.#left.resolve(leavingWith.quit);
    else this.#screen.hint('pictures wait for a message; Ctrl+C takes them away', 3000);
  }

  #escape(): void {
    if (this.#stopOwn()) return;
    const idle = this.#sessions.worker?.busy === false;
    this.#keys.escape();
    if (idle) void this.#inOrder(() => this.#drafts.escape());
  }

  async #openVoice(): Promise<VoiceMode> {
    const { openVoice } = await import('../voice/open-voice.ts');
    const { program } = this.#options;
    this.#voice ??= openVoice({
      options: { ...program.options, models: program.models, plugins: program.plugins },
      screen: this.#screen,
      colors: this.#colors,
      keys: this.#keyActs,
      isFree: () => !this.#sessions.current.busy && this.#human.askedBy === undefined,
      said: (text) => this.#said(text),
    });
    return this.#voice;
  }

  #said(text: string): void {
    this.#options.history.add(text);
    this.#screen.remember(text);
    void this.#inOrder(() => this.#typed.send(text, this.#display.busyMode));
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

  #printError(error: unknown): void {
    const hint = error instanceof UserError && error.hint !== undefined ? `\n${error.hint}` : '';
    this.#screen.print(this.#colors.red(terminalText(`${errorMessage(error)}${hint}`)));
  }
}

const nextFrame = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 50));
