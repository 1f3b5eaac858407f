/** The gateway of this home, as commands of the chat in a terminal see it. */
import type { GatewayDoor } from '../../commands/gateway-door.ts';
import { loadConfig } from '../../config/load.ts';
import { platformReports } from '../../gateway/process/configured-platforms.ts';
import type { PlatformEntry } from '../../gateway/platform/platform.ts';
import type { CliContext } from '../command.ts';
import { gatewayLines } from './show.ts';

/** `plugged`: the platforms of plug-ins, which the chat has loaded already. */
export function gatewayDoor(context: CliContext, plugged: readonly PlatformEntry[] = []): GatewayDoor {
  // Others write there while a chat is open: `hermes gateway setup`, and `/sethome` in a chat.
  const now: CliContext = { ...context, config: async () => await loadConfig(context) };
  return {
    lines: async () => await lines(now, plugged),
    footer: async () => {
      const { enabled, fields } = (await now.config()).config.display.runtime_footer;
      return enabled ? fields : [];
    },
  };
}

async function lines(context: CliContext, plugged: readonly PlatformEntry[]): Promise<readonly string[]> {
  context.reloadVariables();
  const { raw } = await context.config();
  const reports = await platformReports({ raw, variables: context.env, plugged });
  const setUp = reports
    .filter(({ configured }) => configured)
    .map(({ platform: { label }, config: { enabled, homeChannel } }) => {
      const home = homeChannel === undefined ? 'no home chat' : `home chat ${homeChannel.name ?? homeChannel.chatId}`;
      return `${label}: ${enabled ? 'set up' : 'set up, but switched off'}, ${home}`;
    });
  const none = 'No chat platform is set up. Set one up: hermes gateway setup';
  return [...gatewayLines(context.home).map(({ text }) => text), ...(setUp.length === 0 ? [none] : setUp)];
}
