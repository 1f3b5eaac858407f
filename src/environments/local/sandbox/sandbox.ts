/** What a sandbox is to those who start programs in it. */
import type { Cover } from './bubblewrap-arguments.ts';

export interface Sandbox {
  readonly alive: boolean;
  /** A process inside, as seen from outside; `undefined` where a sandbox is no process. */
  readonly pid: number | undefined;
  /**
   * The program `script` of util-linux, where a terminal has to be made inside: the devices inside are others, and one that
   * comes from outside has no name there.
   */
  readonly terminalMaker?: string | undefined;
  /**
   * Words in front of a program and its arguments that make it start inside, without any right but the person's. Of open
   * files it gets those up to `highest`.
   */
  prefix(highest: number): readonly string[];
  /** Keeps more of the machine from it, also from what runs inside already. */
  cover(cover: Cover): Promise<void>;
  /** Ends everything inside at once. */
  close(): void;
}
