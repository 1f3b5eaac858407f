/** What the keys do before the input box or a question gets them. */
import { type KeyId, matchesKey } from '@earendil-works/pi-tui';
import { focusGained, focusLost } from './attention.ts';
import type { PromptBox } from './prompt-box.ts';

export interface ScreenHandlers {
  onSubmit(text: string): void;
  onCtrlC(): void;
  onCtrlQ(): void;
  onCtrlD(): void;
  /** Escape in the input box, when it closes no list. */
  onEscape(): void;
  /** A key reaches the input box. */
  onTyping?(): void;
  /** Ctrl+O: opens what a tool call has folded away. */
  onOpen(): void;
  /** What further keys do in the input box. */
  readonly keys: ReadonlyMap<KeyId, () => void>;
  /** Somebody looks at the terminal, or no more. */
  onFocus?(gained: boolean): void;
  /**
   * Text to insert instead of a pasted one; `undefined` inserts what was pasted. `guessed`: the terminal did not say that
   * it was pasted.
   */
  onPaste(text: string, guessed: boolean): string | undefined;
}

/** What the screen does at a key. */
interface KeyParts {
  readonly box: Pick<PromptBox, 'getText' | 'handleInput' | 'insertTextAtCursor' | 'isShowingAutocomplete'>;
  /** False while a question has its place. */
  boxHasKeys(): boolean;
  /** The terminal did not say that what comes was pasted. */
  guessedPaste(): boolean;
  clearHint(): void;
  refresh(): void;
  repaint(): void;
  showKeys(): void;
  suspend(): void;
}

interface Taken {
  readonly consume?: boolean;
  readonly data?: string;
}

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
/** Keys after which nobody is in the middle of a word. */
const endsTyping: readonly KeyId[] = ['enter', 'escape', 'ctrl+r', 'ctrl+t'];
/** What comes so soon after the start was typed before it, in milliseconds. */
const typedAheadMs = 500;
/** Keys that follow each other faster than this belong together, in milliseconds … */
const stillTypingMs = 700;
/** … but a question that stands so long is what is answered. */
const maxSurpriseMs = 3000;

export class ScreenKeys {
  readonly #handlers: ScreenHandlers;
  readonly #parts: KeyParts;
  /** Whatever has the keys. */
  readonly #always: ReadonlyMap<KeyId, () => void>;
  /** The last key was Ctrl+X, which begins what shells know as Ctrl+X Ctrl+E. */
  #afterCtrlX = false;
  /** When the last key went to the input box, and when the open question was put in its place. */
  #typedAt = 0;
  #startedAt = 0;
  #panelOpenedAt = 0;

  constructor(handlers: ScreenHandlers, parts: KeyParts) {
    this.#handlers = handlers;
    this.#parts = parts;
    this.#always = new Map<KeyId, () => void>([
      ['ctrl+c', () => handlers.onCtrlC()],
      ['ctrl+q', () => handlers.onCtrlQ()],
      ['ctrl+o', () => handlers.onOpen()],
      ['ctrl+l', () => parts.repaint()],
      ['ctrl+z', () => parts.suspend()],
    ]);
  }

  /** The screen has the terminal from now on. */
  begin(): void {
    this.#startedAt = Date.now();
  }

  /** A question takes the place of the input box. */
  panelOpens(): void {
    this.#panelOpenedAt = Date.now();
  }

  /** `undefined` lets the key reach the input box or the question; `data` reaches it in its place. */
  take(data: string): Taken | undefined {
    const handlers = this.#handlers;
    if (data === focusGained || data === focusLost) {
      handlers.onFocus?.(data === focusGained);
      return { consume: true };
    }
    const always = actFor(this.#always, data);
    if (always !== undefined) return done(always);
    if (matchesKey(data, 'ctrl+d') && this.#parts.box.getText() === '') return done(() => handlers.onCtrlD());
    this.#parts.clearHint();
    // Before the chat had the terminal, Enter was written as a line's end.
    if (data === '\n' && Date.now() - this.#startedAt < typedAheadMs) return { data: '\r' };
    if (!this.#parts.boxHasKeys()) return this.#typedBefore(data);
    handlers.onTyping?.();
    // Whoever sent something has finished writing, and whoever opens a list means to type into it.
    this.#typedAt = endsTyping.some((key) => matchesKey(data, key)) || data === '?' ? 0 : Date.now();
    return this.#inBox(data) ?? this.#pasted(data);
  }

  #inBox(data: string): Taken | undefined {
    const { box } = this.#parts;
    const { keys } = this.#handlers;
    if (matchesKey(data, 'escape') && !box.isShowingAutocomplete()) return done(() => this.#handlers.onEscape());
    const chord = this.#afterCtrlX && matchesKey(data, 'ctrl+e');
    this.#afterCtrlX = matchesKey(data, 'ctrl+x');
    if (this.#afterCtrlX) return { consume: true };
    const act = actFor(keys, data);
    if (chord) return done(keys.get('ctrl+g'));
    if (act !== undefined) return done(act);
    if (data === '?' && box.getText() === '') return done(() => this.#parts.showKeys());
    if (matchesKey(data, 'alt+enter')) {
      box.insertTextAtCursor('\n');
      return done(() => this.#parts.refresh());
    }
    // Terminals hand over a picture as a paste of nothing.
    return data === `${pasteStart}${pasteEnd}` ? done(keys.get('alt+v')) : undefined;
  }

  #pasted(data: string): Taken | undefined {
    // A slash command takes its text as it is.
    if (!data.startsWith(pasteStart) || !data.endsWith(pasteEnd) || this.#parts.box.getText().startsWith('/'))
      return undefined;
    const pasted = data.slice(pasteStart.length, -pasteEnd.length).replace(/\r\n?/g, '\n');
    const shorter = this.#handlers.onPaste(pasted, this.#parts.guessedPaste());
    return shorter === undefined ? undefined : { data: `${pasteStart}${shorter}${pasteEnd}` };
  }

  /** A question that opens under somebody's fingers is not answered by what they were writing: that still goes to the input. */
  #typedBefore(data: string): { consume: boolean } | undefined {
    const now = Date.now();
    const surprised = this.#panelOpenedAt - this.#typedAt < stillTypingMs && now - this.#typedAt < stillTypingMs;
    if (!surprised || now - this.#panelOpenedAt > maxSurpriseMs) return undefined;
    this.#typedAt = now;
    // Neither sends nor answers: nobody can tell which of the two was meant.
    if (!matchesKey(data, 'enter') && !matchesKey(data, 'escape')) this.#parts.box.handleInput(data);
    return { consume: true };
  }
}

function actFor(acts: ReadonlyMap<KeyId, () => void>, data: string): (() => void) | undefined {
  return [...acts].find(([key]) => matchesKey(data, key))?.[1];
}

function done(act: (() => void) | undefined): Taken {
  act?.();
  return { consume: true };
}
