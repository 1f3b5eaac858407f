/** `/cron`: `hermes cron` from within a chat. */
import type { TerminalCommand } from '../command.ts';

export const cron: TerminalCommand = {
  name: 'cron',
  category: 'Tools & Skills',
  description: 'jobs that the agent does by itself, at their time',
  argumentHint:
    '[list | add SCHEDULE PROMPT | edit JOB … | pause JOB | resume JOB | run JOB | remove JOB | status | runs]',
  values: ['list', 'add', 'create', 'edit', 'pause', 'resume', 'run', 'remove', 'status', 'runs'],
  surface: 'cli',
  whileBusy: true,
  async run({ ui }, args) {
    const words = wordsOf(args);
    ui.print(await ui.runProgram(['cron', ...(words.length === 0 ? ['list'] : words)]));
  },
};

/** Quotes hold words together. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
