/** The gateway as an adapter sees it, for tests: it remembers what it is told, and time passes when somebody waits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Variables } from '../../src/config/variables.ts';
import type { Acceptance, AdapterHost, Press, PressOutcome } from '../../src/gateway/platform/adapter-host.ts';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import type { Platform } from '../../src/gateway/platform/platform.ts';
import type { PlatformConfig } from '../../src/gateway/platform/platform-config.ts';
import type { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import type { Log } from '../../src/lib/log.ts';

export interface FakeHost extends AdapterHost {
  readonly accepted: readonly MessageEvent[];
  readonly presses: readonly Press[];
  readonly failures: readonly PlatformError[];
  readonly locks: readonly string[];
  /** Chats that got another id: `from to`. */
  readonly movedChats: readonly string[];
  /** Everything that was logged, errors with their causes. */
  readonly logged: readonly string[];
  /** What somebody waited for, in milliseconds. */
  readonly sleeps: readonly number[];
  /** Replaces what happens with what arrives; without, everything is accepted. */
  whenAccepting(accept: (event: MessageEvent) => Promise<Acceptance>): void;
  whenPressed(press: (press: Press) => Promise<PressOutcome>): void;
  /** Throws instead of giving locks. */
  refuseLocks(error: PlatformError): void;
  /** From now on whoever sleeps wakes up only when the signal aborts. */
  holdClock(): void;
}

export interface FakeHostOptions {
  readonly variables: Variables;
  readonly block?: Readonly<Record<string, unknown>>;
  /** Removes its folder. */
  readonly after: (clean: () => void) => void;
}

export function fakeHost(platform: Platform, { variables, block = {}, after }: FakeHostOptions): FakeHost {
  const accepted: MessageEvent[] = [];
  const presses: Press[] = [];
  const moved: string[] = [];
  const failures: PlatformError[] = [];
  const locks: string[] = [];
  const logged: string[] = [];
  const sleeps: number[] = [];
  const notes = new Map<string, string>();
  let accept = async (_event: MessageEvent): Promise<Acceptance> => 'accepted';
  let press = async (_press: Press): Promise<PressOutcome> => ({ as: 'done', text: 'done' });
  let lockRefusal: PlatformError | undefined;
  let held = false;
  let skipped = 0;
  let folder: string | undefined;
  after(() => folder !== undefined && rmSync(folder, { recursive: true, force: true }));

  const line = (message: string, error?: unknown): void => void logged.push(`${message} ${inspect(error)}`);
  const log: Log = { debug: line, info: line, warning: line, error: line, named: () => log, forSession: () => log };

  return {
    config: configOf(platform, variables, block),
    log,
    accepted,
    presses,
    failures,
    locks,
    logged,
    sleeps,
    movedChats: moved,
    network: {},
    fetchOutside: fetch,
    clock: {
      now: () => Date.now() + skipped,
      random: () => 0.5,
      async sleep(ms, signal) {
        signal.throwIfAborted();
        sleeps.push(ms);
        await (held ? aborted(signal) : new Promise((resolve) => setTimeout(resolve, 1)));
        signal.throwIfAborted();
        skipped += ms;
      },
    },
    notes: {
      get: async (name) => notes.get(name),
      set: async (name, value) => void notes.set(name, value),
    },
    async folder() {
      folder ??= mkdtempSync(join(tmpdir(), 'adapter-'));
      return folder;
    },
    async accept(event) {
      const acceptance = await accept(event);
      accepted.push(event);
      return acceptance;
    },
    async moved(from, to) {
      moved.push(`${from} ${to}`);
    },
    threadGone: () => undefined,
    async press(pressed) {
      presses.push(pressed);
      return await press(pressed);
    },
    isAuthorized: async () => true,
    failed: (error) => void failures.push(error),
    async lock(scope, identity) {
      if (lockRefusal !== undefined) throw lockRefusal;
      locks.push(`${scope} ${identity}`);
    },
    whenAccepting: (next) => void (accept = next),
    whenPressed: (next) => void (press = next),
    refuseLocks: (error) => void (lockRefusal = error),
    holdClock: () => void (held = true),
  };
}

/** As the gateway brings it together. */
export function configOf(
  platform: Platform,
  variables: Variables,
  block: Readonly<Record<string, unknown>> = {},
): PlatformConfig {
  const { configured, token, apiKey, extra } = platform.read(variables, block);
  return {
    platform: platform.name,
    enabled: configured,
    token,
    apiKey,
    homeChannel: undefined,
    replyToMode: 'first',
    restartNotification: true,
    typingIndicator: true,
    extra,
  };
}

/** Waits for a condition, not for a time. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (let tries = 0; tries < 1500; tries += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${what} did not happen`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
