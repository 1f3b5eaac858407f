/** `hermes sessions browse`: a list to search in; the chosen conversation goes on. */
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionSummary } from '../../sessions/sessions.ts';
import { startChat } from '../chat/start.ts';
import type { CliContext } from '../command.ts';
import { relativeTime } from './times.ts';
import { withStore } from './with-store.ts';

/** Returns the exit code of the conversation; 0 when nothing was chosen. Throws `UserError` without a terminal. */
export async function browseSessions(
  context: CliContext,
  options: { source?: string; limit: number },
): Promise<number> {
  const { stdin, stdout } = context.io;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new UserError("'hermes sessions browse' needs a terminal.", {
      hint: 'hermes sessions list  prints the same.',
    });
  }
  const sessions = (await withStore(context, (store) => store.sessions.list(options))) ?? [];
  if (sessions.length === 0) {
    stdout.write('No sessions found.\n');
    return 0;
  }
  const clack = await import('@clack/prompts');
  const now = Date.now() / 1000;
  const chosen = await clack.autocomplete<string>({
    message: 'Continue which conversation? Type to search.',
    options: sessions.map((session) => ({ value: session.id, label: label(session), hint: hint(session, now) })),
    maxItems: Math.max(5, stdout.rows - 8),
    // What is typed is looked for in the hint too: id and surface.
    filter: (search, option) => `${option.label} ${option.hint}`.toLowerCase().includes(search.toLowerCase()),
  });
  if (clack.isCancel(chosen)) {
    stdout.write('Cancelled.\n');
    return 0;
  }
  stdout.write(`Resuming session: ${shown(chosen)}\n`);
  return await startChat(context, { resume: chosen });
}

function label({ title, preview, id }: SessionSummary): string {
  const text = title === null ? preview : `${title} — ${preview}`;
  return shown(text === '' ? id : text).slice(0, 80);
}

function hint({ source, id, last_active: active }: SessionSummary, now: number): string {
  return shown(`${relativeTime(active, now)} · ${source} · ${id}`);
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
