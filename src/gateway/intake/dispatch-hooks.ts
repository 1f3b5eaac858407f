/** What hooks say to a message before anybody looks at who sent it. */
import type { Hooks } from '../../agent/hooks.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { MessageEvent } from '../platform/message-event.ts';

/** The platform waits until the message is written down: hooks that take longer have nothing to say. */
const longestMs = 10_000;

/** The message as it goes on; undefined: it is dropped, and nobody is told. Never rejects. */
export async function askDispatchHooks(
  event: MessageEvent,
  hooks: Hooks,
  log: Pick<Log, 'info'>,
): Promise<MessageEvent | undefined> {
  if (event.internal === true || !hooks.has('pre_gateway_dispatch')) return event;
  // The live objects that the original hands over here are its own; ours are no part of what hooks may use.
  const payload = () => ({ event: { ...event }, gateway: null, session_store: null });
  const answers = await hooks.call('pre_gateway_dispatch', payload, AbortSignal.timeout(longestMs));
  for (const { by, value } of answers) {
    if (!isJsonObject(value)) continue;
    const { action, text, reason } = value;
    if (action === 'allow') return event;
    if (action === 'skip') {
      log.info(`${by} dropped a message${typeof reason === 'string' ? `: ${reason}` : ''}`);
      return undefined;
    }
    if (action === 'rewrite' && typeof text === 'string') return { ...event, text, rewritten_by: by };
  }
  return event;
}
