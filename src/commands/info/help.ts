/** `/help`: what can be typed. */
import { commandCategories, type SharedCommand, type SlashCommand } from '../command.ts';

export const help: SharedCommand = {
  name: 'help',
  category: 'Info',
  description: 'show this list',
  surface: 'both',
  whileBusy: true,
  run({ commands, ui }) {
    const sections = commandCategories.flatMap((category) => {
      const members = commands.filter((command) => command.category === category);
      return members.length === 0 ? [] : [category, ...members.map(helpLine), ''];
    });
    ui.print([...sections, ...keys].join('\n'));
  },
};

function helpLine(command: SlashCommand): string {
  const names = [command.name, ...(command.aliases ?? [])].map((name) => `/${name}`).join(', ');
  const usage = command.argumentHint === undefined ? names : `${names} ${command.argumentHint}`;
  return `  ${usage.padEnd(34)} ${command.description}`;
}

const keys = [
  'Keys',
  '  Enter sends; Shift+Enter, Alt+Enter, Ctrl+J or \\ and Enter start a new line',
  '  Up and Down on an empty line go through what you typed before; Tab completes commands and paths',
  '  Ctrl+C cancels a question, stops the turn, clears the line, or leaves; Ctrl+D leaves; Ctrl+Z suspends',
];
