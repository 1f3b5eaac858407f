/** The interactive chat: reads lines, hands them to the agent or to commands, one session after another. */
import { existsSync } from 'node:fs';
import { slashCommands } from '../../commands/catalogue.ts';
import type { CommandContext, SlashCommand, SurfaceSettings } from '../../commands/command.ts';
import { skillLine } from '../../commands/skill-line.ts';
import type { CommandAnswer } from '../../skills/skill-commands.ts';
import { resolveCommand } from '../../commands/resolve.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Runtime, Session } from '../../runtime/runtime.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import { exitSummary } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { InputHistory } from './input-history.ts';
import { interruptAction } from './interrupt-ladder.ts';
import { type Leaving, leavingWith, whileRunning } from './leaving.ts';
import type { Pastes } from './pastes.ts';
import { recapLines } from './recap.ts';
import { Screen } from './screen.ts';
import { statusBar } from './status-bar.ts';
import { createTerminalHuman, type TerminalHuman } from './terminal-human.ts';
import { Turns } from './turns.ts';
import { welcomeLines } from './welcome.ts';

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly colors: Colors;
  readonly resume: SessionRow | undefined;
  readonly source: string;
  readonly settings: SurfaceSettings;
  /** Skills that stay in force for the first session. */
  readonly preload: readonly string[];
  readonly about: CommandContext['about'];
  readonly previewChars: number;
  /** `display.compact` */
  readonly compact: boolean;
  /** `display.resume_display: minimal` */
  readonly shortRecap: boolean;
  readonly bellOnComplete: boolean;
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  /** False when `approvals.destructive_slash_confirm` is off. */
  readonly confirmDestructive: boolean;
  readonly history: InputHistory;
  readonly pastes: Pastes;
  readonly configReport: () => Promise<string>;
  readonly saveFile: (relativePath: string, text: string) => Promise<string>;
  readonly saveSettings: CommandContext['saveSettings'];
  /** Stores `approvals.destructive_slash_confirm: false`. */
  stopConfirming(): Promise<void>;
}

export interface ChatEnd {
  readonly exitCode: number;
  /** To print after the screen was given back. */
  readonly lines: readonly string[];
}

/** Runs until the user leaves. Rejects with what broke the program; the terminal is given back before. */
export async function runChat(options: ChatOptions): Promise<ChatEnd> {
  return await new Chat(options).run();
}

/** A command that takes longer than this says so, in milliseconds. */
const quickCommandMs = 300;

class Chat {
  readonly #options: ChatOptions;
  readonly #screen: Screen;
  readonly #human: TerminalHuman;
  readonly #turns: Turns;
  readonly #left = Promise.withResolvers<Leaving>();
  /** Lines are taken in the order they were typed; a command that needs time lets the next line wait. */
  #lines: Promise<void> = Promise.resolve();
  #session: Session | undefined;
  #sessionStarted = Date.now();
  #confirmDestructive: boolean;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#confirmDestructive = options.confirmDestructive;
    const { profile, cwd } = options.about;
    this.#screen = new Screen(
      {
        colors: options.colors,
        cwd,
        prompt: profile === 'default' ? '❯ ' : `${profile} ❯ `,
        commands: slashCommands,
        history: options.history.entries,
        statusBar: (width) => this.#statusBar(width),
      },
      {
        onSubmit: (text) => this.#submit(text),
        onCtrlC: () => this.#ctrlC(),
        onCtrlD: () => this.#left.resolve(leavingWith.quit),
        onPaste: (text) => options.pastes.collapse(text),
      },
    );
    this.#human = createTerminalHuman({ screen: this.#screen, ...options });
    this.#turns = new Turns({ ...options, screen: this.#screen, session: () => this.#current });
  }

  async run(): Promise<ChatEnd> {
    const { resume } = this.#options;
    await this.#open({ preload: this.#options.preload, ...(resume === undefined ? {} : { resume }) });
    const onInterrupt = (): void => this.#ctrlC();
    const leaving = await whileRunning(this.#screen, onInterrupt, () => {
      this.#welcome();
      return this.#left.promise;
    });
    const lines = await this.#close(leaving);
    return { exitCode: leaving.exitCode, lines: leaving.silent === true ? [] : lines };
  }

  async #open(next: { resume?: SessionRow; preload?: readonly string[] }): Promise<void> {
    const { runtime, source } = this.#options;
    const session = await runtime.openSession({
      human: this.#human,
      source,
      learns: true,
      onLearned: (line) => this.#screen.print(this.#options.colors.dim(terminalText(`  ${line}`))),
      onWarning: (line) => this.#screen.print(this.#options.colors.yellow(terminalText(`  ${line}`))),
      ...next,
    });
    this.#session = session;
    session.onNotice(() => this.#inOrder(() => this.#hearNotices(session)));
  }

  /** News of background processes is shown at once, and told to the agent when it is idle. */
  #hearNotices(session: Session): void {
    if (this.#session !== session) return;
    const notices = session.takeNotices();
    if (notices.length === 0) return;
    this.#screen.gap();
    for (const notice of notices) this.#screen.print(this.#options.colors.dim(terminalText(notice)));
    this.#turns.tell(notices.map((notice) => `[System: ${notice}]`).join('\n'));
  }

  /** Ends the session; a running turn is interrupted and what it has so far is already stored. */
  async #close(leaving: Leaving): Promise<string[]> {
    await this.#turns.end();
    const session = this.#current;
    const row = await this.#options.runtime.store?.sessions.get(session.id);
    const lines = exitSummary(session, row?.title ?? undefined, Date.now() - this.#sessionStarted);
    await session.close(leaving.reason);
    return lines.length === 0 ? ['Goodbye! ⚕'] : lines;
  }

  get #current(): Session {
    if (this.#session === undefined) throw new Error('the chat has not started');
    return this.#session;
  }

  #welcome(): void {
    const { colors, about, runtime, shortRecap } = this.#options;
    const session = this.#current;
    const compact = this.#options.compact || this.#screen.columns < 80;
    this.#screen.print(welcomeLines({ session, runtime, about, colors, compact }).join('\n'));
    const { history } = session.agent;
    if (history.length === 0) return;
    const recap = shortRecap ? [`${history.length} earlier messages`] : recapLines(history);
    this.#screen.gap();
    this.#screen.print(colors.dim(['Previous Conversation', ...recap].join('\n')));
  }

  #statusBar(width: number): string {
    const session = this.#session;
    if (session === undefined || !this.#options.settings.statusBar) return '';
    const { agent } = session;
    return statusBar(
      {
        model: agent.route.model,
        contextTokens: agent.tokens.last_prompt_tokens || undefined,
        contextLength: agent.route.contextLength,
        durationMs: Date.now() - this.#sessionStarted,
        backgroundCount: session.backgroundCount,
        yolo: session.yolo,
      },
      width,
      this.#options.colors,
    );
  }

  #submit(text: string): void {
    const line = text.trim();
    if (line === '') return;
    this.#options.history.add(line);
    this.#screen.remember(line);
    this.#inOrder(() => this.#take(line));
  }

  /** What throws in spite of all is shown; the chat goes on. */
  #inOrder(work: () => Promise<void> | void): void {
    this.#lines = this.#lines.then(work).catch((error: unknown) => this.#printError(error));
  }

  async #take(line: string): Promise<void> {
    const text = this.#options.pastes.expand(line);
    const resolved = resolveCommand(text, slashCommands, existsSync);
    if (resolved.kind === 'message') {
      this.#turns.send(text);
      return;
    }
    if (resolved.kind === 'unknown' || !resolved.exact) {
      const skill = await skillLine(this.#current, text, new AbortController().signal);
      if (skill !== undefined) return this.#takeSkill(line, skill);
    }
    this.#screen.gap();
    this.#screen.print(this.#options.colors.dim(`❯ ${terminalText(line)}`));
    if (resolved.kind === 'command') await this.#runCommand(resolved.command, resolved.args);
    else this.#print(`Unknown command: ${resolved.name}\nType /help for available commands`);
  }

  /** The agent gets the whole skill; the screen shows what was typed. */
  #takeSkill(line: string, answer: CommandAnswer): void {
    this.#screen.gap();
    this.#screen.print(this.#options.colors.dim(`❯ ${terminalText(line)}`));
    if ('error' in answer) this.#print(answer.error);
    else this.#turns.send([{ type: 'text', text: answer.message, origin: 'user' }], { echo: false });
  }

  async #runCommand(command: SlashCommand, args: string): Promise<void> {
    const idle = !this.#turns.busy;
    if (!idle && !command.whileBusy) {
      this.#print(`/${command.name} has to wait until the turn is done; /stop ends it.`);
      return;
    }
    const slow = idle ? setTimeout(() => this.#screen.setActivity(`/${command.name}`), quickCommandMs) : undefined;
    try {
      await command.run(this.#commandContext(), args);
    } finally {
      clearTimeout(slow);
      if (idle && !this.#turns.busy) this.#screen.setActivity(undefined);
    }
  }

  #commandContext(): CommandContext {
    const { runtime, source, settings, about, configReport, saveFile, saveSettings } = this.#options;
    return {
      session: this.#current,
      store: runtime.store,
      source,
      settings,
      commands: slashCommands,
      about,
      print: (text) => this.#print(text),
      confirm: (question) => this.#confirm(question),
      switchSession: (next, reason) => this.#switchSession(next, reason),
      send: (message) => this.#turns.send(message),
      clearScreen: () => {
        this.#screen.clear();
        this.#welcome();
      },
      redraw: () => this.#screen.repaint(),
      // OSC 52: the terminal puts base64 text into the clipboard, also over ssh.
      copy: (text) => this.#screen.writeSequence(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
      configReport,
      saveFile,
      saveSettings,
      quit: () => this.#left.resolve(leavingWith.quit),
    };
  }

  async #confirm(question: string): Promise<boolean> {
    if (!this.#confirmDestructive) return true;
    const answer = await this.#human.confirm(question);
    if (answer === 'always') {
      this.#confirmDestructive = false;
      await this.#options.stopConfirming();
    }
    return answer !== 'cancel';
  }

  /** The next session is opened first, so that a failure leaves the user in the one that is there. */
  async #switchSession(next: { resume?: SessionRow }, reason: string): Promise<Session> {
    const previous = this.#current;
    await this.#open(next);
    await previous.close(reason);
    this.#sessionStarted = Date.now();
    if (next.resume !== undefined) this.#welcome();
    return this.#current;
  }

  #ctrlC(): void {
    const action = interruptAction({
      promptOpen: this.#human.asking,
      busy: this.#turns.busy,
      inputEmpty: this.#screen.inputText === '',
      sinceInterruptMs: this.#turns.sinceInterruptMs,
    });
    switch (action) {
      case 'cancel_prompt':
        this.#human.cancelOpenQuestion();
        break;
      case 'interrupt':
        this.#turns.interrupt();
        break;
      case 'clear_input':
        this.#screen.clearInput();
        break;
      case 'force_exit':
        this.#left.resolve(leavingWith.interrupt);
        break;
      case 'exit':
        this.#left.resolve(leavingWith.quit);
        break;
    }
  }

  #print(text: string): void {
    this.#screen.print(terminalText(text));
  }

  #printError(error: unknown): void {
    const hint = error instanceof UserError && error.hint !== undefined ? `\n${error.hint}` : '';
    this.#screen.print(this.#options.colors.red(terminalText(`${errorMessage(error)}${hint}`)));
  }
}
