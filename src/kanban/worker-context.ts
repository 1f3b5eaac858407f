/** What a worker should read of its task before it begins, as one text whose parts are bounded. */
import { attachmentsOf } from './attachments.ts';
import type { Board } from './board.ts';
import type { Row } from './database.ts';
import type { Run, Task } from './records.ts';
import { runsOf } from './runs.ts';
import { commentsOf, findTask, parentsOf } from './tasks.ts';

const maxBodyBytes = 8 * 1024;
const maxFieldBytes = 4 * 1024;
const maxCommentBytes = 2 * 1024;
const maxComments = 30;
const maxAttempts = 10;
const maxRecent = 5;

export function workerContext(board: Board, task: Task): string {
  const sections = [
    heading(task),
    task.body?.trim() ? `## Body\n${cut(task.body, maxBodyBytes)}` : '',
    attachments(board, task),
    attempts(board, task),
    handoffs(board, task),
    recentWork(board, task),
    comments(board, task),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function heading(task: Task): string {
  const facts: [string, string | null][] = [
    ['Assignee', task.assignee ?? '(nobody)'],
    ['Status', task.status],
    ['Tenant', task.tenant],
    ['Workspace', `${task.workspace_kind} @ ${task.workspace_path ?? '(not made yet)'}`],
    ['Branch', task.branch_name],
    ['Max runtime', task.max_runtime_seconds === null ? null : `${task.max_runtime_seconds} s`],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [`# Kanban task ${task.id}: ${oneLine(task.title)}`, '', ...lines].join('\n');
}

function attachments(board: Board, task: Task): string {
  const listed = attachmentsOf(board, task.id).map(({ filename, content_type: type, size, stored_path: path }) =>
    [`- ${oneLine(filename)}`, type, `${Math.ceil(size / 1024)} KB`].filter(Boolean).join(', ').concat(`: ${path}`),
  );
  return listed.length === 0
    ? ''
    : ['## Attachments', 'Files of this task, to be read at their paths:', ...listed].join('\n');
}

function attempts(board: Board, task: Task): string {
  const ended = runsOf(board, task.id).filter(({ ended_at: at }) => at !== null);
  if (ended.length === 0) return '';
  const shown = ended.slice(-maxAttempts);
  const blocks = shown.map((run, index) => {
    const number = ended.length - shown.length + index + 1;
    const how = `${run.outcome ?? run.status} (${run.profile ?? 'unknown profile'}, ${moment(board, run.started_at)})`;
    const said = [
      run.summary?.trim() ? cut(run.summary, maxFieldBytes) : '',
      run.error?.trim() ? `Error: ${cut(run.error, maxFieldBytes)}` : '',
      metadataLine(run),
    ];
    return [`### Attempt ${number}: ${how}`, ...said.filter((line) => line !== '')].join('\n');
  });
  return ['## Earlier attempts', ...left(ended.length - shown.length, 'attempt'), ...blocks].join('\n');
}

function handoffs(board: Board, task: Task): string {
  const blocks = parentsOf(board, task.id).flatMap((id) => {
    const parent = findTask(board, id);
    if (parent?.status !== 'done') return [];
    const run = runsOf(board, id).findLast(({ outcome }) => outcome === 'completed');
    const at = run?.ended_at ?? parent.completed_at;
    const said = run?.summary?.trim() ? run.summary : (parent.result ?? '(nothing was handed on)');
    const lines = [cut(said, maxFieldBytes), run === undefined ? '' : metadataLine(run)];
    const head = `### ${id}${at === null ? '' : ` (done ${moment(board, at)})`}`;
    return [[head, ...lines.filter((line) => line !== '')].join('\n')];
  });
  if (blocks.length === 0) return '';
  const note = 'What each parent handed on when it was done. Things may have changed since: check what matters.';
  return ['## Results of parents', note, ...blocks].join('\n');
}

/** Tasks of the same profile that the text tells of, newest first. */
export function recentTasks({ db }: Board, { id, assignee }: Task): Row[] {
  if (assignee === null) return [];
  return db.all(
    `SELECT t.id AS id, t.title AS title, r.summary AS summary, r.ended_at AS ended_at
     FROM task_runs r JOIN tasks t ON t.id = r.task_id
     WHERE r.profile = ? AND r.task_id != ? AND r.outcome = 'completed' ORDER BY r.ended_at DESC LIMIT ?`,
    assignee,
    id,
    maxRecent,
  );
}

function recentWork(board: Board, task: Task): string {
  const lines = recentTasks(board, task).map(({ id, title, summary, ended_at: at }) => {
    const said = typeof summary === 'string' ? (summary.trim().split(/\r?\n/)[0]?.slice(0, 200) ?? '') : '';
    return `- ${String(id)}: ${oneLine(String(title))} (${moment(board, Number(at))})${said === '' ? '' : `: ${said}`}`;
  });
  return lines.length === 0 ? '' : [`## Recent work of ${task.assignee}`, ...lines].join('\n');
}

/** Nobody gets to speak as the owner by the name under which they write. */
function comments(board: Board, task: Task): string {
  const all = commentsOf(board, task.id);
  if (all.length === 0) return '';
  const shown = all.slice(-maxComments);
  const blocks = shown.map(
    ({ author, body, created_at: at }) =>
      `Comment of the worker \`${oneLine(author).replaceAll('`', '')}\`, ${moment(board, at)}:\n${cut(body, maxCommentBytes)}`,
  );
  return ['## Comments', ...left(all.length - shown.length, 'comment'), ...blocks].join('\n');
}

function left(count: number, what: string): string[] {
  return count === 0 ? [] : [`(${count} earlier ${what}${count === 1 ? '' : 's'} left out)`];
}

function metadataLine({ metadata }: Run): string {
  return metadata === null ? '' : `Metadata: ${cut(JSON.stringify(metadata), maxFieldBytes)}`;
}

function moment({ now }: Board, at: number): string {
  const date = new Date(at * 1000);
  const shown = Number.isNaN(date.getTime()) ? 'some time' : date.toISOString().slice(0, 16).replace('T', ' ');
  return `${shown} UTC, ${age(now() - at)}`;
}

function age(seconds: number): string {
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Bytes of UTF-8, and no half character at the end. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.trim());
  if (bytes.length <= maxBytes) return text.trim();
  const kept = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes.subarray(0, maxBytes))
    .replace(/\uFFFD+$/, '');
  return `${kept}… [cut: ${bytes.length - maxBytes} more bytes]`;
}
