/** A job with blanks: somebody fills them in, and it is scheduled. */

/** One blank. */
export interface Slot {
  readonly name: string;
  /** `weekdays`: one of `weekdayPresets`. */
  readonly type: 'time' | 'enum' | 'text' | 'weekdays';
  /** The question, as a person is asked it. */
  readonly label: string;
  readonly default: string;
  /** What it can be; with `strict: false` anything else as well. */
  readonly options?: readonly string[];
  readonly strict?: boolean;
  readonly help?: string;
}

export interface Blueprint {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  /**
   * A cron expression with `{slot}` in it: `{minute}` and `{hour}` come from the slot `time`, `{dow}` from `recurrence` or
   * `day`. A slot called `schedule` takes its place.
   */
  readonly schedule: string;
  /** What the job is asked, with `{slot}` in it. */
  readonly prompt: string;
  readonly slots: readonly Slot[];
  /** Loaded before the run. */
  readonly skills?: readonly string[];
  /** What else the job is made with. */
  readonly job?: BlueprintJob;
}

export interface BlueprintJob {
  /** Default: the title. */
  readonly name?: string;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly enabledToolsets?: readonly string[] | undefined;
  readonly noAgent?: boolean | undefined;
}

/** The day field of a cron expression. */
export const weekdayPresets: Readonly<Record<string, string>> = {
  everyday: '*',
  weekdays: '1-5',
  weekends: '0,6',
};

export const deliverSlot: Slot = {
  name: 'deliver',
  type: 'enum',
  label: 'Where to?',
  default: 'origin',
  options: ['origin', 'local', 'telegram', 'discord', 'email'],
  strict: false,
  help: 'origin is the chat this is asked in, else the home chat; local keeps the result as a file; or name a platform',
};
