/** Where the answer to a delivery goes, once the payload has filled in what the route leaves open. */
import * as z from 'zod';
import type { WebhookRoute } from '../../config/webhooks.ts';
import type { JsonValue } from '../../lib/json.ts';
import { renderTemplate, type TemplateValues } from './template.ts';

export const deliveryTarget = z.discriminatedUnion('to', [
  z.object({ to: z.literal('log') }),
  /** As the payload says it: looked at before it is used. */
  z.object({ to: z.literal('github_comment'), repo: z.string(), number: z.string() }),
  z.object({
    to: z.literal('chat'),
    platform: z.string(),
    chatId: z.string().optional(),
    threadId: z.string().optional(),
  }),
]);
export type DeliveryTarget = z.infer<typeof deliveryTarget>;

export function targetOf({ deliver, deliverExtra }: WebhookRoute, values: TemplateValues): DeliveryTarget {
  const detail = (name: string): string | undefined => textOf(deliverExtra[name], values);
  if (deliver === 'log') return { to: 'log' };
  if (deliver === 'github_comment') {
    return { to: 'github_comment', repo: detail('repo') ?? '', number: detail('pr_number') ?? '' };
  }
  const [platform = '', chat, thread] = platformAndChat(deliver);
  return {
    to: 'chat',
    platform,
    chatId: detail('chat_id') ?? chat,
    threadId: detail('message_thread_id') ?? detail('thread_id') ?? thread,
  };
}

/** The platform that a route delivers to; undefined for what is no chat. */
export function platformOf({ deliver }: Pick<WebhookRoute, 'deliver'>): string | undefined {
  return deliver === 'log' || deliver === 'github_comment' ? undefined : platformAndChat(deliver)[0];
}

/** `platform`, `platform:chat` or `platform:chat:thread`. */
function platformAndChat(deliver: string): readonly (string | undefined)[] {
  return /^([^:]+)(?::([^:]+))?(?::(.+))?$/.exec(deliver)?.slice(1) ?? [deliver];
}

function textOf(value: JsonValue | undefined, values: TemplateValues): string | undefined {
  if (typeof value === 'string') return renderTemplate(value, values).trim() || undefined;
  return typeof value === 'number' ? String(value) : undefined;
}
