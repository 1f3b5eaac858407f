/** Questions in panels that stand in the place of the input box. */
import type { AtWork } from '../../commands/background-tasks.ts';
import type { Picked, PickList } from '../../commands/pick.ts';
import type { Colors } from '../render/colors.ts';
import type { ChoicePanel, PanelPlace, Questions } from './chat-screen.ts';
import { askChoice, askText } from './question-panel.ts';

export class PanelQuestions implements Questions {
  readonly #place: PanelPlace;
  readonly #colors: Colors;

  constructor(place: PanelPlace, colors: Colors) {
    this.#place = place;
    this.#colors = colors;
  }

  async choose(panel: ChoicePanel, signal: AbortSignal): Promise<string | undefined> {
    return await askChoice(this.#place, this.#colors, panel, signal);
  }

  async text(
    lines: readonly string[],
    options: { readonly hidden: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return await askText(this.#place, lines, options, signal);
  }

  async pick(list: PickList, signal: AbortSignal): Promise<Picked | undefined> {
    const { pick } = await import('./picker.ts');
    return await pick(this.#place, this.#colors, list, signal);
  }

  async watch(work: AtWork, signal: AbortSignal): Promise<string | undefined> {
    const { watchWork } = await import('./work-tree.ts');
    return await watchWork(this.#place, this.#colors, work, signal);
  }
}
