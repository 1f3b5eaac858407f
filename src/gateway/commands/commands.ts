/** `/commands`: what can be typed, a page at a time. */
import type { ChatCommand, OfferedCommand } from './chat-command.ts';

const pageSize = 20;

export const commands: ChatCommand = {
  name: 'commands',
  description: 'list all commands',
  argumentHint: '[page]',
  atOnce: true,
  run({ offered, print }, args) {
    const pages = Math.max(1, Math.ceil(offered.length / pageSize));
    const page = Math.min(Math.max(1, Number.parseInt(args, 10) || 1), pages);
    const lines = offered.slice((page - 1) * pageSize, page * pageSize).map(lineOf);
    const more = page < pages ? [`More: /commands ${page + 1}`] : [];
    print([`Commands (${page}/${pages})`, ...lines, ...more].join('\n'));
  },
};

function lineOf({ name, argumentHint, description }: OfferedCommand): string {
  return `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}: ${description}`;
}
