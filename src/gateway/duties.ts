/** What a gateway does on its own as long as it runs, besides answering. */
import type { Log } from '../lib/log.ts';
import type { Program } from '../runtime/program.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { ChatRouting } from './chats/chat-routing.ts';
import type { Chats } from './chats/chats.ts';
import { ExpiryWatcher } from './chats/expiry-watcher.ts';
import type { PlatformConnection } from './connections/platform-connection.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import { Handoffs } from './handoffs/handoffs.ts';
import type { ChatMedia } from './media/chat-media.ts';
import type { AdapterClock } from './platform/adapter-host.ts';
import type { SessionSource } from './platform/session-source.ts';
import type { DeadTargets } from './targets/dead-targets.ts';
import { HandedOver, type HandedOverOptions } from './targets/handed-over.ts';
import type { KnownChats } from './targets/known-chats.ts';
import { Sender } from './targets/sender.ts';

export interface DutiesOptions extends Pick<ChatMedia, 'takeFiles'>, Pick<HandedOverOptions, 'deny'> {
  readonly program: Program;
  readonly store: SessionStore;
  readonly settings: GatewaySettings;
  readonly routing: ChatRouting;
  readonly chats: Chats;
  readonly clock: AdapterClock;
  readonly deadTargets: DeadTargets;
  readonly knownChats: KnownChats;
  readonly log: Log;
  /** Ends them all. */
  readonly stopping: AbortSignal;
  /** How often it is looked whether a terminal hands something off, in milliseconds; undefined: as usual. */
  readonly lookMs: number | undefined;
  /** One of its own. */
  connection(platform: string): PlatformConnection | undefined;
  keyOf(source: SessionSource): string;
}

export interface Duties {
  /** Resolves when what other processes handed over is dealt with. */
  readonly handedOver: Promise<unknown>;
}

const expireEveryMs = 60_000;

/** They go on until `stopping` aborts. */
export function beginDuties(options: DutiesOptions): Duties {
  const { program, settings, routing, chats, clock, knownChats, log, stopping } = options;
  void closeUnused(options);
  const { hooks } = program;
  const { routeDays } = settings;
  void new ExpiryWatcher({ routing, chats, clock, hooks, routeDays, log }).watch(stopping);
  void knownChats.keep(stopping);
  return { handedOver: Promise.all([handedOver(options).keep(stopping), handoffs(options).keep(stopping)]) };
}

async function closeUnused({ chats, clock, stopping }: DutiesOptions): Promise<void> {
  while (!stopping.aborted) {
    await clock.sleep(expireEveryMs, stopping).catch(() => undefined);
    chats.expire();
  }
}

/** What `hermes send` and jobs in other processes leave here. */
function handedOver(options: DutiesOptions): HandedOver {
  const { program, store, routing, chats, deadTargets, clock, log, stopping } = options;
  const sender = new Sender({
    store,
    routing,
    deadTargets,
    clock,
    log,
    stopping,
    connection: (platform) => options.connection(platform),
    takeFiles: (text) => options.takeFiles(text),
    putDown: (key, signal) => chats.putDown(key, signal),
  });
  return new HandedOver({
    homePath: program.options.home.path,
    log,
    send: (asked) => sender.send(asked),
    deny: (questionId) => options.deny(questionId),
  });
}

/** Conversations of terminals. */
function handoffs(options: DutiesOptions): Handoffs {
  const { store, routing, chats, settings, log, lookMs } = options;
  return new Handoffs({
    store,
    routing,
    chats,
    perUser: { inGroups: settings.groupSessionsPerUser, inThreads: settings.threadSessionsPerUser },
    log: log.named('handoff'),
    keyOf: (source) => options.keyOf(source),
    connection: (platform) => options.connection(platform),
    ...(lookMs === undefined ? {} : { lookMs }),
  });
}
