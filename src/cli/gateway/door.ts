/** The gateway of this home, as commands of the chat in a terminal see it. */
import type { GatewayDoor } from '../../commands/gateway-door.ts';
import { loadConfig } from '../../config/load.ts';
import { platformReports } from '../../gateway/process/configured-platforms.ts';
import { runningGateway } from '../../gateway/process/running-gateway.ts';
import { servingGateway } from '../../gateway/process/serving-gateway.ts';
import { readGatewayState } from '../../gateway/process/state-file.ts';
import { readDirectory } from '../../gateway/targets/channel-directory.ts';
import { findChat } from '../../gateway/targets/target.ts';
import { UserError } from '../../lib/errors.ts';
import type { PlatformEntry } from '../../gateway/platform/platform.ts';
import type { CliContext } from '../command.ts';
import { setUpPlatform } from '../send/set-up-platforms.ts';
import { gatewayLines } from './show.ts';

/** `plugged`: the platforms of plug-ins, which the chat has loaded already. */
export function gatewayDoor(context: CliContext, plugged: readonly PlatformEntry[] = []): GatewayDoor {
  // Others write there while a chat is open: `hermes gateway setup`, and `/sethome` in a chat.
  const now: CliContext = { ...context, config: async () => await loadConfig(context) };
  return {
    lines: async () => await lines(now, plugged),
    home: async (platform) => await homeOf(now, platform, plugged),
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

async function homeOf(context: CliContext, name: string, plugged: readonly PlatformEntry[]): Promise<string> {
  context.reloadVariables();
  const { home } = context;
  const configured = await setUpPlatform(context, name, plugged);
  const { note = configured.platform.label } = findChat(configured, undefined, readDirectory(home.path));
  const running = runningGateway(home.path);
  if (running === undefined && servingGateway(home) === undefined) {
    throw new UserError('The gateway does not run, so nobody could take the conversation.', {
      hint: 'Start it: hermes gateway start',
    });
  }
  const state = running === undefined ? undefined : readGatewayState(home.path);
  const connection = state?.pid === running?.pid ? state?.platforms[name] : undefined;
  if (connection !== undefined && connection.state !== 'connected') {
    throw new UserError(`${configured.platform.label} is not connected just now (${connection.state}).`, {
      hint: 'See how it is: /platforms',
    });
  }
  return note;
}
