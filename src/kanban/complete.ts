/** Ends a task: what it came to is handed on, and who waited for it goes on. */
import { UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Moved } from './block.ts';
import type { Board } from './board.ts';
import { listFile, type StoredFile } from './attachments.ts';
import { requireCurrent } from './claim.ts';
import { checkCards, strangeReferences } from './created-cards.ts';
import { addEvent } from './events.ts';
import { promoteReady } from './promote.ts';
import type { Task } from './records.ts';
import { endRun } from './runs.ts';
import { requireTask } from './tasks.ts';
import { discard, keepArtifacts, removeScratch } from './workspace.ts';

export interface Completion {
  readonly summary?: string | undefined;
  readonly result?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Paths of files that the task was to make. */
  readonly artifacts?: readonly string[] | undefined;
  /** Tasks that were made on the way. */
  readonly createdCards?: readonly string[] | undefined;
  /** The attempt it comes from; another one changes nothing. */
  readonly runId?: number | undefined;
  /** Words of others may be in it. */
  readonly outside?: boolean;
}

const maxSummaryChars = 400;

/** Throws `UserError`, and has changed nothing then, when the task cannot be ended so. */
export async function completeTask(board: Board, taskId: string, completion: Completion): Promise<Moved> {
  const task = requireTask(board, taskId);
  requireOpen(task, completion.runId);
  await refusePhantoms(board, task, completion);
  const { paths, copies } = keepArtifacts(board, task, artifactsOf(completion), wordsOf(completion));
  const moved = await keeping(copies, () =>
    board.db.write(() => {
      requireOpen(requireTask(board, taskId), completion.runId);
      for (const copy of copies) listFile(board, taskId, copy, { by: 'kanban_complete' });
      return end(board, taskId, { ...completion, artifacts: paths });
    }),
  );
  removeScratch(board, taskId);
  return moved;
}

/** Copies that nothing lists in the end are not left behind. */
async function keeping<T>(copies: readonly StoredFile[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    discard(copies);
    throw error;
  }
}

function end(board: Board, taskId: string, completion: Completion): Moved {
  const { summary, result, metadata, artifacts = [] } = completion;
  board.db.run(
    `UPDATE tasks SET status = 'done', result = ?, completed_at = ?, claim_lock = NULL, claim_expires = NULL,
       worker_pid = NULL, block_kind = NULL, block_recurrences = 0, consecutive_failures = 0, last_failure_error = NULL
     WHERE id = ?`,
    result ?? null,
    board.now(),
    taskId,
  );
  const told = summary ?? result;
  const kept = { ...metadata, ...(artifacts.length === 0 ? {} : { artifacts: [...artifacts] }) };
  const runId = endRun(board, taskId, {
    outcome: 'completed',
    status: 'done',
    summary: told,
    ...(Object.keys(kept).length === 0 ? {} : { metadata: kept }),
  });
  const { verified } = checkCards(board, requireTask(board, taskId), completion.createdCards ?? []);
  addEvent(board, {
    taskId,
    kind: 'completed',
    runId,
    payload: {
      result_len: result?.length ?? 0,
      summary: firstLine(told, maxSummaryChars),
      ...(verified.length === 0 ? {} : { verified_cards: verified }),
      ...(artifacts.length === 0 ? {} : { artifacts: [...artifacts] }),
      ...(completion.outside === true ? { outside: true } : {}),
    },
  });
  const strange = strangeReferences(board, wordsOf(completion));
  if (strange.length > 0) {
    const payload = { phantom_refs: strange, source: 'completion_summary' };
    addEvent(board, { taskId, kind: 'suspected_hallucinated_references', runId, payload });
  }
  promoteReady(board);
  return { task: requireTask(board, taskId), runId };
}

function requireOpen(task: Task, runId: number | undefined): void {
  if (!['running', 'ready', 'blocked'].includes(task.status)) {
    throw new UserError(`${task.id} cannot be completed: it is ${task.status}.`, {
      hint: 'Look at the task with kanban_show.',
    });
  }
  requireCurrent(task, runId);
}

/** The refusal itself is on the record. */
async function refusePhantoms(board: Board, task: Task, completion: Completion): Promise<void> {
  const { verified, phantom } = checkCards(board, task, completion.createdCards ?? []);
  if (phantom.length === 0) return;
  await board.db.write(() => {
    const preview = firstLine(completion.summary ?? completion.result, 200);
    const payload = { phantom_cards: phantom, verified_cards: verified, summary_preview: preview };
    addEvent(board, { taskId: task.id, kind: 'completion_blocked_hallucination', payload });
  });
  throw new UserError(
    `${task.id} was not completed: created_cards names ${phantom.join(', ')}, which ${phantom.length === 1 ? 'does' : 'do'} not exist or ${phantom.length === 1 ? 'was' : 'were'} made by somebody else.`,
    { hint: 'Nothing was changed. Complete again without these ids, or with created_cards: [] for no check.' },
  );
}

function wordsOf({ summary, result }: Completion): string {
  return [summary, result].filter(Boolean).join(' ');
}

/** Those of the metadata first; each once. */
function artifactsOf({ metadata, artifacts = [] }: Completion): string[] {
  const listed = isJsonObject(metadata) ? metadata['artifacts'] : undefined;
  const written = Array.isArray(listed) ? listed.filter((path) => typeof path === 'string') : [];
  return [...new Set([...written, ...artifacts].map((path) => path.trim()).filter((path) => path !== ''))];
}

function firstLine(text: string | undefined, maxChars: number): string | null {
  const line = text?.trim().split(/\r?\n/)[0]?.slice(0, maxChars).toWellFormed();
  return line === undefined || line === '' ? null : line;
}
