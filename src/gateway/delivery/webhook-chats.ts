/** Brings the answers of webhooks into chats. */
import type { ChatTarget, DeliveryDetails, DeliveryOutcome, WebhookDelivery } from '../../http/webhooks/delivery.ts';
import { platformCatalogue } from '../catalogue.ts';
import type { Gateway } from '../gateway.ts';
import { sendText } from './send-text.ts';

/** `gateway` is asked for when something is to be sent: webhooks and platforms start side by side. */
export function webhookChats(gateway: Gateway): WebhookDelivery {
  return {
    knows: (platform) => platformCatalogue.some(({ name }) => name === platform),
    deliver: (target, text, details) => deliver(gateway, target, text, details),
  };
}

async function deliver(
  gateway: Gateway,
  target: ChatTarget,
  text: string,
  details: DeliveryDetails,
): Promise<DeliveryOutcome> {
  const { platform } = target;
  const connection = gateway.connection(platform);
  if (connection === undefined) return failed(`no chat platform '${platform}' is set up`);
  const home = connection.config.homeChannel;
  const chatId = target.chatId ?? home?.chatId;
  if (chatId === undefined) return failed(`${platform} has no home channel`);
  const threadId = target.threadId ?? (target.chatId === undefined ? (home?.threadId ?? null) : null);
  const to = { chatId, threadId };
  if (details.lasting) {
    const { id, route } = details;
    const sessionKey = `webhook:${route}`;
    await gateway.delivery.add({ id, sessionKey, platform, ...to, content: text, details: '{}' });
    return { as: 'delivered' };
  }
  const { adapter } = connection;
  if (adapter === undefined) return failed(`${platform} is not connected`);
  const sent = await sendText(
    { to, text, key: details.id },
    {
      adapter,
      facts: connection.platform,
      replyToMode: 'off',
      clock: gateway.clock,
      signal: details.signal,
    },
  );
  return sent.ok ? { as: 'delivered' } : failed(sent.error);
}

function failed(error: string): DeliveryOutcome {
  return { as: 'failed', error };
}
