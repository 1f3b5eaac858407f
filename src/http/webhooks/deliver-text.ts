/** Brings the answer to a delivery where its route wants it. */
import type { Log } from '../../lib/log.ts';
import type { DeliveryDetails, DeliveryOutcome, WebhookDelivery } from './delivery.ts';
import { commentOnGitHub } from './github-comment.ts';
import type { DeliveryTarget } from './target.ts';

export interface DeliverWith {
  readonly chats: WebhookDelivery;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

const deadlineMs = 60_000;
const loggedChars = 200;
/** Stands before what may have arrived already. */
const repeatLine = '♻️ After a restart; this may be a repeat.\n\n';

/** Never throws. What failed is in the log. */
export async function deliverText(
  target: DeliveryTarget,
  text: string,
  details: DeliveryDetails,
  { chats, env, log }: DeliverWith,
): Promise<DeliveryOutcome> {
  const signal = AbortSignal.any([details.signal, AbortSignal.timeout(deadlineMs)]);
  if (text.trim() === '' || isSilent(text)) {
    log.debug(`nothing to deliver for ${named(details)}`);
    return { as: 'delivered' };
  }
  const outcome = await send();
  if (outcome.as === 'failed') log.error(`the answer to ${named(details)} was not delivered: ${outcome.error}`);
  return outcome;

  async function send(): Promise<DeliveryOutcome> {
    switch (target.to) {
      case 'log':
        log.info(`answer to ${named(details)}: ${text.slice(0, loggedChars).replaceAll(/\s+/g, ' ')}`);
        return { as: 'delivered' };
      case 'github_comment':
        return await commentOnGitHub({ ...target, text: details.mayRepeat ? repeatLine + text : text }, env, signal);
      case 'chat': {
        const chat = { platform: target.platform, chatId: target.chatId, threadId: target.threadId };
        return await chats.deliver(chat, text, { ...details, signal });
      }
    }
  }
}

export function named({ route, deliveryId }: Pick<DeliveryDetails, 'route' | 'deliveryId'>): string {
  return `webhook ${route} ${JSON.stringify(deliveryId.slice(0, 80))}`;
}

/** `[SILENT]` and `NO_REPLY` mean that nothing is to be said. */
function isSilent(text: string): boolean {
  return text.length <= 64 && /^[\s\p{P}*]*(?:SILENT|NO[ _]REPLY)[\s\p{P}*]*$/iu.test(text);
}
