/** A slash command that only chats have. */
import type { ListedCommand } from '../../commands/command.ts';
import type { Change } from '../../config/edit.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Gateway } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { OwnProgram } from './own-program.ts';

/** What such a command may do; it takes what it names and no more. */
export interface ChatCommandContext {
  readonly chat: OpenChat;
  readonly event: MessageEvent;
  readonly gateway: Gateway;
  /** Plain text for the person who sent the command. */
  readonly print: (text: string) => void;
  /** Writes variables of `.env`, as an operator would. Throws `UserError`. */
  readonly saveVariables: (variables: Readonly<Record<string, string>>) => Promise<void>;
  /** Writes keys of config.yaml; those below `display` hold at once. Throws `UserError`. */
  readonly saveSettings: (changes: readonly Change[]) => Promise<void>;
  /** Asks the process to end and to be started again; the chat is told when that is done. False: nobody would start it. */
  readonly restart: (event: MessageEvent) => boolean;
  readonly hermes: OwnProgram;
  /** Every command that this person may run here, in the order of `/help`. */
  readonly offered: readonly OfferedCommand[];
}

export interface OfferedCommand extends ListedCommand {
  /**
   * It is about the program itself: for administrators, and where none are named for the only person that the owner's lists
   * name. No list of commands for others opens it.
   */
  readonly ofOwner?: true;
}

export interface ChatCommand extends OfferedCommand {
  /** It never waits, whatever runs. Others have to wait until the turn is done. */
  readonly atOnce: boolean;
  /** It looks into the conversation: where that has to be opened first, it takes its place in the queue. */
  readonly opens?: true;
  /** Whether the owner's settings have it in chats; absent: they always have. */
  readonly isOffered?: (settings: Pick<LoadedConfig, 'config'>) => boolean;
  /** `args` is what stands behind the name, trimmed. Throws `UserError` for what the sender can set right. */
  run(context: ChatCommandContext, args: string): Promise<void> | void;
}
