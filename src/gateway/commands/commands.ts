/** `/commands`: what can be typed, skills and bundles too, a page at a time. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { SkillCommand } from '../../skills/skill-command.ts';
import type { ChatCommand, OfferedCommand } from './chat-command.ts';

const pageSize = 20;
const maxAboutChars = 50;

export const commands: ChatCommand = {
  name: 'commands',
  category: 'Info',
  description: 'list all commands and skills',
  argumentHint: '[page]',
  atOnce: true,
  opens: true,
  async run({ chat, event, offered, print }, args) {
    const { session } = chat.worker ?? (await chat.open(event));
    const skills = (await session.knowledge.skills?.commands()) ?? [];
    const all = [...offered.map(lineOf), ...skills.map(skillLineOf)];
    const pages = Math.max(1, Math.ceil(all.length / pageSize));
    const page = Math.min(Math.max(1, Number.parseInt(args, 10) || 1), pages);
    const more = page < pages ? [`More: /commands ${page + 1}`] : [];
    print([`Commands (${page}/${pages})`, ...all.slice((page - 1) * pageSize, page * pageSize), ...more].join('\n'));
  },
};

function lineOf({ name, argumentHint, description }: OfferedCommand): string {
  return `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}: ${description}`;
}

function skillLineOf({ name, kind, description }: SkillCommand): string {
  const about = escapeForDisplay(description.slice(0, maxAboutChars), { singleLine: true });
  return `/${name}: ${kind}, ${about}${description.length > maxAboutChars ? '…' : ''}`;
}
