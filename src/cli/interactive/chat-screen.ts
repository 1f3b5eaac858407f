/** What the chat asks of a terminal: one that is drawn, or one that is written line by line. */
import type { Component } from '@earendil-works/pi-tui';
import type { AtWork } from '../../commands/background-tasks.ts';
import type { Picked, PickList } from '../../commands/pick.ts';
import type { Piece, PlacedText } from './live-text.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** What else chooses it where whole lines are typed; a key alone would answer for somebody who was just writing. */
  readonly words?: readonly string[];
}

export interface ChoicePanel {
  /** Lines above the choices; colours in them are kept. */
  readonly lines: readonly string[];
  readonly choices: readonly Choice[];
  /** The choice that is marked first. */
  readonly preselected: number;
}

/** Questions to the person, one at a time; each is answered with `undefined` when the signal aborts or nothing is chosen. */
export interface Questions {
  /** The value of the chosen one. */
  choose(panel: ChoicePanel, signal: AbortSignal): Promise<string | undefined>;
  /** What was typed; `hidden` does not show it. */
  text(
    lines: readonly string[],
    options: { readonly hidden: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** What was chosen from a list that can be searched. */
  pick(list: PickList, signal: AbortSignal): Promise<Picked | undefined>;
  /** Shows what is at work until it is closed, or somebody is to be spoken to: its id. Absent on a plain screen. */
  watch?(work: AtWork, signal: AbortSignal): Promise<string | undefined>;
}

/** Where a question is put on a screen that is drawn. */
export interface PanelPlace {
  /** Puts it in place of the input box until `close` is called. */
  openPanel(component: Component, focus: Component): { close(): void };
  refresh(): void;
}

/** What is said in the conversation. */
export interface Output {
  readonly columns: number;
  /** It is written line by line: nothing that stands there changes any more. */
  readonly plain: boolean;
  /** Adds finished text; colours in it are kept. */
  print(text: string): PlacedText;
  /** Adds a piece of Markdown that is rendered for the width of the terminal. */
  markdown(piece: Piece): PlacedText;
  /** Adds an empty line, unless there is one already. */
  gap(): void;
  /** Shows what is going on; `undefined` ends it. */
  setActivity(message: string | undefined): void;
  /** A line that goes away by itself, after `ms` milliseconds or with the next key. */
  hint(text: string, ms: number): void;
}

/** What is being typed. */
export interface Draft {
  readonly inputText: string;
  /** What is being typed stays. */
  offerInput(text: string): void;
  clearInput(): void;
  /** The Up key brings it back. */
  remember(text: string): void;
}

/** The terminal itself. */
export interface Stage {
  start(): void;
  /** Leaves what was printed and gives the terminal back. Safe to call twice, and from an exit handler. */
  stop(): void;
  /** The terminal is gone: stops without a word. */
  abandon(): void;
  /** Gives the terminal to another program until `work` is done. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  refresh(): void;
  repaint(): void;
  /** Draws everything anew, as after a change of colours. */
  invalidate(): void;
  clear(): void;
  /** Writes straight to the terminal: sequences that draw nothing (clipboard, bell). */
  writeSequence(sequence: string): void;
}

export interface ChatScreen extends Output, Draft, Stage {
  readonly ask: Questions;
}
