/** `/help`: what can be typed. */
import type { SlashCommand } from '../command.ts';

export const help: SlashCommand = {
  name: 'help',
  category: 'Info',
  description: 'show this list',
  surface: 'both',
  whileBusy: true,
  run({ commands, print }) {
    const byCategory = Map.groupBy(commands, (command) => command.category);
    const lines = [...byCategory].flatMap(([category, commands]) => ['', category, ...commands.map(helpLine)]);
    print([...lines.slice(1), '', ...keys].join('\n'));
  },
};

function helpLine(command: SlashCommand): string {
  const names = [command.name, ...(command.aliases ?? [])].map((name) => `/${name}`).join(', ');
  const usage = command.argumentHint === undefined ? names : `${names} ${command.argumentHint}`;
  return `  ${usage.padEnd(34)} ${command.description}`;
}

const keys = [
  'Keys',
  '  Enter sends; Shift+Enter, Alt+Enter or Ctrl+J starts a new line',
  '  Ctrl+C cancels a question, stops the turn, clears the line, or leaves; Ctrl+D leaves',
];
