/** One tool call on the screen: its line, the end of what it prints while it runs, and what is left of that afterwards. */
import type { AgentEvent } from '../../agent/events.ts';
import {
  type BelowStyle,
  finishedToolLine,
  linesBelow,
  runningToolLine,
  tailLines,
  wholeLines,
} from '../render/tool-line.ts';
import type { PlacedText } from './live-text.ts';
import type { ChatScreen } from './chat-screen.ts';

export type ToolStarted = Extract<AgentEvent, { type: 'tool_started' }>;
export type ToolFinished = Extract<AgentEvent, { type: 'tool_finished' }>;

export interface CardStyle extends BelowStyle {
  /** `display.tool_preview_length`; 0 = as much as fits. */
  readonly previewChars: number;
  /** In front of the call. */
  readonly prefix: string;
}

/** Of what a running call printed, no more is kept. */
const maxTailChars = 8000;

export class ToolCard {
  readonly call: ToolStarted;
  readonly #screen: ChatScreen;
  readonly #style: CardStyle;
  readonly #live: PlacedText;
  #printed = '';
  #finished: ToolFinished | undefined;
  #isOpen = false;

  constructor(call: ToolStarted, screen: ChatScreen, style: CardStyle) {
    this.call = call;
    this.#screen = screen;
    this.#style = style;
    this.#live = screen.print(this.#running());
  }

  progress(text: string): void {
    if (this.#screen.plain) return;
    this.#printed = (this.#printed + text).slice(-maxTailChars);
    this.#live.set([this.#running(), ...tailLines(this.#printed, this.#style.colors)].join('\n'));
  }

  finish(finished: ToolFinished): void {
    this.#finished = finished;
    const { lines } = linesBelow(
      this.call,
      finished,
      this.#screen.plain ? this.#style : { ...this.#style, openKey: 'Ctrl+O' },
    );
    const text = [this.#head(finished), ...lines].join('\n');
    if (this.#screen.plain) this.#screen.print(text);
    else this.#live.set(text);
  }

  /** Shows everything: in its place, or once more at the end where its place has scrolled off. False when it was open. */
  open(): boolean {
    const finished = this.#finished;
    if (finished === undefined || this.#isOpen) return false;
    this.#isOpen = true;
    const text = [this.#head(finished), ...wholeLines(this.call, finished, this.#style)].join('\n');
    if (this.#live.isOnScreen()) this.#live.set(text);
    else {
      this.#screen.gap();
      this.#screen.print(text);
      this.#screen.gap();
    }
    return true;
  }

  #running(): string {
    const { previewChars, colors, prefix } = this.#style;
    const line = runningToolLine(this.call, previewChars, colors, prefix);
    return this.#screen.plain ? `  ${line.trim()}` : line;
  }

  #head(finished: ToolFinished): string {
    const { previewChars, colors, prefix } = this.#style;
    const line = finishedToolLine(this.call, finished, previewChars, colors, prefix);
    return this.#screen.plain ? `  ${line.trim()}` : line;
  }
}
