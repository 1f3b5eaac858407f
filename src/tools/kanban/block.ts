/** `kanban_block` and `kanban_unblock`: a task waits, and goes on. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { blockKinds, blockTask, unblockTask } from '../../kanban/block.ts';
import { requireTask } from '../../kanban/tasks.ts';
import type { ToolServices } from '../services.ts';
import {
  boardName,
  isForOrchestrators,
  isOffered,
  judgeChange,
  onBoard,
  ownRun,
  ownTask,
  ownTaskId,
  ownWords,
  passesOn,
} from './on-board.ts';

const blocking = z.object({
  task_id: ownTaskId,
  reason: z.string().describe('What is missing, for the person who reads it'),
  kind: z
    .enum(blockKinds)
    .optional()
    .describe(
      'dependency: another task comes first; needs_input: a decision; capability: a key or a right; transient: it may pass',
    ),
  board: boardName,
});

/** A task that goes on until its goal is reached stops for nothing that more work could solve. */
const goalKinds: readonly unknown[] = ['dependency', 'needs_input'];

export const kanbanBlockTool = defineTool<ToolServices, typeof blocking>({
  name: 'kanban_block',
  toolset: 'kanban',
  description:
    'Stop work on a task because something is missing. With kind dependency it goes on by itself when its parents are done.',
  parameters: blocking,
  display: { emoji: '⏸', preview: ({ task_id: id, reason }) => [id, reason].filter(Boolean).join(' ') },
  available: isOffered,
  judge: (args, services) => judgeChange('blocks a task of the board', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, reason: written, kind, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const { services, signal } = context;
      const id = ownTask(access, named);
      const reason = services.redact(written.trim());
      if (reason === '') return failure('A reason is missing: say what is needed.');
      if (requireTask(board, id).goal_mode && !goalKinds.includes(kind)) {
        return failure(
          `${id} goes on until its goal is reached: it may wait with kind dependency or needs_input alone. Work on, or complete it.`,
        );
      }
      const runId = ownRun(access, id);
      const moved = await blockTask(board, id, { reason, kind, runId, outside: passesOn(services) });
      await access.tell({ ...moved, kind: 'blocked', board: board.places.slug, words: reason }, signal);
      const { status } = moved.task;
      return answer({ ok: true, task_id: id, run_id: moved.runId ?? null, status, block_kind: kind ?? null });
    }),
});

const unblocking = z.object({ task_id: z.string(), board: boardName });

export const kanbanUnblockTool = defineTool<ToolServices, typeof unblocking>({
  name: 'kanban_unblock',
  toolset: 'kanban',
  description: 'Let a blocked task go on: what it waited for is there.',
  parameters: unblocking,
  display: { emoji: '▶', preview: ({ task_id: id }) => id },
  available: isForOrchestrators,
  judge: (args, services) => judgeChange('lets a blocked task of the board go on', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const id = ownTask(access, named);
      const { status } = await unblockTask(board, id);
      return answer({ ok: true, task_id: id, status });
    }),
});
