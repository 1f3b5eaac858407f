/** All event hooks of a home: who hears of what, and what is said to a command. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnProcesses } from '../../environments/local/own-processes.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { CommandDecision } from '../chats/chat-deps.ts';
import { readDecision } from './command-decision.ts';
import { EventHook } from './event-hook.ts';
import { readHookFolders } from './hook-folders.ts';
import { startRunner } from './hook-runner.ts';

export interface EventHooksOptions {
  readonly homePath: string;
  /** A handler is the owner's own code: it sees what the program sees. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** For whoever started the gateway. */
  readonly warn: (line: string) => void;
}

/** What waits when the gateway ends is given this long. */
const lastWordsMs = 3000;

export class EventHooks {
  readonly #hooks: readonly EventHook[];
  readonly #processes: OwnProcesses;

  /** Loads them all; one that cannot be loaded is told and left out. */
  static async load({ homePath, env, log, warn }: EventHooksOptions): Promise<EventHooks> {
    const processes = new OwnProcesses(log);
    const place = { homePath, env: { ...definedOf(env), HERMES_HOME: homePath }, processes };
    const folders = await readHookFolders(homePath, warn);
    const loaded = folders.map(async (folder) => {
      const hook = new EventHook(folder, () => startRunner(folder.handler, place), log);
      try {
        await hook.load();
        log.info(`[hooks] ${folder.name} is loaded: ${folder.events.join(', ')}`);
        return hook;
      } catch (error) {
        warn(`[hooks] ${folder.name} is left out, its handler cannot be loaded: ${errorMessage(error)}`);
        return undefined;
      }
    });
    return new EventHooks(
      (await Promise.all(loaded)).filter((hook) => hook !== undefined),
      processes,
    );
  }

  private constructor(hooks: readonly EventHook[], processes: OwnProcesses) {
    this.#hooks = hooks;
    this.#processes = processes;
  }

  /** False spares making what nobody reads. */
  wants(event: string): boolean {
    return this.#hooks.some((hook) => hook.wants(event) !== undefined);
  }

  /** Returns at once. Of one lane, such as a chat, each hook hears one event behind the other. */
  tell(event: string, context: JsonObject, lane: string): void {
    for (const hook of this.#for(event)) hook.tell({ event, context }, lane);
  }

  /** Asks one hook behind the other until one has something against it; what is not answered within `ms` does not count. */
  async decide(event: string, context: JsonObject, ms: number): Promise<CommandDecision> {
    const until = performance.now() + ms;
    for (const hook of this.#for(event)) {
      const left = until - performance.now();
      if (left <= 0) break;
      const decision = readDecision(await hook.ask({ event, context }, left));
      if (decision.as !== 'allow') return decision;
    }
    return { as: 'allow' };
  }

  async close(): Promise<void> {
    const settled = Promise.all(this.#hooks.map((hook) => hook.settled()));
    await Promise.race([settled, sleep(lastWordsMs, undefined, { ref: false })]);
    await Promise.all(this.#hooks.map((hook) => hook.close()));
    await this.#processes.endAll();
    this.#processes.release();
  }

  /** Those that name the event itself first. */
  #for(event: string): readonly EventHook[] {
    const exactly = this.#hooks.filter((hook) => hook.wants(event) === 'exactly');
    return [...exactly, ...this.#hooks.filter((hook) => hook.wants(event) === 'broadly')];
  }
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
