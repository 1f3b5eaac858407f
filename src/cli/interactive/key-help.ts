/** The keys of the chat, shown until the next key. */
import { type Component, matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import { chatKeys } from '../../commands/keys.ts';
import type { Colors } from '../render/colors.ts';

export class KeyHelp implements Component {
  readonly #colors: Colors;
  readonly #close: (key: string) => void;

  /** `close` gets the key, unless that only closes it. */
  constructor(colors: Colors, close: (key: string) => void) {
    this.#colors = colors;
    this.#close = close;
  }

  render(width: number): string[] {
    const { bold, cyan, dim } = this.#colors;
    const room = Math.max(...chatKeys.map(({ keys }) => keys.length));
    const narrow = width < room + 46;
    const shown = narrow ? chatKeys.map(({ short, ...key }) => ({ ...key, does: short ?? key.does })) : chatKeys;
    return [
      bold(' Keys'),
      ...shown.map(({ keys, does }) =>
        truncateToWidth(` ${cyan(narrow ? keys : keys.padEnd(room))}  ${does}`, width, '…'),
      ),
      dim(truncateToWidth(' Any key closes this; /help lists the commands', width, '…')),
    ];
  }

  handleInput(data: string): void {
    const closesOnly = ['escape', 'enter', 'space'] as const;
    this.#close(data === '?' || closesOnly.some((key) => matchesKey(data, key)) ? '' : data);
  }

  invalidate(): void {
    // Nothing is cached.
  }
}
