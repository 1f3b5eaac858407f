/** `hermes sessions list` */
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionSummary } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { fit } from './table.ts';
import { relativeTime } from './times.ts';
import { withStore } from './with-store.ts';

type Column = readonly [heading: string, width: number, cell: (session: SessionSummary) => string];

export async function listSessions(context: CliContext, options: { source?: string; limit: number }): Promise<void> {
  const sessions = (await withStore(context, (store) => store.sessions.list(options))) ?? [];
  const { stdout } = context.io;
  if (sessions.length === 0) {
    stdout.write('No sessions found.\n');
    return;
  }
  const columns = columnsFor(sessions, Date.now() / 1000);
  const header = columns.map(([heading, width]) => (width === 0 ? heading : fit(heading, width))).join(' ');
  stdout.write(`${header}\n${'─'.repeat(Math.min(110, header.length + 20))}\n`);
  for (const session of sessions) {
    const cells = columns.map(([, width, cell]) => (width === 0 ? cell(session) : fit(cell(session), width)));
    stdout.write(`${cells.join(' ')}\n`);
  }
}

function columnsFor(sessions: readonly SessionSummary[], now: number): readonly Column[] {
  const oneLine = (text: string): string => escapeForDisplay(text, { singleLine: true });
  const lastActive: Column = ['Last Active', 13, (session) => relativeTime(session.last_active, now)];
  // The id is never cut: it is there to be copied.
  const id: Column = ['ID', 0, (session) => oneLine(session.id)];
  if (sessions.some((session) => session.title !== null)) {
    return [
      ['Title', 28, (session) => oneLine(session.title ?? '—')],
      ['Preview', 40, (session) => oneLine(session.preview)],
      lastActive,
      id,
    ];
  }
  return [
    ['Preview', 50, (session) => oneLine(session.preview)],
    lastActive,
    ['Src', 10, (session) => oneLine(session.source)],
    id,
  ];
}
