/** The interactive chat: reads lines, runs turns and commands, one session after another. */
import { existsSync } from 'node:fs';
import type { Content } from '../../llm/message.ts';
import type { CommandContext, SurfaceSettings } from '../../commands/command.ts';
import { slashCommands } from '../../commands/catalogue.ts';
import { resolveCommand } from '../../commands/resolve.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Runtime, Session } from '../../runtime/runtime.ts';
import type { SessionRow } from '../../sessions/session-store.ts';
import { exitSummary } from '../chat/exit-summary.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { type InputHistory, openInputHistory } from './input-history.ts';
import { interruptAction } from './interrupt-ladder.ts';
import { recapLines } from './recap.ts';
import { Screen } from './screen.ts';
import { statusBar } from './status-bar.ts';
import { createTerminalHuman, type TerminalHuman } from './terminal-human.ts';
import { createTurnView } from './turn-view.ts';
import { welcomeLines } from './welcome.ts';

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly colors: Colors;
  readonly resume: SessionRow | undefined;
  readonly source: string;
  readonly settings: SurfaceSettings;
  readonly about: CommandContext['about'];
  readonly previewChars: number;
  /** `display.resume_display: minimal` */
  readonly shortRecap: boolean;
  readonly bellOnComplete: boolean;
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  /** False when `approvals.destructive_slash_confirm` is off. */
  readonly confirmDestructive: boolean;
  readonly historyFile: string;
  readonly configReport: () => Promise<string>;
  readonly saveFile: (relativePath: string, text: string) => Promise<string>;
  /** Stores `approvals.destructive_slash_confirm: false`. */
  stopConfirming(): Promise<void>;
}

/** Runs until the user leaves; returns the lines to print after the screen is given back. */
export async function runChat(options: ChatOptions): Promise<string[]> {
  return await new Chat(options).run();
}

class Chat {
  readonly #options: ChatOptions;
  readonly #screen: Screen;
  readonly #human: TerminalHuman;
  readonly #history: InputHistory;
  readonly #left = Promise.withResolvers<void>();
  #session: Session | undefined;
  #sessionStarted = Date.now();
  #interruptedAt: number | undefined;
  /** Settles when the running turns are over; an interrupted one ends within two seconds. */
  #turns: Promise<void> = Promise.resolve();
  #leaving = false;
  #confirmDestructive: boolean;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#confirmDestructive = options.confirmDestructive;
    this.#history = openInputHistory(options.historyFile);
    this.#screen = new Screen(
      {
        colors: options.colors,
        cwd: options.about.cwd,
        commands: slashCommands,
        history: this.#history.entries,
        statusBar: (width) => this.#statusBar(width),
      },
      {
        onSubmit: (text) => this.#submit(text),
        onCtrlC: () => this.#ctrlC(),
        onCtrlD: () => this.#left.resolve(),
      },
    );
    this.#human = createTerminalHuman({ screen: this.#screen, ...options });
  }

  async run(): Promise<string[]> {
    const { resume } = this.#options;
    await this.#open(resume === undefined ? {} : { resume });
    const leave = (): void => this.#left.resolve();
    // A crash must not leave the terminal in raw mode; the error itself is reported as always.
    const restoreTerminal = (): void => this.#screen.stop();
    process.on('SIGTERM', leave);
    process.on('SIGHUP', leave);
    process.on('uncaughtExceptionMonitor', restoreTerminal);
    this.#screen.start();
    this.#welcome();
    try {
      await this.#left.promise;
    } finally {
      process.off('SIGTERM', leave);
      process.off('SIGHUP', leave);
      process.off('uncaughtExceptionMonitor', restoreTerminal);
      this.#screen.stop();
    }
    return await this.#leave();
  }

  async #open(next: { resume?: SessionRow; title?: string }): Promise<void> {
    const { runtime, source } = this.#options;
    const session = await runtime.openSession({ human: this.#human, source, ...next });
    this.#session = session;
    session.onNotice(() => {
      if (this.#session === session) this.#hearNotices();
    });
  }

  /** News of background processes is shown at once, and told to the agent when it is idle. */
  #hearNotices(): void {
    const notices = this.#current.takeNotices();
    if (notices.length === 0) return;
    for (const notice of notices) this.#print(notice);
    const text = notices.map((notice) => `[System: ${notice}]`).join('\n');
    if (this.#current.agent.busy) this.#current.agent.queue(text);
    else this.#turns = this.#runTurns(text);
  }

  /** Ends the session; a running turn is interrupted and what it has so far is already stored. */
  async #leave(): Promise<string[]> {
    this.#leaving = true;
    const session = this.#current;
    session.agent.interrupt();
    await this.#turns;
    const row = await this.#options.runtime.store?.getSession(session.id);
    const lines = exitSummary(session, row?.title ?? undefined, Date.now() - this.#sessionStarted);
    await session.close('user_exit');
    return lines.length === 0 ? ['Goodbye.'] : lines;
  }

  get #current(): Session {
    if (this.#session === undefined) throw new Error('the chat has not started');
    return this.#session;
  }

  #welcome(): void {
    const { colors, about, runtime, shortRecap } = this.#options;
    const session = this.#current;
    this.#screen.print(welcomeLines(session, runtime, about, colors).join('\n'));
    const { history } = session.agent;
    if (history.length === 0) return;
    const recap = shortRecap ? [`${history.length} earlier messages`] : recapLines(history);
    this.#screen.print(colors.dim(['Previous Conversation', ...recap, ''].join('\n')));
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
    this.#history.add(line);
    this.#screen.remember(line);
    const resolved = resolveCommand(line, slashCommands, existsSync);
    switch (resolved.kind) {
      case 'unknown':
        this.#print(`Unknown command: ${resolved.name}\nType /help for available commands`);
        break;
      case 'command':
        void this.#runCommand(resolved.command, resolved.args);
        break;
      case 'message':
        this.#message(line);
        break;
    }
  }

  async #runCommand(command: (typeof slashCommands)[number], args: string): Promise<void> {
    if (this.#current.agent.busy && !command.whileBusy) {
      this.#print(`/${command.name} has to wait until the turn is done; /stop ends it.`);
      return;
    }
    try {
      await command.run(this.#commandContext(), args);
    } catch (error) {
      this.#printError(error);
    }
  }

  #commandContext(): CommandContext {
    const { runtime, settings, about, configReport, saveFile } = this.#options;
    return {
      session: this.#current,
      store: runtime.store,
      settings,
      commands: slashCommands,
      about,
      print: (text) => this.#print(text),
      confirm: (question) => this.#confirm(question),
      switchSession: (next, reason) => this.#switchSession(next, reason),
      send: (message) => this.#message(message),
      clearScreen: () => {
        this.#screen.clear();
        this.#welcome();
      },
      redraw: () => this.#screen.repaint(),
      // OSC 52: the terminal puts base64 text into the clipboard, also over ssh.
      copy: (text) => this.#screen.writeSequence(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
      configReport,
      saveFile,
      quit: () => this.#left.resolve(),
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

  async #switchSession(next: { resume?: SessionRow; title?: string }, reason: string): Promise<void> {
    await this.#current.close(reason);
    await this.#open(next);
    this.#sessionStarted = Date.now();
    if (next.resume !== undefined) this.#welcome();
    this.#screen.refresh();
  }

  /** A message goes to the agent now, or as the busy mode says when it is at work. */
  #message(content: Content): void {
    const { agent } = this.#current;
    if (!agent.busy) {
      this.#turns = this.#runTurns(content);
      return;
    }
    const text = typeof content === 'string' ? content : '';
    switch (this.#options.settings.busyMode) {
      case 'interrupt':
        agent.queue(text);
        agent.interrupt(text);
        break;
      case 'queue':
        agent.queue(text);
        this.#print(`Queued for the next turn: ${text}`);
        break;
      case 'steer':
        agent.steer(text);
        this.#print(`Steering: ${text}`);
        break;
    }
  }

  /** Runs the turn and then whatever was held for after it; messages held while it was interrupted become one. */
  async #runTurns(first: Content): Promise<void> {
    let next: Content | undefined = first;
    while (next !== undefined && !this.#leaving) {
      await this.#runTurn(next);
      const held = this.#takeHeld();
      next = held.length === 0 ? undefined : held.join('\n');
    }
  }

  #takeHeld(): string[] {
    const { agent } = this.#current;
    const held: string[] = [];
    for (let text = agent.takeQueued(); text !== undefined; text = agent.takeQueued()) {
      held.push(text);
      if (this.#options.settings.busyMode !== 'interrupt') break;
    }
    return held;
  }

  async #runTurn(content: Content): Promise<void> {
    const { colors, settings, previewChars, bellOnComplete } = this.#options;
    const session = this.#current;
    const text = typeof content === 'string' ? content : '[attachment]';
    this.#screen.print(`\n${colors.bold(colors.cyan('❯'))} ${colors.bold(terminalText(text))}\n`);
    const view = createTurnView({ screen: this.#screen, colors, settings, previewChars });
    this.#interruptedAt = undefined;
    try {
      const turn = session.agent.run(content);
      for (let next = await turn.next(); ; next = await turn.next()) {
        if (next.done !== true) {
          view.show(next.value);
          continue;
        }
        const { error, interrupted } = next.value;
        if (error !== undefined) this.#screen.print(colors.red(`  ${terminalText(error)}`));
        if (interrupted) this.#screen.print(colors.yellow('  Interrupted.'));
        break;
      }
    } catch (error) {
      this.#printError(error);
    }
    this.#screen.setSpinner(undefined);
    this.#screen.trim();
    if (bellOnComplete) this.#screen.writeSequence('\u0007');
  }

  #ctrlC(): void {
    if (this.#human.cancelOpenQuestion()) return;
    const { agent } = this.#current;
    const action = interruptAction({
      promptOpen: false,
      busy: agent.busy,
      inputEmpty: this.#screen.inputText === '',
      sinceInterruptMs: this.#interruptedAt === undefined ? undefined : Date.now() - this.#interruptedAt,
    });
    switch (action) {
      case 'interrupt':
        this.#interruptedAt = Date.now();
        agent.interrupt();
        this.#screen.setSpinner('stopping — press Ctrl+C again to leave');
        break;
      case 'clear_input':
        this.#screen.clearInput();
        break;
      case 'force_exit':
      case 'exit':
      case 'cancel_prompt':
        this.#left.resolve();
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
