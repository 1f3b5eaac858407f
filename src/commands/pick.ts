/** A list that a command lets the user choose from, on surfaces that can show one. */

export interface PickRow {
  /** Told back when the row is chosen; no two rows have the same. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface PickList {
  readonly title: string;
  readonly rows: readonly PickRow[];
  /** The row that is marked first. */
  readonly current?: string;
  /** Brings more rows while the list is open; `signal` aborts when it closes. */
  readonly more?: (add: (rows: readonly PickRow[]) => void, signal: AbortSignal) => Promise<void>;
  /** What else than Enter can be done with a row. */
  readonly actions?: readonly PickAction[];
}

export interface PickAction {
  /** With Ctrl. */
  readonly key: 'r' | 'x';
  /** One word for the line of keys; told back. */
  readonly name: string;
}

export interface Picked {
  readonly value: string;
  /** Name of the action; absent for Enter. */
  readonly action?: string;
}
