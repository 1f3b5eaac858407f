/** Ctrl+C and Escape in the chat: what is stopped, cleared or left. */
import type { Worker } from '../../worker/worker.ts';
import type { AttachedPictures } from './attached-pictures.ts';
import type { InputHistory } from './input-history.ts';
import { interruptAction, leaveWithinMs } from './interrupt-ladder.ts';
import { type Leaving, leavingWith } from './leaving.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { TerminalHuman } from './terminal-human.ts';

export interface InterruptKeysOptions {
  readonly screen: ChatScreen;
  readonly human: TerminalHuman;
  readonly history: InputHistory;
  readonly pictures: AttachedPictures;
  /** Of the session that is talked to now; undefined before there is one. */
  readonly worker: () => Worker | undefined;
  readonly leave: (how: Leaving) => void;
}

export class InterruptKeys {
  readonly #options: InterruptKeysOptions;
  /** When the running turn was interrupted by hand. */
  #interruptedAt: number | undefined;
  /** When the hint was shown that a second press leaves. */
  #askedAt: number | undefined;

  constructor(options: InterruptKeysOptions) {
    this.#options = options;
  }

  /** Another turn begins: the next press stops that one first. */
  turnBegins(): void {
    this.#interruptedAt = undefined;
  }

  /** Stops the running turn, whose answer so far is kept; nothing else. */
  escape(): void {
    if (this.#options.worker()?.busy === true) this.#interrupt('stopping');
  }

  /** The same as Ctrl+C, but pressed twice it does not leave a turn alone. */
  ctrlQ(): void {
    this.#interruptedAt = undefined;
    this.ctrlC();
  }

  ctrlC(): void {
    const { screen, human, worker, leave, pictures } = this.#options;
    const action = interruptAction({
      prompt: human.askedBy,
      busy: worker()?.busy === true,
      inputEmpty: screen.inputText === '' && pictures.line === '',
      sinceInterruptMs: since(this.#interruptedAt),
      sinceAskedMs: since(this.#askedAt),
    });
    this.#askedAt = undefined;
    switch (action) {
      case 'cancel_prompt':
        human.cancelOpenQuestion();
        break;
      case 'cancel_and_interrupt':
        human.cancelOpenQuestion();
        this.#interrupt('stopping — press Ctrl+C again to leave');
        break;
      case 'interrupt':
        this.#interrupt('stopping — press Ctrl+C again to leave');
        break;
      case 'clear_input':
        this.#askedAt = Date.now();
        this.#clearInput();
        break;
      case 'ask_again':
        this.#askedAt = Date.now();
        screen.hint('press Ctrl+C again to leave', leaveWithinMs);
        break;
      case 'force_exit':
        leave(leavingWith.interrupt);
        break;
      case 'exit':
        leave(leavingWith.quit);
        break;
    }
  }

  #interrupt(activity: string): void {
    this.#interruptedAt = Date.now();
    this.#options.worker()?.interrupt();
    this.#options.screen.setActivity(activity);
  }

  /** What is cleared can be had back with the Up key. */
  #clearInput(): void {
    const { screen, pictures } = this.#options;
    this.keepDraft();
    const hadText = screen.inputText !== '';
    const hadPictures = pictures.clear();
    screen.clearInput();
    const what = hadPictures ? 'cleared, without its pictures' : 'cleared';
    const cleared = hadText ? `${what}; Up brings it back` : 'the pictures do not go along any more';
    screen.hint(`${cleared}, Ctrl+C again leaves`, leaveWithinMs);
  }

  /** What was typed and not sent goes to the history, from which the next start can have it. */
  keepDraft(): void {
    const { screen, history } = this.#options;
    const draft = screen.inputText.trim();
    if (draft === '') return;
    history.add(draft);
    screen.remember(draft);
  }
}

function since(at: number | undefined): number | undefined {
  return at === undefined ? undefined : Date.now() - at;
}
