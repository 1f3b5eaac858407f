/** The pages of what can be typed in a conversation: slash commands, and keys. */
import { TUI_KEYBINDINGS } from '@earendil-works/pi-tui';
import { slashCommands } from '../../src/commands/catalogue.ts';
import { commandCategories, type SlashCommand } from '../../src/commands/command.ts';
import { chatKeys } from '../../src/commands/keys.ts';
import { blocks, code, codes, type Page, plain, table } from './markdown.ts';

export function slashCommandsPage(): Page {
  const sections = commandCategories.flatMap((category) => {
    const members = slashCommands.filter((command) => command.category === category);
    const head = ['command', 'what it does', 'values', 'during a turn'];
    return members.length === 0 ? [] : [`## ${category}`, table(head, members.map(row))];
  });
  return {
    name: 'slash-commands.md',
    text: blocks(
      '# Slash commands',
      'What you can type in a conversation. `/help` lists the same; the beginning of a name is enough where it is the only one. A skill or a bundle of skills is a command too: `/name-of-the-skill what to do`. Those without a yes in the last column have to wait until a running turn is done.',
      ...sections,
    ),
  };
}

function row(command: SlashCommand): string[] {
  const usage = [`/${command.name}`, command.argumentHint ?? []].flat().join(' ');
  const names = [usage, ...(command.aliases ?? []).map((alias) => `/${alias}`)];
  return [codes(names), plain(command.description), codes(command.values ?? []), command.whileBusy ? 'yes' : ''];
}

/** Groups of the editor library's own keys that work in the chat. */
const libraryGroups: readonly (readonly [prefix: string, title: string])[] = [
  ['tui.editor.', 'Writing'],
  ['tui.select.', 'Lists'],
];

export function keysPage(): Page {
  const sections = libraryGroups.flatMap(([prefix, title]) => {
    const rows = Object.entries(TUI_KEYBINDINGS)
      .filter(([name]) => name.startsWith(prefix))
      .map(([, { defaultKeys, description }]) => [keysOf(defaultKeys), plain(description ?? '')])
      .filter(([keys]) => keys !== '');
    return [`## ${title}`, table(['keys', 'what they do'], rows)];
  });
  return {
    name: 'keys.md',
    text: blocks(
      '# Keys',
      'The keys of the conversation in the terminal. They cannot be changed in this build.',
      table(
        ['keys', 'what they do'],
        chatKeys.map(({ keys, does }) => [
          keys
            .split(', ')
            .map((key) => code(key))
            .join(', '),
          plain(does),
        ]),
      ),
      ...sections,
    ),
  };
}

function keysOf(keys: string | readonly string[]): string {
  const list = typeof keys === 'string' ? [keys] : keys;
  return codes(list.map((key) => key.split('+').map(capital).join('+')));
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
