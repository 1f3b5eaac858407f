/** `hermes sessions list` */
import { basename } from 'node:path';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionSummary } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { fit } from './table.ts';
import { relativeTime } from './times.ts';
import { withStore } from './with-store.ts';

type Column = readonly [heading: string, width: number, cell: (session: SessionSummary) => string];

export interface ListOptions {
  readonly source?: string;
  /** A part of the path of the repository or the folder, or the name of either. */
  readonly workspace?: string;
  /** Only the archived ones. */
  readonly archived?: true;
  /** 0 = all. */
  readonly limit: number;
}

export async function listSessions(context: CliContext, options: ListOptions): Promise<void> {
  const { workspace, archived, source } = options;
  const limit = options.limit === 0 ? Number.MAX_SAFE_INTEGER : options.limit;
  const filter = {
    ...(source === undefined ? {} : { source }),
    ...(archived === true ? { archived: 'only' as const } : {}),
  };
  const found = await withStore(context, (store) =>
    // The folder is compared here: which of two columns counts is no matter of the store.
    store.sessions.list({ ...filter, limit: workspace === undefined ? limit : Number.MAX_SAFE_INTEGER }),
  );
  const sessions = (found ?? [])
    .filter((session) => workspace === undefined || isIn(session, workspace))
    .slice(0, limit);
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

function isIn({ git_repo_root: root, cwd }: SessionSummary, workspace: string): boolean {
  const wanted = workspace.toLowerCase();
  return [root, cwd].some((path) => path !== null && path.toLowerCase().includes(wanted));
}

/** As in the original: what there is to tell sessions apart by decides which columns there are. */
function columnsFor(sessions: readonly SessionSummary[], now: number): readonly Column[] {
  const oneLine = (text: string): string => escapeForDisplay(text, { singleLine: true });
  const lastActive: Column = ['Last Active', 13, (session) => relativeTime(session.last_active, now)];
  // The id is never cut: it is there to be copied.
  const id: Column = ['ID', 0, (session) => oneLine(session.id)];
  // Filled up by itself: a source is never cut, it is what `--source` is given.
  const source: Column = ['Src   ', 0, (session) => oneLine(session.source).padEnd(6)];
  const title: Column = ['Title', 28, (session) => oneLine(session.title ?? '—')];
  const preview = (width: number): Column => ['Preview', width, (session) => oneLine(session.preview)];
  const workspace: Column = ['Workspace', 18, (session) => oneLine(workspaceName(session))];
  const hasTitle = sessions.some((session) => session.title !== null);
  const hasWorkspace = sessions.some((session) => workspaceName(session) !== '');
  if (hasWorkspace)
    return hasTitle ? [title, workspace, lastActive, id] : [preview(38), workspace, lastActive, source, id];
  return hasTitle ? [title, preview(40), lastActive, id] : [preview(50), lastActive, source, id];
}

function workspaceName({ git_repo_root: root, cwd }: SessionSummary): string {
  return basename(root ?? cwd ?? '');
}
