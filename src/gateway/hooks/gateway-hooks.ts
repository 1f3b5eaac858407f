/** What a gateway tells its hooks. */
import type { ChatHooks } from '../chats/chat-deps.ts';

export interface GatewayHooks extends ChatHooks {
  /** `platforms`: names of those that are connected. */
  gatewayStarted(platforms: readonly string[]): void;
  /** What waits is given a moment. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;

export const noHooks: GatewayHooks = {
  turnStarted: nothing,
  event: nothing,
  turnEnded: nothing,
  sessionReset: nothing,
  commandTyped: () => Promise.resolve({ as: 'allow' }),
  gatewayStarted: nothing,
  close: () => Promise.resolve(),
};
