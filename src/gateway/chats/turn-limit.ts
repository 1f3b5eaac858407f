/** How many chats may have a turn at the same time, and whether any may begin one now. */
import type { GatewaySettings } from '../gateway-settings.ts';
import type { Chats } from './chats.ts';

const fullText = 'I am answering as many chats as I may at the same time; please send that again in a moment.';

export interface TurnLimit {
  readonly chats: Chats;
  readonly settings: Pick<GatewaySettings, 'maxBusyChats'>;
  /** Why no chat gets a turn that it does not have yet; undefined: they do. */
  readonly paused: string | undefined;
}

/** Why the chat of this key gets no turn. `entering`: chats whose message is just being written down. */
export function whyNoTurn(
  key: string,
  entering: ReadonlySet<string>,
  { chats, settings: { maxBusyChats }, paused }: TurnLimit,
): string | undefined {
  if (paused === undefined && maxBusyChats === 0) return undefined;
  const busy = new Set([...chats.busy.map(({ sessionKey }) => sessionKey), ...entering]);
  if (busy.has(key)) return undefined;
  return paused ?? (busy.size >= maxBusyChats ? fullText : undefined);
}
