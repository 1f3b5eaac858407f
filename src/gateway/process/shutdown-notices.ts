/** Tells chats that the gateway ends: those whose turn it cuts short, and the home channel of each platform. */
import type { Gateway } from '../gateway.ts';
import { eventAt } from '../platform/own-event.ts';
import { sessionSource, type SessionSource } from '../platform/session-source.ts';

export interface ShutdownNotice {
  readonly restarts: boolean;
  /** Seconds that running turns get; 0: none. */
  readonly drainSeconds: number;
}

/** How long all of them together may take. */
const patienceMs = 5000;

/** Whoever asked for the restart was told already. */
export async function tellOfEnd(gateway: Gateway, notice: ShutdownNotice, asked?: SessionSource): Promise<void> {
  const places = await Promise.all(gateway.chats.busy.map(({ sessionKey }) => placeOf(gateway, sessionKey)));
  const busy = places.filter((place) => place !== undefined);
  const homes = gateway.connected.flatMap((platform) => {
    const home = gateway.connection(platform)?.config.homeChannel;
    return home === undefined ? [] : [{ platform, chatId: home.chatId, threadId: home.threadId }];
  });
  const told = new Set(asked === undefined ? [] : [nameOf({ platform: asked.platform, chatId: asked.chat_id })]);
  const said: Promise<void>[] = [];
  for (const { place, text } of [
    ...busy.map((place) => ({ place, text: busyText(notice) })),
    ...homes.map((place) => ({ place, text: homeText(notice) })),
  ]) {
    const { platform, chatId, threadId } = place;
    if (told.has(nameOf(place)) || gateway.connection(platform)?.config.restartNotification === false) continue;
    told.add(nameOf(place));
    said.push(gateway.say(eventAt(platform, chatId, threadId), text));
  }
  const late = AbortSignal.timeout(patienceMs);
  const waited = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([Promise.all(said), waited]);
}

interface ChatPlace {
  readonly platform: string;
  readonly chatId: string;
  readonly threadId: string | null;
}

async function placeOf(gateway: Gateway, sessionKey: string): Promise<ChatPlace | undefined> {
  const origin = sessionSource.safeParse((await gateway.routing.get(sessionKey))?.origin).data;
  if (origin === undefined) return undefined;
  return { platform: origin.platform, chatId: origin.chat_id, threadId: origin.thread_id };
}

function nameOf({ platform, chatId }: Pick<ChatPlace, 'platform' | 'chatId'>): string {
  return `${platform}\n${chatId}`;
}

function busyText({ restarts, drainSeconds }: ShutdownNotice): string {
  const what = restarts ? '♻️ I am restarting.' : '⚠️ I am shutting down.';
  const grace = drainSeconds > 0 ? ` Your task has ${drainSeconds} s to finish;` : '';
  return `${what}${grace} what is not done by then is taken up when I am back.`;
}

function homeText({ restarts }: ShutdownNotice): string {
  return restarts ? '♻️ I am restarting.' : '⚠️ I am shutting down.';
}
