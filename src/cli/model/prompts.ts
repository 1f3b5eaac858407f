/** The questions of the set-up commands, asked in the terminal; Ctrl+C or Escape at any of them ends them all. */
import type { Io } from '../../lib/io.ts';
import { escapeForDisplay } from '../../safety/display.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside the label. */
  readonly hint?: string;
}

export interface TextPrompt {
  readonly message: string;
  readonly placeholder?: string;
  /** What is in the field at the start. */
  readonly initial?: string;
  /** The complaint about an answer, or undefined when it will do. */
  readonly check?: (answer: string) => string | undefined;
}

/** Answers are trimmed. Every question throws `Cancelled` when the person does not want to go on. */
export interface Prompts {
  text(question: TextPrompt): Promise<string>;
  /** What is typed is not shown. */
  secret(question: Pick<TextPrompt, 'message' | 'check'>): Promise<string>;
  select(message: string, choices: readonly Choice[], initial?: string): Promise<string>;
  /** A long list that is narrowed by typing; with `freeText`, what was typed may be the answer itself. */
  pick(
    message: string,
    choices: readonly Choice[],
    options?: { readonly initial?: string; readonly freeText?: (typed: string) => string },
  ): Promise<string>;
  /** Any number of a long list that is narrowed by typing; `initial` are those chosen at first. */
  choose(message: string, choices: readonly Choice[], initial: readonly string[]): Promise<readonly string[]>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  /** Shows what is being waited for while `work` runs. */
  wait<T>(message: string, work: Promise<T>): Promise<T>;
  intro(title: string): void;
  say(text: string): void;
  outro(text: string): void;
}

/** The person stopped at a question. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

const maxRows = 12;

export async function openPrompts({ stdin, stdout }: Io): Promise<Prompts> {
  const clack = await import('@clack/prompts');
  const streams = { input: stdin, output: stdout };

  function answered(answer: string | symbol | undefined): string {
    if (typeof answer === 'symbol') throw new Cancelled();
    return (answer ?? '').trim();
  }

  return {
    async text({ message, placeholder, initial, check }) {
      const answer = await clack.text({
        ...streams,
        message,
        ...(placeholder === undefined ? {} : { placeholder }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        validate: (value) => check?.((value ?? '').trim()),
      });
      return answered(answer);
    },
    async secret({ message, check }) {
      const answer = await clack.password({ ...streams, message, validate: (value) => check?.((value ?? '').trim()) });
      return answered(answer);
    },
    async select(message, choices, initial) {
      const options = choices.map(shown);
      return answered(
        await clack.select<string>({
          ...streams,
          message,
          options,
          maxItems: maxRows,
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      );
    },
    async pick(message, choices, { initial, freeText } = {}) {
      const options = choices.map(shown);
      return answered(
        await clack.autocomplete<string>({
          ...streams,
          message,
          maxItems: maxRows,
          placeholder: 'type to filter',
          ...(initial === undefined ? {} : { initialValue: initial }),
          options() {
            const typed = this.userInput.trim();
            const found = options.filter((option) => matches(option, typed));
            const known = typed === '' || options.some(({ value }) => value === typed);
            return known || freeText === undefined ? found : [...found, { value: typed, label: freeText(typed) }];
          },
          validate: (value) => (value === undefined ? 'Nothing matches. Type something else.' : undefined),
        }),
      );
    },
    async choose(message, choices, initial) {
      const answer = await clack.autocompleteMultiselect<string>({
        ...streams,
        message,
        maxItems: maxRows,
        placeholder: 'type to filter',
        initialValues: [...initial],
        options: choices.map(shown),
      });
      if (clack.isCancel(answer)) throw new Cancelled();
      return answer;
    },
    async confirm(message, initial) {
      const answer = await clack.confirm({ ...streams, message, initialValue: initial });
      if (clack.isCancel(answer)) throw new Cancelled();
      return answer;
    },
    async wait(message, work) {
      const spinner = clack.spinner({ output: stdout });
      spinner.start(message);
      try {
        return await work;
      } finally {
        spinner.clear();
      }
    },
    intro: (title) => clack.intro(title, { output: stdout }),
    say: (text) => clack.log.info(text, { output: stdout }),
    outro: (text) => clack.outro(text, { output: stdout }),
  };
}

/** For answers that must not be empty. */
export function required(answer: string): string | undefined {
  return answer === '' ? 'Please enter something, or press Ctrl+C to stop.' : undefined;
}

/** Names come from servers and files. */
function shown({ value, label, hint }: Choice): Choice {
  const clean = { value, label: escapeForDisplay(label, { singleLine: true }) };
  return hint === undefined ? clean : { ...clean, hint: escapeForDisplay(hint, { singleLine: true }) };
}

/** Every word that was typed is in it. */
function matches({ value, label, hint }: Choice, typed: string): boolean {
  const text = `${value} ${label} ${hint ?? ''}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
