/** Slash commands in chats, loaded with the first one: a gateway that waits for messages does not need them. */
import { parseCommand } from '../commands/parse-command.ts';
import type { RunCommandsOptions } from '../commands/run-commands.ts';
import type { GatewayCommands } from '../gateway.ts';

export function lazyCommands(options: RunCommandsOptions): GatewayCommands {
  let loaded: Promise<GatewayCommands> | undefined;
  const commands = (): Promise<GatewayCommands> => {
    loaded ??= import('../commands/run-commands.ts').then(({ RunCommands }) => new RunCommands(options));
    return loaded;
  };
  return {
    menu: async (gateway) => await (await commands()).menu(gateway),
    run: async (chat, event, gateway) =>
      parseCommand(event.text) !== undefined && (await (await commands()).run(chat, event, gateway)),
    immediate: async (chat, event, gateway) =>
      parseCommand(event.text) !== undefined && (await (await commands()).immediate(chat, event, gateway)),
  };
}
