/** `hermes sessions stats` */
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { withStore } from './with-store.ts';
import { counted } from '../../lib/counted.ts';

export async function showStats(context: CliContext): Promise<void> {
  const stats = await withStore(context, (store) => store.maintenance.stats());
  if (stats === undefined) {
    context.io.stdout.write('No sessions found.\n');
    return;
  }
  const sources = Object.entries(stats.bySource).map(
    ([source, sessions]) => `  ${escapeForDisplay(source, { singleLine: true })}: ${counted(sessions, 'session')}\n`,
  );
  context.io.stdout.write(`Total sessions: ${stats.sessions}\nTotal messages: ${stats.messages}\n${sources.join('')}`);
  context.io.stdout.write(`Database size: ${(stats.sizeBytes / 1024 / 1024).toFixed(1)} MB\n`);
}
