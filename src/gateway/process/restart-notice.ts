/** Whom to tell after a restart or an update: written down by the gateway that ends, taken up by the next one. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import type { Gateway } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';

const installedUpdate = z.object({ ok: z.boolean(), words: z.string() });

/** How an update ended; `words`: what to tell of it. */
export type InstalledUpdate = z.infer<typeof installedUpdate>;

const notice = z.looseObject({
  platform: z.string().min(1),
  chat_id: z.string().min(1),
  chat_type: z.string().nullish(),
  thread_id: z.string().nullish(),
  message_id: z.string().nullish(),
  /** An update was asked for, and whoever installed it wrote down how it ended. */
  update: z.union([z.literal('asked'), installedUpdate]).optional(),
});

const backText = '♻️ I am back: the restart is done.';

export function askForNotice(homePath: string, { source, message_id }: MessageEvent, update?: 'asked'): void {
  const { platform, chat_id, chat_type, thread_id } = source;
  write(homePath, { platform, chat_id, chat_type, thread_id, message_id, requested_at: Date.now(), update });
}

/** For the notice that was asked for with `update`. */
export function noteInstalled(homePath: string, update: InstalledUpdate): void {
  const wanted = notice.safeParse(parseJson(read(noticePath(homePath)) ?? '')).data;
  if (wanted !== undefined) write(homePath, { ...wanted, update });
}

/** Goes over the outbox, so that it is said once however often the process dies. */
export async function giveNotice(homePath: string, gateway: Gateway): Promise<void> {
  const text = read(noticePath(homePath));
  if (text === undefined) return;
  const wanted = notice.safeParse(parseJson(text)).data;
  if (wanted !== undefined) {
    const { platform, chat_id: chatId, thread_id: threadId = null, message_id: replyTo } = wanted;
    await gateway.delivery.add({
      id: `restart.${createHash('sha256').update(text).digest('hex').slice(0, 24)}`,
      sessionKey: `restart:${platform}:${chatId}`,
      platform,
      chatId,
      threadId,
      content: textOf(wanted.update),
      details: JSON.stringify(typeof replyTo === 'string' ? { replyTo } : {}),
    });
  }
  rmSync(noticePath(homePath), { force: true });
}

function textOf(update: z.infer<typeof notice>['update']): string {
  if (update === undefined) return backText;
  if (update === 'asked')
    return '⚠️ I am back, but the update was cut off in the middle. Look how it stands with: hermes update --check';
  return update.ok ? `♻️ I am back: ${update.words}` : `⚠️ I am back, and the update failed: ${update.words}`;
}

function write(homePath: string, wanted: z.input<typeof notice>): void {
  writeFileAtomic(noticePath(homePath), `${JSON.stringify(wanted)}\n`);
}

function noticePath(homePath: string): string {
  return join(homePath, '.restart_notify.json');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
