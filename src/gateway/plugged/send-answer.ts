/** What an adapter of a plug-in says became of something that it sent: in our words, or in those of the original. */
import * as z from 'zod';
import { sendErrorKinds, type SendErrorKind, type SendResult } from '../platform/send-result.ts';
import { oneLine } from './plugged-error.ts';

const id = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((given) => (given === undefined || given === null ? null : String(given)));
const sent = z.looseObject({ ok: z.literal(true), messageId: id });
const notSent = z.looseObject({
  ok: z.literal(false),
  kind: z.enum(sendErrorKinds).catch('unknown'),
  error: z.string().catch('it failed'),
  retryAfterMs: z.number().min(0).max(86_400_000).optional().catch(undefined),
  mayHaveArrived: z.boolean().optional().catch(undefined),
});
const original = z.looseObject({
  success: z.boolean(),
  message_id: id,
  error: z.string().nullish(),
  retryable: z.boolean().catch(false),
  retry_after: z.number().min(0).max(86_400).optional().catch(undefined),
  error_kind: z.enum(sendErrorKinds).optional().catch(undefined),
});

export function readSent(given: unknown): SendResult {
  const good = sent.safeParse(given).data;
  if (good !== undefined) return { ok: true, messageId: good.messageId };
  const bad = notSent.safeParse(given).data;
  if (bad !== undefined) {
    const { kind, error, retryAfterMs, mayHaveArrived } = bad;
    return {
      ...failed(kind, error),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(mayHaveArrived === true ? { mayHaveArrived } : {}),
    };
  }
  const old = original.safeParse(given).data;
  if (old === undefined) return failed('unknown', 'its adapter gave no answer that can be read');
  if (old.success) return { ok: true, messageId: old.message_id };
  const kind =
    old.error_kind ?? (old.retry_after !== undefined ? 'rate_limited' : old.retryable ? 'transient' : 'unknown');
  return {
    ...failed(kind, old.error ?? 'it failed'),
    ...(old.retry_after === undefined ? {} : { retryAfterMs: old.retry_after * 1000 }),
  };
}

function failed(kind: SendErrorKind, error: string) {
  return { ok: false, kind, error: oneLine(error) } as const;
}
