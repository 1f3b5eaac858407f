/** A list on the screen that is searched by typing. */
import {
  type Component,
  type Focusable,
  fuzzyFilter,
  Input,
  matchesKey,
  SelectList,
  truncateToWidth,
} from '@earendil-works/pi-tui';
import type { Picked, PickList, PickRow } from '../../commands/pick.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { PanelPlace } from './chat-screen.ts';
import { selectTheme } from './theme.ts';

const maxVisible = 10;
/** A narrower list has no column for descriptions: that of the marked row stands below it. */
const narrow = 70;

/** What was chosen; `undefined` when the signal aborted or Escape was pressed. */
export async function pick(
  screen: PanelPlace,
  colors: Colors,
  list: PickList,
  signal: AbortSignal,
): Promise<Picked | undefined> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<Picked | undefined>();
  const closing = new AbortController();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  const picker = new Picker(list, colors, resolve);
  const opened = screen.openPanel(picker, picker);
  void bringMore(list, picker, screen, AbortSignal.any([signal, closing.signal]));
  try {
    return await promise;
  } finally {
    closing.abort();
    signal.removeEventListener('abort', onAbort);
    opened.close();
  }
}

async function bringMore({ more }: PickList, picker: Picker, screen: PanelPlace, signal: AbortSignal): Promise<void> {
  if (more === undefined) return;
  picker.loading = true;
  try {
    await more((rows) => {
      if (!signal.aborted) picker.add(rows);
      screen.refresh();
    }, signal);
    picker.loading = false;
  } catch (error) {
    picker.failed(error);
  }
  if (!signal.aborted) screen.refresh();
}

class Picker implements Component, Focusable {
  loading = false;
  readonly #list: PickList;
  readonly #colors: Colors;
  readonly #settle: (picked: Picked | undefined) => void;
  readonly #search = new Input({ prompt: '> ', placeholder: 'type to search' });
  #rows: readonly PickRow[];
  #shown: readonly PickRow[];
  #select: SelectList;
  #problem = '';

  constructor(list: PickList, colors: Colors, settle: (picked: Picked | undefined) => void) {
    this.#list = list;
    this.#colors = colors;
    this.#settle = settle;
    this.#rows = list.rows.map(safe);
    this.#shown = this.#rows;
    this.#select = this.#made(list.current);
  }

  get focused(): boolean {
    return this.#search.focused;
  }

  set focused(on: boolean) {
    this.#search.focused = on;
  }

  /** The marked row stays marked. */
  add(rows: readonly PickRow[]): void {
    const known = new Set(this.#rows.map(({ value }) => value));
    this.#rows = [...this.#rows, ...rows.filter(({ value }) => !known.has(value)).map(safe)];
    this.#filter(this.#select.getSelectedItem()?.value);
  }

  failed(error: unknown): void {
    this.loading = false;
    this.#problem = error instanceof Error ? terminalText(error.message) : '';
  }

  invalidate(): void {
    this.#search.invalidate();
    this.#select.invalidate();
  }

  render(width: number): string[] {
    const { bold, dim } = this.#colors;
    const line = (text: string): string => truncateToWidth(` ${text}`, width, '…');
    const marked = this.#select.getSelectedItem();
    const rows = this.#shown.length === 0 ? [dim('  nothing fits')] : this.#select.render(Math.max(1, width));
    const below = width < narrow && marked?.description !== undefined ? [dim(line(` ${marked.description}`))] : [];
    const state = this.loading ? ' · more are coming …' : this.#problem === '' ? '' : ` · ${this.#problem}`;
    return [
      bold(line(terminalText(this.#list.title))),
      ...this.#search.render(width),
      ...rows,
      ...below,
      dim(line(`${this.#keys(width)}${state}`)),
    ];
  }

  handleInput(data: string): void {
    const marked = this.#select.getSelectedItem()?.value;
    if (matchesKey(data, 'escape')) return this.#settle(undefined);
    if (matchesKey(data, 'enter')) return marked === undefined ? undefined : this.#settle({ value: marked });
    if (matchesKey(data, 'up') || matchesKey(data, 'down')) return this.#select.handleInput(data);
    if (matchesKey(data, 'pageUp') || matchesKey(data, 'pageDown'))
      return this.#page(matchesKey(data, 'pageUp') ? -1 : 1);
    const action = (this.#list.actions ?? []).find(({ key }) => matchesKey(data, `ctrl+${key}`));
    if (action !== undefined) {
      if (marked !== undefined) this.#settle({ value: marked, action: action.name });
      return;
    }
    const before = this.#search.getValue();
    this.#search.handleInput(data);
    if (this.#search.getValue() !== before) this.#filter(undefined);
  }

  #page(direction: -1 | 1): void {
    const at = this.#shown.findIndex(({ value }) => value === this.#select.getSelectedItem()?.value);
    this.#select.setSelectedIndex(at + direction * maxVisible);
  }

  #filter(marked: string | undefined): void {
    this.#shown = fitting(this.#rows, this.#search.getValue());
    this.#select = this.#made(marked);
  }

  #made(marked: string | undefined): SelectList {
    const select = new SelectList([...this.#shown], maxVisible, selectTheme(this.#colors), {
      minPrimaryColumnWidth: 20,
      maxPrimaryColumnWidth: 44,
    });
    const at = this.#shown.findIndex(({ value }) => value === marked);
    if (at > 0) select.setSelectedIndex(at);
    return select;
  }

  #keys(width: number): string {
    const ctrl = width < narrow ? '^' : 'Ctrl+';
    const actions = (this.#list.actions ?? []).map(({ key, name }) => `${ctrl}${key.toUpperCase()} ${name}`);
    return ['Esc close', ...actions].join(' · ');
  }
}

/** Rows that have every word somewhere, in their order; where there is none, those that are near. */
function fitting(rows: readonly PickRow[], query: string): readonly PickRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const textOf = ({ label, description = '' }: PickRow): string => `${label} ${description}`.toLowerCase();
  const exact = rows.filter((row) => words.every((word) => textOf(row).includes(word)));
  return exact.length > 0 ? exact : fuzzyFilter([...rows], query, ({ label }) => label);
}

function safe({ value, label, description }: PickRow): PickRow {
  const oneLine = (text: string): string => terminalText(text).replace(/\s+/g, ' ');
  return { value, label: oneLine(label), ...(description === undefined ? {} : { description: oneLine(description) }) };
}
