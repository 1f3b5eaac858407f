/** The commands that Telegram offers when somebody types a slash. https://core.telegram.org/bots/api#botcommand */
import * as z from 'zod';
import type { MenuCommand } from '../../platform/adapter.ts';
import type { TelegramApi } from './api.ts';

/** A longer menu is no help; Telegram takes 100. */
const maxCommands = 60;
const maxName = 32;
const maxDescription = 256;

export class CommandMenu {
  readonly #api: TelegramApi;
  #names = new Map<string, string>();

  constructor(api: TelegramApi) {
    this.#api = api;
  }

  async show(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    const shown = new Map<string, MenuCommand>();
    for (const command of commands) {
      const name = shownName(command.name);
      if (shown.size < maxCommands && /^[a-z0-9_]+$/.test(name) && name.length <= maxName && !shown.has(name))
        shown.set(name, command);
    }
    this.#names = new Map([...shown].map(([name, command]) => [name, command.name]));
    const menu = [...shown].map(([command, { name, description }]) => ({
      command,
      description: (description.trim() || name).slice(0, maxDescription).toWellFormed(),
    }));
    await this.#api.call('setMyCommands', { commands: menu }, z.unknown(), { signal });
  }

  /** What a command of the menu is really called. */
  nameOf(shown: string): string {
    return this.#names.get(shown) ?? shown;
  }
}

/** Telegram has no `-` in commands. */
function shownName(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}
