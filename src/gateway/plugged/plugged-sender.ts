/** Sends over the platform of a plug-in from another process than the gateway, with what the plug-in has for that. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { withDeadline } from '../../plugins/deadline.ts';
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { ChatAddress, OutgoingFile, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterHost } from '../platform/adapter-host.ts';
import type { SendResult } from '../platform/send-result.ts';
import { oneLine } from './plugged-error.ts';
import { readSent } from './send-answer.ts';

const sendMs = 60_000;
const answer = z.looseObject({ error: z.string().nullish() });

/** Throws `UserError` where the plug-in has nothing for it. */
export function pluggedSender(
  { name, standalone_sender_fn }: PluginPlatform,
  { config }: AdapterHost,
): PlatformAdapter {
  if (standalone_sender_fn === undefined) {
    throw new UserError(`No live adapter for platform '${name}'`, {
      hint: 'Start the gateway (hermes gateway run) and try again: its plug-in sends nothing without it (standalone_sender_fn).',
    });
  }
  const clean = (text: string): string => oneLine(maskKeys(text, config.token === undefined ? [] : [config.token]));
  const deliver = async (
    { chatId, threadId }: ChatAddress,
    text: string,
    files: readonly OutgoingFile[],
    signal: AbortSignal,
  ): Promise<SendResult> => {
    const options = {
      thread_id: threadId,
      // As the original hands them over: a path, and whether it is spoken.
      media_files: files.map(({ path, kind }) => [path, kind === 'voice']),
      force_document: files.some(({ kind }) => kind === 'document'),
    };
    let hasEnded = false;
    const work = async (ended: AbortSignal): Promise<unknown> => {
      try {
        return await standalone_sender_fn(config, chatId, text, { ...options, signal: ended });
      } finally {
        hasEnded = true;
      }
    };
    try {
      const result = readAnswer(await withDeadline(sendMs, work, { signal }));
      return result.ok ? result : { ...result, error: clean(result.error) };
    } catch (error) {
      const reason = hasEnded ? clean(errorMessage(error)) : 'no answer in time';
      const cut = hasEnded ? {} : ({ mayHaveArrived: true } as const);
      return { ok: false, kind: 'unknown', error: `Plugin standalone send failed: ${reason}`, ...cut };
    }
  };
  return {
    connect: () => Promise.reject(new Error('it only sends')),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send: async ({ to, text }, signal) => await deliver(to, text, [], signal),
    files: {
      send: async (file, signal) => await deliver(file.to, file.caption ?? '', [file], signal),
      fetch: () => Promise.reject(new Error('it only sends')),
    },
  };
}

/** `{error}` alone says that it failed. */
function readAnswer(given: unknown): SendResult {
  const { data } = answer.safeParse(given);
  if (data === undefined) return readSent(given);
  const saysWhy = (data.error ?? '') !== '';
  return readSent(saysWhy ? { ...data, success: false } : given);
}
