/** What is done with a text before it is sent: put aside, written in an editor, sent in another way, taken back. */
import { lastExchange, lastQuestions } from '../../commands/session/last-exchange.ts';
import { textOf } from '../../llm/message.ts';
import type { BusyMode, Worker } from '../../worker/worker.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { InputHistory } from './input-history.ts';
import type { TerminalHuman } from './terminal-human.ts';

export interface DraftsOptions {
  readonly screen: ChatScreen;
  readonly human: TerminalHuman;
  readonly history: InputHistory;
  /** Of the session that is talked to now; undefined before there is one. */
  readonly worker: () => Worker | undefined;
  /** Sends a text as if it had been typed; `mode` counts while a turn runs. */
  readonly submit: (text: string, mode?: BusyMode) => void;
  /** What was written in the editor; undefined when nothing is left. */
  readonly compose: (draft: string) => Promise<string | undefined>;
}

/** A second press within this time means both, in milliseconds. */
const twiceMs = 1500;
const hintMs = 3000;
const maxOffered = 50;

export class Drafts {
  readonly #options: DraftsOptions;
  /** The last one is brought back first. */
  readonly #aside: string[] = [];
  #escapedAt = 0;

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Puts what is typed aside, or brings the last such text back. */
  stash(): void {
    const { screen, history } = this.#options;
    const draft = screen.inputText;
    if (draft.trim() === '') {
      const back = this.#aside.pop();
      if (back === undefined) screen.hint('nothing was put aside; with a text, Ctrl+S does it', hintMs);
      else screen.offerInput(back);
      return;
    }
    this.#aside.push(draft);
    // It is not lost either when the chat ends.
    history.add(draft.trim());
    screen.clearInput();
    screen.hint('put aside; Ctrl+S on an empty line brings it back', hintMs);
  }

  /** Sends what is typed in this way while a turn runs, whatever /busy says. */
  send(mode: BusyMode): void {
    const { screen, submit } = this.#options;
    const draft = screen.inputText;
    if (draft.trim() === '') return;
    screen.clearInput();
    submit(draft, mode);
  }

  /** What is typed is written on in the editor, and sent from there. */
  async edit(): Promise<void> {
    const { screen, submit, compose } = this.#options;
    const draft = screen.inputText;
    screen.clearInput();
    const text = await compose(draft);
    if (text === undefined) screen.hint('nothing was written, so nothing is sent', hintMs);
    else submit(text);
  }

  /** The newest message that waits comes back into the input. */
  async takeBack(): Promise<void> {
    const { screen, worker } = this.#options;
    const last = (await worker()?.waiting())?.at(-1);
    if (last === undefined) return screen.hint('no message waits', hintMs);
    if (screen.inputText.trim() !== '') return screen.hint('send or put aside what is typed first (Ctrl+S)', hintMs);
    if ((await worker()?.remove(last.id)) === true) screen.offerInput(textOf(last.content));
  }

  /** Escape on an empty line while nothing runs; the second one lets an earlier message be written anew. */
  async escape(): Promise<void> {
    const { screen, worker } = this.#options;
    if (screen.inputText !== '' || worker()?.busy !== false) return;
    const twice = Date.now() - this.#escapedAt < twiceMs;
    this.#escapedAt = twice ? 0 : Date.now();
    if (twice) await this.#editEarlier();
    else if (worker()?.session.agent.history.length !== 0) screen.hint('Esc again: edit an earlier message', twiceMs);
  }

  async #editEarlier(): Promise<void> {
    const { screen, human } = this.#options;
    const worker = this.#options.worker();
    if (worker === undefined) return;
    const questions = lastQuestions(worker.session.agent.history, maxOffered);
    if (questions.length === 0) return screen.hint('nothing was said yet', hintMs);
    const rows = questions.map(({ content }, at) => ({ value: String(at + 1), label: textOf(content) }));
    const title = 'Which message shall be edited? It and all that came after it are taken back.';
    const picked = await human.pick({ title, rows });
    const found = picked === undefined ? undefined : lastExchange(worker.session.agent.history, Number(picked.value));
    if (found === undefined) return;
    await worker.replaceHistory(found.before);
    screen.print('  Taken back; what was asked stands in the input line.');
    screen.offerInput(textOf(found.question.content));
  }
}
