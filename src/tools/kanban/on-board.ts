/** What the tools of a board share: the board, the task that is meant, and whose words the answer holds. */
import * as z from 'zod';
import type { ToolContext, ToolOutcome } from '../../agent/tool.ts';
import { failure } from '../../agent/tool.ts';
import { authorsOf } from '../../kanban/authors.ts';
import type { Board } from '../../kanban/board.ts';
import { requireNotGivenUp } from '../../kanban/claim.ts';
import type { Task } from '../../kanban/records.ts';
import { UserError } from '../../lib/errors.ts';
import { isOutside, mergeSources, type Source } from '../../llm/source.ts';
import { afterOutsideText, harmless, type Judgement } from '../../safety/finding.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { ToolServices } from '../services.ts';
import type { BoardAccess } from './board-access.ts';

type Context = ToolContext<ToolServices>;
type BoardWork = (board: Board, access: BoardAccess) => Promise<ToolOutcome> | ToolOutcome;

export const boardName = z.string().optional().describe('Another board than the usual one');
export const ownTaskId = z.string().optional().describe('Default: the task you work on');

export const ownWords = (): readonly Source[] => [{ from: 'tool', name: 'kanban' }];

export const isOffered = ({ knowledge }: ToolServices): boolean => knowledge.board !== undefined;
export const isForOrchestrators = ({ knowledge }: ToolServices): boolean =>
  knowledge.board !== undefined && knowledge.board.worker === undefined;

/** As a result, without secrets in any of its texts. */
export function maskedAnswer(value: object, { redact }: Pick<ToolServices, 'redact'>): ToolOutcome {
  const masked = (_: string, member: unknown): unknown => (typeof member === 'string' ? redact(member) : member);
  return { content: JSON.stringify(value, masked), isError: false };
}

/** Answers with what goes wrong on the way, as one line. */
export async function onBoard(
  { services, signal }: Context,
  named: string | undefined,
  work: BoardWork,
): Promise<ToolOutcome> {
  const access = services.knowledge.board;
  if (access === undefined) return failure('There is no board of tasks in this session.');
  try {
    return await access.use(named, (board) => work(board, access), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    return failure(services.redact([error.message, error.hint].filter((line) => line !== undefined).join(' ')));
  }
}

/** The same for what changes a board beside the task of a worker: one that was given up changes nothing. */
export async function onBoardBeside(
  context: Context,
  named: string | undefined,
  work: BoardWork,
): Promise<ToolOutcome> {
  return await onBoard(context, named, async (board, access) => {
    const { taskId, runId } = access.worker ?? {};
    if (taskId !== undefined && runId !== undefined) {
      // The other board may be another one than that of its task.
      await access.use(undefined, (own) => requireNotGivenUp(own, taskId, runId), context.signal);
    }
    return await work(board, access);
  });
}

/** Throws `UserError` when none is named and this process works on none. */
export function taskMeant({ worker }: Pick<BoardAccess, 'worker'>, named: string | undefined): string {
  const id = named?.trim() || worker?.taskId;
  if (id !== undefined) return id;
  throw new UserError('task_id is missing: this session was not started for a task.', {
    hint: 'Name the task.',
  });
}

/** A worker has one task: what is written by others must not make it end theirs. Throws `UserError`. */
export function ownTask(access: Pick<BoardAccess, 'worker'>, named: string | undefined): string {
  const id = taskMeant(access, named);
  if (access.worker === undefined || access.worker.taskId === id) return id;
  throw new UserError(`You work on ${access.worker.taskId} alone, and cannot change ${id}.`, {
    hint: 'Leave word there with kanban_comment, or make a task of its own with kanban_create.',
  });
}

/** The attempt that a worker was started for. */
export function ownRun({ worker }: Pick<BoardAccess, 'worker'>, taskId: string): number | undefined {
  return worker?.taskId === taskId ? worker.runId : undefined;
}

/** What is written to a board now may pass on what somebody else wrote. */
export function passesOn({ state }: ToolServices): boolean {
  return state.hosts.entered().some(isOutside);
}

/**
 * A worker does for its task what it is there for, and its words stay marked as what they are made of. Anybody else is
 * asked, once words of others may have chosen the change.
 */
export function judgeChange(what: string, args: object, { knowledge }: ToolServices): Judgement {
  if (knowledge.board?.worker !== undefined) return harmless;
  const shown = escapeForDisplay(JSON.stringify(args)).slice(0, 4000);
  return { shown, findings: [{ ...afterOutsideText(what), mayHoldForSession: true }] };
}

/** The words of the person and of this profile are kept on this machine; those of others are others' words. */
export function wordsOf(
  board: Board,
  { author }: Pick<BoardAccess, 'author'>,
  tasks: readonly Task[],
  options: { readonly withContext: boolean },
): readonly Source[] {
  const { names, outside } = authorsOf(board, tasks, options);
  const strangers = [...names].filter((name) => !people.has(name) && name !== author);
  return mergeSources(
    tasks.length === 0 ? ownWords() : [{ from: 'file', name: board.places.database }],
    strangers.map((name) => ({ from: 'chat', name: `${name} on the board ${board.places.slug}` })),
    outside ? [{ from: 'chat', name: `a task of the board ${board.places.slug}` }] : [],
  );
}

/** Who writes on a board without being an agent. */
const people: ReadonlySet<string> = new Set(['user', 'dashboard']);
