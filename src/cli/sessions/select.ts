/** `hermes sessions prune` and `archive`: shows what the filters select, asks, and acts. */
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionSelection } from '../../sessions/session-selection.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { confirm } from './confirm.ts';
import { type FilterOptions, readSelection } from './selection.ts';
import { fit } from './table.ts';
import { localTime } from './times.ts';
import { withStore } from './with-store.ts';

export interface SelectOptions extends FilterOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly includeArchived?: true;
}

const defaultDays = 90;
const shownRows = 15;

/** Deletes ended sessions; without a filter those begun more than 90 days ago. */
export async function pruneSessions(context: CliContext, options: SelectOptions): Promise<void> {
  const filtered = readSelection(options, Date.now() / 1000);
  const chosen =
    filtered.words.length === 0
      ? readSelection({ ...options, olderThan: `${defaultDays}d` }, Date.now() / 1000)
      : filtered;
  const selection: SessionSelection = {
    ...chosen.selection,
    ended: true,
    ...(options.includeArchived === true ? { archived: 'also' } : {}),
  };
  await act(context, options, {
    selection,
    words: chosen.words,
    verb: 'Delete',
    undone: 'deleted',
    async run(store) {
      return `Pruned ${await store.maintenance.prune(selection)} session(s).`;
    },
  });
}

/** Hides ended sessions; never all of them at once. */
export async function archiveSessions(context: CliContext, options: SelectOptions): Promise<void> {
  const { selection, words } = readSelection(options, Date.now() / 1000);
  if (words.length === 0) {
    throw new UserError('Which sessions are to be archived? Name at least one filter.', {
      exitCode: 2,
      hint: "For example: --older-than 30d, --source cli, --title draft. 'hermes sessions archive --help' lists them.",
    });
  }
  await act(context, options, {
    selection: { ...selection, ended: true },
    words,
    verb: 'Archive',
    undone: 'archived',
    async run(store, rows) {
      for (const { id } of rows) await store.maintenance.archive(id, true);
      return `Archived ${rows.length} session(s). They are kept; 'hermes --resume ID' still opens them.`;
    },
  });
}

interface Action {
  readonly selection: SessionSelection;
  readonly words: readonly string[];
  readonly verb: string;
  readonly undone: string;
  run(store: SessionStore, rows: readonly SessionRow[]): Promise<string>;
}

async function act(context: CliContext, options: SelectOptions, action: Action): Promise<void> {
  const say = (line: string): void => void context.io.stdout.write(`${line}\n`);
  const line = await withStore(context, async (store) => {
    const rows = await store.maintenance.select(action.selection);
    if (rows.length === 0) return `No sessions match (${shown(action.words.join('; '))}).`;
    for (const row of overview(rows, action.words)) say(row);
    if (options.dryRun === true) return `Dry run: nothing was ${action.undone}.`;
    const question = `${action.verb} these ${rows.length} session(s)?`;
    if (options.yes !== true && !(await confirm(context.io, question))) return 'Cancelled.';
    return await action.run(store, rows);
  });
  say(line ?? 'No sessions found.');
}

/** What is about to be changed, the oldest first. */
function overview(rows: readonly SessionRow[], words: readonly string[]): string[] {
  const oldestFirst = rows.toReversed();
  const [oldest, newest] = [oldestFirst[0], oldestFirst.at(-1)];
  const span = `oldest ${localTime(oldest?.started_at ?? 0)}, newest ${localTime(newest?.started_at ?? 0)}`;
  const listed = oldestFirst.slice(0, shownRows).map((row) => {
    const facts = [fit(row.source, 10), fit(shown(row.model ?? '—'), 26), `${row.message_count} msgs`];
    return `  ${shown(row.id)}  ${localTime(row.started_at)}  ${facts.join('  ')}  ${shown(row.title ?? '')}`.trimEnd();
  });
  const more = rows.length - listed.length;
  return [
    `${rows.length} session(s) match (${[...words.map(shown), span].join('; ')}):`,
    ...listed,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
