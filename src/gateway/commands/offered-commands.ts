/** Which slash commands there are in chats, and who may run them. */
import { slashCommands } from '../../commands/catalogue.ts';
import type { SharedCommand } from '../../commands/command.ts';
import { pluginCommands } from '../../commands/plugin-commands.ts';
import { isBuiltIn } from '../../commands/resolve.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Gateway } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { chatCommands } from './catalogue.ts';
import type { ChatCommand, OfferedCommand } from './chat-command.ts';

/** What the button sends with which a conversation begins on some platforms. */
export const pressedStart = 'start';

/** Without `gateway`, whether its settings have it or not. */
export function ownCommand(name: string, gateway?: Gateway): ChatCommand | undefined {
  const found = chatCommands.find((command) => isCalled(command, name));
  return found !== undefined && gateway !== undefined && !isOffered(found, gateway) ? undefined : found;
}

/** One that all surfaces have, of the program or of a plug-in. */
export function sharedCommand(name: string, gateway: Gateway): SharedCommand | undefined {
  return builtInCommand(name) ?? ofPlugins(gateway).find((command) => isCalled(command, name));
}

function sharedCommands(gateway: Gateway): readonly SharedCommand[] {
  return [...slashCommands.filter((command) => command.surface === 'both'), ...ofPlugins(gateway)];
}

/** Whatever skills there are: what starts a conversation, and every command of the terminal alone. */
export function isUseless(name: string): boolean {
  return name === pressedStart || (builtInCommand(name) === undefined && isBuiltIn(name, slashCommands));
}

export function allCommands(gateway: Gateway): readonly OfferedCommand[] {
  const shared = sharedCommands(gateway).filter(({ name }) => ownCommand(name) === undefined);
  return [...chatCommands.filter((command) => isOffered(command, gateway)), ...shared];
}

/** For `/commands` and `/whoami`. */
export function offeredTo(gateway: Gateway, event: Pick<MessageEvent, 'source'>): readonly OfferedCommand[] {
  return allCommands(gateway).filter((command) => mayRun(command, { event, gateway }));
}

/** A command is one, whatever it is called: by its list it is allowed or not under all of its names. */
export function mayRun(
  { name, aliases = [], ofOwner }: Pick<OfferedCommand, 'name' | 'aliases' | 'ofOwner'>,
  { event, gateway }: { readonly gateway: Gateway; readonly event: Pick<MessageEvent, 'source'> },
): boolean {
  if (ofOwner === true) {
    const { tier, alone = false } = gateway.authorization.tierOf(event.source);
    return tier === 'admin' || (tier === 'unrestricted' && alone);
  }
  return [name, ...aliases].some((each) => gateway.authorization.mayRun(each.replaceAll('_', '-'), event));
}

function builtInCommand(name: string): SharedCommand | undefined {
  return slashCommands.find(
    (command): command is SharedCommand => command.surface === 'both' && isCalled(command, name),
  );
}

/** Without those that a command of chats, or one of the owner's own, hides. */
function ofPlugins({ program }: Gateway): readonly SharedCommand[] {
  const quick = program.options.config.raw['quick_commands'];
  const own = new Set(
    isJsonObject(quick) ? Object.keys(quick).map((name) => name.toLowerCase().replaceAll('_', '-')) : [],
  );
  return pluginCommands(program, (name) => name === pressedStart || ownCommand(name) !== undefined || own.has(name));
}

function isOffered({ isOffered: of }: ChatCommand, { program }: Gateway): boolean {
  return of?.(program.options.config) ?? true;
}

function isCalled({ name, aliases }: Pick<OfferedCommand, 'name' | 'aliases'>, word: string): boolean {
  return name === word || aliases?.includes(word) === true;
}
