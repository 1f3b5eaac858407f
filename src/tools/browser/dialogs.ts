/** Dialogs of pages: answered at once, or kept until they are. */
import type { Dialog, Page } from 'playwright-core';

export interface DialogSettings {
  /** `browser.dialog_policy`; where nobody keeps dialogs, `must_respond` answers them too. */
  readonly policy: 'must_respond' | 'auto_dismiss' | 'auto_accept';
  /** `browser.dialog_timeout_s` */
  readonly timeoutSeconds: number;
  /** Whether there is somebody who answers. */
  readonly keeps: boolean;
}

export interface PendingDialog {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly opened_at: string;
  readonly default_prompt?: string;
}

export interface ClosedDialog extends PendingDialog {
  readonly closed_by: 'agent' | 'auto_policy' | 'watchdog' | 'remote';
  readonly accepted: boolean;
}

const maxRecent = 20;
const maxChars = 2000;

export class Dialogs {
  readonly #settings: DialogSettings;
  readonly #open = new Map<
    string,
    { readonly shown: PendingDialog; readonly dialog: Dialog; readonly timer: NodeJS.Timeout }
  >();
  readonly #waiting = new Set<() => void>();
  #recent: ClosedDialog[] = [];
  #count = 0;
  #untold = 0;

  constructor(settings: DialogSettings) {
    this.#settings = settings;
  }

  listen(page: Page): void {
    page.on('dialog', (dialog) => void this.#opened(dialog));
    page.on('close', () => this.#gone(page));
  }

  /** Those that wait for an answer, the oldest first. */
  get pending(): readonly PendingDialog[] {
    return [...this.#open.values()].map(({ shown }) => shown);
  }

  /** The last 20 that were closed. */
  get recent(): readonly ClosedDialog[] {
    return this.#recent;
  }

  /** Those that wait, and those that were closed since the last call. */
  takeNews(): {
    readonly pending_dialogs?: readonly PendingDialog[];
    readonly recent_dialogs?: readonly ClosedDialog[];
  } {
    const [pending, recent] = [this.pending, this.#untold === 0 ? [] : this.#recent.slice(-this.#untold)];
    this.#untold = 0;
    return {
      ...(pending.length === 0 ? {} : { pending_dialogs: pending }),
      ...(recent.length === 0 ? {} : { recent_dialogs: recent }),
    };
  }

  /** Resolves when a dialog waits for an answer: until then nothing else of its page goes on. */
  async waits(signal: AbortSignal): Promise<void> {
    if (this.#open.size > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    try {
      await promise;
    } finally {
      this.#waiting.delete(resolve);
    }
  }

  /** Undefined when there is no such dialog; without an id the oldest one is meant. */
  async answer(accept: boolean, text?: string, id?: string): Promise<ClosedDialog | undefined> {
    const wanted = id ?? this.#open.keys().next().value;
    return wanted === undefined ? undefined : await this.#close(wanted, accept, 'agent', text);
  }

  close(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }

  async #opened(dialog: Dialog): Promise<void> {
    const { policy, keeps, timeoutSeconds } = this.#settings;
    const id = `d-${++this.#count}`;
    const prompt = dialog.defaultValue();
    const shown: PendingDialog = {
      id,
      type: dialog.type(),
      message: dialog.message().slice(0, maxChars),
      opened_at: new Date().toISOString(),
      ...(prompt === '' ? {} : { default_prompt: prompt.slice(0, maxChars) }),
    };
    const timer = setTimeout(() => void this.#close(id, false, 'watchdog'), timeoutSeconds * 1000);
    timer.unref();
    this.#open.set(id, { shown, dialog, timer });
    if (keeps && policy === 'must_respond' && shown.type !== 'beforeunload') {
      for (const told of this.#waiting) told();
      return;
    }
    // There is nothing to decide about an alert, and who leaves a page means to.
    const accepts = policy === 'auto_accept' || shown.type === 'alert' || shown.type === 'beforeunload';
    await this.#close(id, accepts, 'auto_policy');
  }

  async #close(
    id: string,
    accepted: boolean,
    by: ClosedDialog['closed_by'],
    text?: string,
  ): Promise<ClosedDialog | undefined> {
    const found = this.#open.get(id);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#open.delete(id);
    // It may have gone with its page meanwhile.
    await (accepted ? found.dialog.accept(text) : found.dialog.dismiss()).catch(() => undefined);
    return this.#closed({ ...found.shown, accepted, closed_by: by });
  }

  #closed(dialog: ClosedDialog): ClosedDialog {
    this.#recent = [...this.#recent, dialog].slice(-maxRecent);
    this.#untold = Math.min(this.#untold + 1, maxRecent);
    return dialog;
  }

  #gone(page: Page): void {
    for (const [id, { dialog, shown, timer }] of this.#open) {
      if (dialog.page() !== page) continue;
      clearTimeout(timer);
      this.#open.delete(id);
      this.#closed({ ...shown, accepted: false, closed_by: 'remote' });
    }
  }
}
