/** Brings the answers of webhooks into chats. */
import type { ChatTarget, DeliveryDetails, DeliveryOutcome, WebhookDelivery } from '../../http/webhooks/delivery.ts';
import { UserError } from '../../lib/errors.ts';
import { platformCatalogue } from '../catalogue.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import { readDirectory } from '../targets/channel-directory.ts';
import { addressOf, findChat } from '../targets/target.ts';
import { sendText } from './send-text.ts';

/** `gateway` is asked for when something is to be sent: webhooks and platforms start side by side. */
export function webhookChats(gateway: Gateway): WebhookDelivery {
  return {
    knows: (platform) =>
      [...platformCatalogue, ...gateway.program.plugins.platforms].some(({ name }) => name === platform),
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
  const to = chatOf(gateway, connection, target);
  if (typeof to === 'string') return failed(to);
  if (gateway.deadTargets.has({ platform, chatId: to.chatId }))
    return failed('dead_target: the chat takes no messages');
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

/** Why there is none, in one line. */
function chatOf(
  gateway: Gateway,
  connection: PlatformConnection,
  { chatId, threadId }: ChatTarget,
): ChatAddress | string {
  try {
    // Ids of some platforms have a colon in them, where the route was cut.
    const whole = threadId === undefined ? undefined : addressOf(connection.platform, `${chatId ?? ''}:${threadId}`);
    if (whole !== undefined) return whole;
    const { to } = findChat(connection, chatId, readDirectory(gateway.program.options.home.path));
    return { ...to, threadId: threadId ?? to.threadId };
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function failed(error: string): DeliveryOutcome {
  return { as: 'failed', error };
}
