/** Shows what a worker tells: what was said, the turns, and how they ended. */
import type { TurnResult } from '../../agent/events.ts';
import { type Content, textOf } from '../../llm/message.ts';
import type { QueuedMessage } from '../../sessions/work-queue.ts';
import type { Submitted, WorkerEvent } from '../../worker/worker.ts';
import { terminalText } from '../render/terminal-text.ts';
import { counted } from '../../lib/counted.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { Attention } from './attention.ts';
import { FoldedCards } from './folded-cards.ts';
import { turnSum } from './turn-sum.ts';
import { TurnView, type TurnViewOptions } from './turn-view.ts';

export interface SessionViewOptions extends Omit<TurnViewOptions, 'cards'> {
  readonly attention: Attention;
  /** `display.turn_completion_explainer`: why a turn has no whole answer. */
  readonly explains: boolean;
  /** `display.user_message_preview`: lines of a long message that are repeated above its answer. */
  readonly echo: { readonly first: number; readonly last: number };
  /** Dollars of the turn that was the last to begin. Must not reject. */
  turnUsd(): Promise<number>;
  /** How long that turn was worked on, in milliseconds. */
  turnMs(): number;
}

/** In milliseconds. */
const justTypedMs = 1000;

export class SessionView {
  readonly #options: SessionViewOptions & TurnViewOptions;
  readonly #cards = new FoldedCards();
  #turn: TurnView;
  #tools = 0;
  #lastWords = '';
  /** Prints how the last turn ended, while the cost of it is not known yet. */
  #endWithoutCost: (() => void) | undefined;

  constructor(options: SessionViewOptions) {
    this.#options = { ...options, cards: this.#cards };
    this.#turn = new TurnView(this.#options);
  }

  /** Shows all of the newest tool call that is not open yet. */
  openFolded(): void {
    if (!this.#cards.open()) this.#options.screen.hint('there is no tool call left to open', 2000);
  }

  show(event: WorkerEvent): void {
    const { screen, colors, attention } = this.#options;
    switch (event.type) {
      case 'message_taken':
        return this.#begin(event.message);
      case 'message_failed':
        screen.print(colors.red(`  ${terminalText(event.error)}`));
        return;
      case 'idle':
        screen.setActivity(undefined);
        return attention.done(this.#lastWords);
      case 'held_elsewhere':
        return screen.setActivity(undefined);
      case 'held_here':
        if (event.movedTo === undefined) screen.print(colors.dim('  This conversation goes on here.'));
        return;
      case 'queue_changed':
        return;
      default:
        this.#turn.show(event);
        if (event.type === 'tool_finished') this.#tools += 1;
        if (event.type === 'turn_finished') this.#showEnd(event.result);
    }
  }

  /** What became of a line that was typed while a turn runs. */
  showSubmitted({ as }: Submitted, content: string): void {
    const { screen, colors } = this.#options;
    const print = (label: string): void => {
      screen.print(colors.dim(terminalText(`  ${label}: ${firstLine(content)}`)));
    };
    if (as === 'interrupting') screen.setActivity('stopping, your message comes next');
    else if (as === 'queued') print('Queued for the next turn');
    else if (as === 'steered') print('Steering');
  }

  #begin({ kind, content, shown, queuedAt }: QueuedMessage): void {
    const { screen, colors, attention } = this.#options;
    this.#endWithoutCost?.();
    attention.working();
    this.#tools = 0;
    this.#turn = new TurnView(this.#options);
    screen.gap();
    // What was typed as a line stands there already.
    const isSeen = shown === true || (screen.plain && Date.now() - queuedAt < justTypedMs);
    if (kind === 'said' && !isSeen)
      screen.print(`${colors.bold(colors.cyan('❯'))} ${this.#echo(content)}${colors.dim(this.#time(queuedAt))}`);
  }

  /** The beginning and the end of a long message. */
  #echo(content: Content): string {
    const { colors, echo } = this.#options;
    const lines = terminalText(textOf(content)).split('\n');
    const hidden = lines.length - echo.first - echo.last;
    const bold = (part: readonly string[]): string[] => part.map((line) => colors.bold(line));
    if (hidden <= 0) return bold(lines).join('\n');
    const note = colors.dim(`… ${counted(hidden, 'more line')}`);
    return [...bold(lines.slice(0, echo.first)), note, ...bold(lines.slice(lines.length - echo.last))].join('\n');
  }

  #time(ms: number): string {
    const { timestamps, timestampFormat } = this.#options.settings;
    return timestamps ? ` ${formatTime(timestampFormat, new Date(ms))}` : '';
  }

  /** The line waits for the cost, but the next turn does not wait for the line. */
  #showEnd(result: TurnResult): void {
    const ms = this.#options.turnMs();
    const tools = this.#tools;
    this.#lastWords = result.finalResponse ?? '';
    const print = (usd: number): void => {
      if (this.#endWithoutCost !== withoutCost) return;
      this.#endWithoutCost = undefined;
      this.#printEnd(result, turnSum(ms, tools, usd));
    };
    const withoutCost = (): void => print(0);
    this.#endWithoutCost = withoutCost;
    void this.#options.turnUsd().then(print);
  }

  #printEnd(result: TurnResult, sum: string | undefined): void {
    const { screen, colors } = this.#options;
    if (sum !== undefined) {
      screen.gap();
      screen.print(colors.dim(`  ${sum}`));
    }
    if (result.ended === 'completed' || result.ended === 'budget') return;
    screen.gap();
    const kept = (result.finalResponse ?? '').trim() !== '';
    if (result.ended === 'partial' && !this.#options.explains) {
      if (!kept) screen.print(colors.dim('  (empty)'));
      return;
    }
    if (result.ended === 'interrupted') {
      screen.print(colors.yellow(`  ⏹ Interrupted.${kept ? ' The answer ends here; what was said is kept.' : ''}`));
    } else screen.print(colors.red(`  ${terminalText(result.error)}`));
  }
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line === text ? line : `${line} …`;
}
