/** `hermes send`: says something in a chat, with a running gateway and without one. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { SendOptions } from '../send/send.ts';

export function build(context: CliContext): Command {
  return new Command('send')
    .description('Sends a text, and files that it names with MEDIA:<path>, to a chat.')
    .argument('[message]', 'the text; without it, that of --file or of standard input. With --list: a platform')
    .option('-t, --to <target>', 'platform (its home chat), platform:chat, platform:chat:thread or platform:name')
    .option('-f, --file <path>', 'take the text from a file; - is standard input')
    .option('-s, --subject <line>', 'a line to stand above the text')
    .option('-l, --list', 'list the chats that are known')
    .option('-q, --quiet', 'say nothing when it was sent')
    .option('--json', 'say what became of it as JSON')
    .action(async (message: string | undefined, options: SendOptions) => {
      if (options.list === true)
        return (await import('../send/list-targets.ts')).listTargets(context, message, options);
      return (await import('../send/send.ts')).send(context, message, options);
    });
}
