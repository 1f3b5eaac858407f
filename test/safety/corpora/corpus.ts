/** The shape of the corpora: texts of commands, and what must become of them. Only what is contained is ever run, in a sandbox. */

export interface HostileClass {
  readonly name: string;
  /** Never run, whoever approves. */
  readonly refused?: readonly string[];
  /** A person must see it: no sandbox contains what it does. */
  readonly asked?: readonly string[];
  /** Must not run with the rights of the user unseen: in a sandbox, or after a question. */
  readonly contained?: readonly string[];
}

export interface EverydayClass {
  readonly name: string;
  /** Nobody is asked about these: harmless, known with effects that are allowed, or contained. */
  readonly commands: readonly string[];
}
