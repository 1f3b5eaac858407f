/** `/help`: what can be typed. */
import { commandCategories, type SharedCommand, type SlashCommand } from '../command.ts';
import { chatKeys } from '../keys.ts';

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
    const keys = chatKeys.map((binding) => `  ${binding.keys.padEnd(usageWidth)} ${binding.does}`);
    ui.print([...sections, 'Keys', ...keys].join('\n'));
  },
};

function helpLine(command: SlashCommand): string {
  const names = [command.name, ...(command.aliases ?? [])].map((name) => `/${name}`).join(', ');
  const usage = command.argumentHint === undefined ? names : `${names} ${command.argumentHint}`;
  // A long line of arguments has one for itself, so that what the command does stays in its column.
  const begins = usage.length > usageWidth ? `  ${usage}\n  ${''.padEnd(usageWidth)}` : `  ${usage.padEnd(usageWidth)}`;
  return `${begins} ${command.description}`;
}

const usageWidth = 34;
