/** A question on the screen: a list to choose from, or a line to type. */
import { type Component, Container, Input, type SelectItem, SelectList, Text } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';
import type { ChoicePanel, PanelPlace } from './chat-screen.ts';
import { selectTheme } from './theme.ts';

/** The chosen value; `undefined` when the signal aborted or Escape was pressed. */
export async function askChoice(
  screen: PanelPlace,
  colors: Colors,
  choice: ChoicePanel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const numbered = choice.choices.map((item, at) => ({ ...item, label: `${at + 1} ${item.label}` }));
  const list = new NumberedList(numbered, 8, selectTheme(colors), {
    minPrimaryColumnWidth: 10,
    maxPrimaryColumnWidth: 32,
  });
  list.setSelectedIndex(choice.preselected);
  return await show(screen, [...choice.lines], list, signal, (settle) => {
    list.onSelect = (item) => settle(item.value);
    list.onCancel = () => settle(undefined);
  });
}

/** A list whose first nine choices can be taken with their number. */
class NumberedList extends SelectList {
  readonly #items: readonly SelectItem[];

  constructor(...[items, ...rest]: ConstructorParameters<typeof SelectList>) {
    super(items, ...rest);
    this.#items = items;
  }

  override handleInput(data: string): void {
    const item = /^[1-9]$/.test(data) ? this.#items[Number(data) - 1] : undefined;
    if (item === undefined) super.handleInput(data);
    else this.onSelect?.(item);
  }
}

/** What was typed; `undefined` when the signal aborted or Escape was pressed. `hidden` shows dots only. */
export async function askText(
  screen: PanelPlace,
  lines: readonly string[],
  options: { readonly hidden: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  const input = new Input();
  const field = options.hidden ? masked(input) : input;
  return await show(screen, [...lines], field, signal, (settle) => {
    input.onSubmit = (value) => settle(value);
    input.onEscape = () => settle(undefined);
  });
}

function masked(input: Input): Component {
  return {
    render: () => [`> ${'•'.repeat(Math.min(input.getValue().length, 40))}`],
    handleInput: (data) => input.handleInput(data),
    invalidate: () => input.invalidate(),
  };
}

async function show(
  screen: PanelPlace,
  lines: readonly string[],
  field: Component,
  signal: AbortSignal,
  connect: (settle: (value: string | undefined) => void) => void,
): Promise<string | undefined> {
  const panel = new Container();
  panel.addChild(new Text(lines.join('\n'), 1, 0));
  panel.addChild(field);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const onAbort = (): void => resolve(undefined);
  if (signal.aborted) return undefined;
  signal.addEventListener('abort', onAbort, { once: true });
  connect(resolve);
  const opened = screen.openPanel(panel, field);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    opened.close();
  }
}
