/** The last tool calls on the screen, which can be opened: the newest first. */
import type { ToolCard } from './tool-card.ts';

/** Older calls can be seen with `/history` only. */
const maxCards = 50;

export class FoldedCards {
  readonly #cards: ToolCard[] = [];

  add(card: ToolCard): void {
    this.#cards.push(card);
    if (this.#cards.length > maxCards) this.#cards.shift();
  }

  /** Opens the newest call that is not open yet. False when there is none. */
  open(): boolean {
    return this.#cards.toReversed().some((card) => card.open());
  }
}
