/** What a platform that sets itself up may ask and say. */

/** Answers are trimmed. Every question throws when the person does not want to go on. */
export interface SetupDialogue {
  say(text: string): void;
  /** Some text, unless `optional`. */
  text(message: string, options: { readonly initial?: string; readonly optional?: boolean }): Promise<string>;
  /** As `text`; what is typed is not shown. */
  secret(message: string, options: { readonly optional?: boolean }): Promise<string>;
  select(message: string, choices: readonly SetupChoice[], initial?: string): Promise<string>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  /** A variable, as it was answered or is set. */
  variable(name: string): string | undefined;
  /** For `.env`, written when the last question of the setup is answered; undefined takes it out. */
  setVariable(name: string, value: string | undefined): void;
  /** A key of the platform's block in config.yaml, written at the same time. */
  setSetting(key: string, value: string | number | boolean): void;
}

export interface SetupChoice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}
