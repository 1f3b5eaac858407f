/** `/image`: a picture from a file for the next message. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../../config/home.ts';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

export const image: TerminalCommand = {
  name: 'image',
  category: 'Info',
  description: 'send a picture along with the next message',
  argumentHint: '<path> [message]',
  surface: 'cli',
  whileBusy: true,
  run({ ui, about }, args) {
    if (args === '') throw new UserError('Which picture?', { hint: 'Name its file: /image path/to/picture.png' });
    const { path, rest } = fileAndRest(args);
    ui.pictures.add(inHome(path, about.paths?.env ?? {}));
    ui.print(`Attached ${path}; it goes along with your next message.`);
    if (rest !== '') ui.offerInput?.(rest);
  },
};

/** A name with spaces may stand in quotes, with backslashes as a terminal drops it, or as it is when nothing follows. */
function fileAndRest(args: string): { readonly path: string; readonly rest: string } {
  if (existsSync(args)) return { path: args, rest: '' };
  const [whole, double, single, bare = ''] = /^(?:"([^"]+)"|'([^']+)'|((?:\\.|\S)+))/.exec(args) ?? [args];
  const path = double ?? single ?? bare.replaceAll(/\\(.)/g, '$1');
  return { path, rest: args.slice(whole.length).trim() };
}

function inHome(path: string, env: Variables): string {
  return path.startsWith('~/') ? join(userDirectory(env), path.slice(2)) : path;
}
