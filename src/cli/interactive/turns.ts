/** Runs turns one after another, and keeps what has to wait for the running one. */
import type { TurnResult } from '../../agent/events.ts';
import { errorMessage } from '../../lib/errors.ts';
import { type Content, textOf } from '../../llm/message.ts';
import type { SurfaceSettings } from '../../commands/command.ts';
import type { Session } from '../../runtime/runtime.ts';
import type { Colors } from '../render/colors.ts';
import { expandTyped } from '../chat/expand-typed.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { Screen } from './screen.ts';
import { createTurnView } from './turn-view.ts';

export interface TurnsOptions {
  readonly screen: Screen;
  readonly colors: Colors;
  readonly settings: SurfaceSettings;
  readonly previewChars: number;
  readonly bellOnComplete: boolean;
  /** The session that is talked to now. */
  session(): Session;
}

/** Lines of a message that are repeated above its answer. */
const maxEchoLines = 12;
/** An interrupted turn that does not end within this time is left alone, in milliseconds. */
const endingMs = 3000;

export class Turns {
  readonly #options: TurnsOptions;
  /** News for the agent, held until it is idle. */
  #news: string[] = [];
  #running: Promise<void> | undefined;
  #ended = false;
  /** Ends what happens before the agent has the message. */
  #stopped = new AbortController();
  #interruptedAt: number | undefined;
  /** What was typed to interrupt the running turn. */
  readonly #said: string[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Milliseconds since this turn was interrupted by hand, if it was. */
  get sinceInterruptMs(): number | undefined {
    return this.#interruptedAt === undefined ? undefined : Date.now() - this.#interruptedAt;
  }

  /** A message goes to the agent now, or as the busy mode says when it is at work. */
  send(content: Content, { echo = true }: { readonly echo?: boolean } = {}): void {
    const { screen, settings, colors } = this.#options;
    const { agent } = this.#options.session();
    if (!this.busy) {
      this.#start({ content, echo });
      return;
    }
    const text = textOf(content);
    switch (settings.busyMode) {
      case 'interrupt':
        this.#said.push(text);
        agent.interrupt(text);
        screen.setActivity('stopping, your message comes next');
        break;
      case 'queue':
        agent.queue(text);
        screen.print(colors.dim(terminalText(`  Queued for the next turn: ${firstLine(text)}`)));
        break;
      case 'steer':
        if (!agent.steer(text)) agent.queue(text);
        screen.print(colors.dim(terminalText(`  Steering: ${firstLine(text)}`)));
        break;
    }
  }

  /** Tells the agent something that no person said, as soon as it is idle. */
  tell(news: string): void {
    this.#news.push(news);
    if (this.busy) return;
    const next = this.#next();
    if (next !== undefined) this.#start(next);
  }

  /** Stops the running turn. */
  interrupt(): void {
    this.#interruptedAt = Date.now();
    this.#stopped.abort();
    this.#options.session().agent.interrupt();
    this.#options.screen.setActivity('stopping — press Ctrl+C again to leave');
  }

  /** Starts no more turns and stops the running one; resolves when its last message is stored. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stopped.abort();
    this.#options.session().agent.interrupt();
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, endingMs);
    await Promise.race([this.#running, timeout]);
    clearTimeout(timer);
  }

  #start(first: WaitingTurn): void {
    this.#running = this.#runAll(first).finally(() => {
      this.#running = undefined;
    });
  }

  async #runAll(first: WaitingTurn): Promise<void> {
    const { screen, bellOnComplete } = this.#options;
    for (let next: WaitingTurn | undefined = first; next !== undefined && !this.#ended; next = this.#next()) {
      await this.#run(next);
    }
    screen.setActivity(undefined);
    if (bellOnComplete) screen.writeSequence('\u0007');
  }

  /** What people said comes before news; what they said while a turn was being interrupted is one message. */
  #next(): WaitingTurn | undefined {
    const said = this.#said.splice(0);
    const held = said.length > 0 ? said.join('\n') : this.#options.session().agent.takeQueued();
    if (held !== undefined) return { content: held, echo: true };
    const news = this.#news.splice(0);
    return news.length === 0 ? undefined : { content: news.join('\n'), echo: false };
  }

  async #run({ content, echo }: WaitingTurn): Promise<void> {
    const { screen, colors, settings, previewChars } = this.#options;
    this.#interruptedAt = undefined;
    this.#stopped = new AbortController();
    screen.gap();
    if (echo) screen.print(`${colors.bold(colors.cyan('❯'))} ${colors.bold(echoOf(content))}`);
    const view = createTurnView({ screen, colors, settings, previewChars });
    try {
      const input = echo ? await this.#expand(content, this.#stopped.signal) : content;
      if (input === undefined) return;
      const turn = this.#options.session().agent.run(input);
      for (let next = await turn.next(); ; next = await turn.next()) {
        if (next.done === true) {
          this.#showEnd(next.value);
          break;
        }
        view.show(next.value);
      }
    } catch (error) {
      screen.print(colors.red(`  ${terminalText(errorMessage(error))}`));
    }
  }

  /** What a typed message refers to with `@` goes along with it; undefined when it must not be sent. */
  async #expand(content: Content, signal: AbortSignal): Promise<Content | undefined> {
    if (typeof content !== 'string') return content;
    const { screen, colors } = this.#options;
    const expanded = await expandTyped(this.#options.session(), content, signal);
    for (const warning of expanded.warnings) screen.print(colors.yellow(terminalText(`  ${warning}`)));
    return expanded.content;
  }

  #showEnd({ error, interrupted }: TurnResult): void {
    const { screen, colors } = this.#options;
    if (error === undefined && !interrupted) return;
    screen.gap();
    if (error !== undefined) screen.print(colors.red(`  ${terminalText(error)}`));
    if (interrupted) screen.print(colors.yellow('  Interrupted.'));
  }
}

interface WaitingTurn {
  readonly content: Content;
  /** Shown above the answer as something that a person said. */
  readonly echo: boolean;
}

function echoOf(content: Content): string {
  const lines = terminalText(textOf(content)).split('\n');
  const shown = lines.slice(0, maxEchoLines).join('\n');
  return lines.length > maxEchoLines ? `${shown}\n… ${lines.length - maxEchoLines} more lines` : shown;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line === text ? line : `${line} …`;
}
