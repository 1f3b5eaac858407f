/** What the gateway gives to an adapter. An adapter reaches nothing else. */
import type { Network } from '../../lib/connections.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatAddress } from './adapter.ts';
import type { MessageEvent } from './message-event.ts';
import type { PlatformConfig } from './platform-config.ts';
import type { PlatformError } from './platform-error.ts';
import type { SessionSource } from './session-source.ts';

/**
 * - `accepted`: it is written down, and will be answered, refused with a notice, or told to have expired
 * - `duplicate`: it was accepted before
 * - `ignored`: nobody is told (a stranger in a group)
 * - `refused`: the sender was told why not (a stranger's private message, a full queue)
 */
export type Acceptance = 'accepted' | 'duplicate' | 'ignored' | 'refused';

/** Somebody chose an option of a prompt. */
export interface Press {
  readonly promptId: string;
  readonly optionId: string;
  /** Who, and where. */
  readonly source: SessionSource;
}

/**
 * - `done`: the answer counts; `text` says which it was
 * - `stale`: the question is not open any more
 * - `denied`: this person may not answer it
 */
export type PressOutcome = { readonly as: 'done'; readonly text: string } | { readonly as: 'stale' | 'denied' };

export interface AdapterHost {
  readonly config: PlatformConfig;
  readonly log: Log;
  readonly clock: AdapterClock;
  /** How the platform's own servers are reached: the proxies and authorities of the environment. */
  readonly network: Network;
  /** For addresses that came with a message: private ranges are refused, redirects are checked, credentials never sent along. */
  readonly fetchOutside: typeof fetch;
  /** Small values that outlive the process: where reading goes on, keys of devices. */
  readonly notes: AdapterNotes;
  /**
   * A folder of the adapter's own below the home, made when it is asked for (0700); for stores of libraries, such as the
   * keys of encrypted rooms.
   */
  folder(): Promise<string>;
  /**
   * Resolves when the message is safe, or was not wanted; only then is the platform told. Rejects when it could not be
   * written down: the platform is not told, and delivers it again.
   */
  accept(event: MessageEvent): Promise<Acceptance>;
  /**
   * A chat goes by another id from now on, as the platform says. Resolves when all that stood under the old one stands under
   * the new one, for good; only then is the platform told that the news has arrived. Rejects when that did not work. Safe to
   * call again.
   */
  moved(from: string, to: string): Promise<void>;
  /** The platform says that there is no such thread, or topic, any more. Returns at once. */
  threadGone(to: ChatAddress): void;
  press(press: Press): Promise<PressOutcome>;
  /** True for somebody who may speak to the agent there; for what an adapter shows to some and not to others. */
  isAuthorized(source: SessionSource): Promise<boolean>;
  /** The connection ended by itself, after the adapter's own attempts. Counts once; the gateway connects a new adapter. */
  failed(error: PlatformError): void;
  /**
   * Held by one gateway of the machine at a time, whatever its home: `scope` such as `telegram-bot-token`, `identity` the
   * secret or account. Throws a retryable `PlatformError` `<scope>_lock` that names the holder. Given back by the gateway
   * after `disconnect`.
   */
  lock(scope: string, identity: string): Promise<void>;
}

/** Injected, so that tests need not wait. */
export interface AdapterClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Values of at most 64 KiB, durable when `set` resolves. */
export interface AdapterNotes {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}
