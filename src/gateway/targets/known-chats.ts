/** Keeps the channel directory up to date: the chats that platforms list, and those that somebody wrote in. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import { type SessionSource, sessionSource } from '../platform/session-source.ts';
import { type DirectoryEntry, moveAlias, readDirectory, writeDirectory } from './channel-directory.ts';

export interface KnownChatsOptions {
  readonly homePath: string;
  readonly clock: AdapterClock;
  readonly log: Log;
  connections(): readonly PlatformConnection[];
  /** All of them. */
  routes(): AsyncIterable<RouteEntry>;
}

const everyMs = 5 * 60_000;
/** How long a directory that stays the same is not written again. */
const renewMs = 3_600_000;
const listMs = 60_000;
const maxEntries = 2000;

export class KnownChats {
  readonly #options: KnownChatsOptions;
  #refreshing: Promise<void> | undefined;
  #again = false;
  #writtenAt = 0;

  constructor(options: KnownChatsOptions) {
    this.#options = options;
  }

  /** Every five minutes until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh(signal);
      await this.#options.clock.sleep(everyMs, signal).catch(() => undefined);
    }
  }

  /** Failures are logged: the directory is then as old as it is. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.#again = true;
    this.#refreshing ??= this.#refreshAll(signal).finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  /** The name that the owner gave to a chat goes with its id. */
  moveName(platform: string, from: string, to: string): void {
    try {
      moveAlias(this.#options.homePath, platform, from, to);
    } catch (error) {
      this.#options.log.warning(`the name of a chat could not follow its id: ${errorMessage(error)}`, error);
    }
  }

  async #refreshAll(signal: AbortSignal): Promise<void> {
    while (this.#again && !signal.aborted) {
      this.#again = false;
      try {
        await this.#refreshOnce(signal);
      } catch (error) {
        this.#options.log.warning(`the directory of chats could not be renewed: ${errorMessage(error)}`, error);
      }
    }
  }

  async #refreshOnce(signal: AbortSignal): Promise<void> {
    const { homePath, clock } = this.#options;
    const before = readDirectory(homePath).platforms;
    const written = await writtenIn(this.#options.routes());
    const listed = await Promise.all(
      this.#options.connections().map(async (connection) => {
        const { name } = connection.platform;
        const list = await this.#list(connection, signal);
        // What cannot be asked now is as it was.
        const known = list ?? (connection.adapter === undefined ? (before[name] ?? []) : []);
        return [name, unique([...known, ...(written.get(name) ?? []), ...homeOf(connection)])] as const;
      }),
    );
    const platforms = { ...before, ...Object.fromEntries(listed) };
    const isNew = JSON.stringify(platforms) !== JSON.stringify(before) || clock.now() - this.#writtenAt > renewMs;
    if (signal.aborted || !isNew) return;
    this.#writtenAt = clock.now();
    writeDirectory(homePath, { updatedAt: new Date(clock.now()).toISOString(), platforms });
  }

  /** Undefined where the platform cannot list its chats, or does not now. */
  async #list({ platform, adapter }: PlatformConnection, signal: AbortSignal) {
    if (adapter?.channels === undefined) return undefined;
    try {
      const channels = await adapter.channels(AbortSignal.any([signal, AbortSignal.timeout(listMs)]));
      return channels.map(
        ({ threadId, ...channel }): DirectoryEntry => ({
          ...channel,
          ...(threadId === undefined ? {} : { thread_id: threadId }),
        }),
      );
    } catch (error) {
      this.#options.log.warning(`${platform.label} did not list its chats: ${errorMessage(error)}`, error);
      return undefined;
    }
  }
}

interface Written {
  readonly entry: DirectoryEntry;
  /** When somebody wrote there last; texts of times stand in their order. */
  readonly at: string;
}

/** By platform; those that were used last come first. No more are held than the directory takes, twice. */
async function writtenIn(routes: AsyncIterable<RouteEntry>): Promise<ReadonlyMap<string, readonly DirectoryEntry[]>> {
  const found = new Map<string, Map<string, Written>>();
  for await (const { origin, updated_at: at } of routes) {
    const { data } = sessionSource.safeParse(origin);
    if (data === undefined || data.chat_id === '') continue;
    const entry = entryOf(data);
    const known = found.get(data.platform) ?? new Map<string, Written>();
    if (at > (known.get(entry.id)?.at ?? '')) known.set(entry.id, { entry, at });
    const tooMany = known.size > 2 * maxEntries;
    found.set(data.platform, tooMany ? new Map(newestOf(known).map((each) => [each.entry.id, each])) : known);
  }
  return new Map([...found].map(([platform, known]) => [platform, newestOf(known).map(({ entry }) => entry)]));
}

function newestOf(known: ReadonlyMap<string, Written>): readonly Written[] {
  return [...known.values()].sort((one, other) => other.at.localeCompare(one.at)).slice(0, maxEntries);
}

function entryOf(source: SessionSource): DirectoryEntry {
  const { chat_id: chatId, thread_id: threadId, chat_type: type, chat_topic: topic } = source;
  const chat = source.chat_name || (type === 'dm' ? source.user_name : null) || chatId;
  if (threadId === null) return { id: chatId, name: chat, type };
  return { id: `${chatId}:${threadId}`, name: `${chat} / ${topic || threadId}`, type, thread_id: threadId };
}

function homeOf({ config: { homeChannel } }: PlatformConnection): readonly DirectoryEntry[] {
  if (homeChannel === undefined) return [];
  const { chatId, threadId, name } = homeChannel;
  const id = threadId === null ? chatId : `${chatId}:${threadId}`;
  return [{ id, name: name ?? 'home', type: 'home', ...(threadId === null ? {} : { thread_id: threadId }) }];
}

function unique(entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
  const byId = new Map<string, DirectoryEntry>();
  for (const entry of entries) if (!byId.has(entry.id) && byId.size < maxEntries) byId.set(entry.id, entry);
  return [...byId.values()];
}
