/** The program that sees and operates the desktop: a tool server of its own, of whose tools ours is made. */

export interface Abilities {
  /** Whether there is this tool, and whether it takes this argument. */
  has(tool: string, argument?: string): boolean;
}

/** Must start nothing before its first use. Both asking methods reject with `UserError`, and with the signal's reason. */
export interface DesktopDriver {
  abilities(signal: AbortSignal): Promise<Abilities>;
  /** What the tool answers, as it came; one that failed is an answer too. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** Ends what was started. Must not reject. */
  close(): Promise<void>;
}
