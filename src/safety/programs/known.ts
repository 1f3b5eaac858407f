/** What can be known of one program call before it runs: the contract between the files about programs and the judgement. */
import type { SimpleCommand } from '../commands/simple-command.ts';
import type { Finding } from '../finding.ts';

/** A host that a call talks to, and what it gives it. */
export interface Contact {
  /** Name or address in small letters, without port; `undefined` when it cannot be read from the arguments. */
  readonly host: string | undefined;
  readonly port?: number;
  /** `request`: an address and what the program says of itself; `data`: contents of files, input or arguments. */
  readonly sends: 'request' | 'data';
}

/** A call whose whole effect is known. What is not in it, the call does not do. */
export interface KnownCall {
  /**
   * Where it may run. `anywhere`; `sandbox`: it does nothing by itself but runs what a folder or its settings name (git
   * and its hooks), so inside wherever that can be had; `outside`: it needs keys or rights that no sandbox has.
   */
  readonly place: 'anywhere' | 'sandbox' | 'outside';
  /** Files and folders that it makes, changes or removes, as the arguments name them. */
  readonly writes: readonly string[];
  readonly contacts: readonly Contact[];
  /** Why a person is asked, inside a sandbox too: what it does lasts beyond the workspace or cannot be had back. */
  readonly findings: readonly Finding[];
}

/**
 * What is known of a program. Must never throw. Must answer `undefined` for every option, sub-command or operand that it
 * does not know: what is not known to be harmless is unknown, never harmless.
 *
 * @example
 * export const uname: Program = { names: ['uname', 'arch'], know: () => looksOnly };
 */
export interface Program {
  /** In small letters, without directory. */
  readonly names: readonly string[];
  know(call: SimpleCommand): KnownCall | undefined;
}

/** It reads, computes and prints. */
export const looksOnly: KnownCall = { place: 'anywhere', writes: [], contacts: [], findings: [] };
