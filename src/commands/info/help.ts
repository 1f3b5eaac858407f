/** `/help`: what can be typed. */
import { commandCategories, type ListedCommand, type SharedCommand } from '../command.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SkillCommand } from '../../skills/skill-command.ts';

export const help: SharedCommand = {
  name: 'help',
  category: 'Info',
  description: 'show this list',
  surface: 'both',
  whileBusy: true,
  async run({ commands, session, helpHeader = '', keys = [], ui }) {
    const sections = commandCategories.flatMap((category) => {
      const members = commands.filter((command) => command.category === category);
      return members.length === 0 ? [] : [category, ...members.map(helpLine), ''];
    });
    const skills = (await session.knowledge.skills?.commands()) ?? [];
    const loaded = skills.length === 0 ? [] : [`Skills (${skills.length})`, ...skills.map(skillHelpLine), ''];
    const bindings = keys.map((binding) => `  ${binding.keys.padEnd(usageWidth)} ${binding.does}`);
    const below = bindings.length === 0 ? [] : ['Keys', ...bindings];
    const header = helpHeader === '' ? [] : [helpHeader, ''];
    ui.print([...header, ...sections, ...loaded, ...below].join('\n').trimEnd());
  },
};

function helpLine(command: ListedCommand): string {
  const names = [command.name, ...(command.aliases ?? [])].map((name) => `/${name}`).join(', ');
  const usage = command.argumentHint === undefined ? names : `${names} ${command.argumentHint}`;
  // A long line of arguments has one for itself, so that what the command does stays in its column.
  const begins = usage.length > usageWidth ? `  ${usage}\n  ${''.padEnd(usageWidth)}` : `  ${usage.padEnd(usageWidth)}`;
  return `${begins} ${command.description}`;
}

function skillHelpLine({ name, kind, description }: SkillCommand): string {
  const about = escapeForDisplay(description.slice(0, maxAboutChars), { singleLine: true });
  const cut = description.length > maxAboutChars ? '…' : '';
  return `  ${`/${name}`.padEnd(usageWidth)} ${kind === 'bundle' ? 'bundle: ' : ''}${about}${cut}`;
}

const usageWidth = 34;
const maxAboutChars = 50;
