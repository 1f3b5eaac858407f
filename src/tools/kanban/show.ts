/** `kanban_show`: all that is known of one task. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { lastEvents } from '../../kanban/events.ts';
import { runsOf } from '../../kanban/runs.ts';
import { childrenOf, commentsOf, parentsOf, requireTask } from '../../kanban/tasks.ts';
import { workerContext } from '../../kanban/worker-context.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { boardName, isOffered, maskedAnswer, onBoard, ownTaskId, taskMeant, wordsOf } from './on-board.ts';

const parameters = z.object({ task_id: ownTaskId, board: boardName });
const maxEvents = 50;

export const kanbanShowTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_show',
  toolset: 'kanban',
  description:
    'Read a task of the board: what is to be done, what was tried, what its parents handed on, comments and events. worker_context holds what matters, as one text.',
  parameters,
  display: { emoji: '📋', preview: ({ task_id: id }) => id ?? 'my task' },
  available: isOffered,
  judge: () => harmless,
  parallel: 'safe',
  execute: async ({ task_id: named, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const id = taskMeant(access, named);
      return await board.db.read(() => {
        const task = requireTask(board, id);
        const view = {
          task: {
            id: task.id,
            title: task.title,
            body: task.body,
            assignee: task.assignee,
            status: task.status,
            tenant: task.tenant,
            priority: task.priority,
            workspace_kind: task.workspace_kind,
            workspace_path: task.workspace_path,
            created_by: task.created_by,
            created_at: task.created_at,
            started_at: task.started_at,
            completed_at: task.completed_at,
            result: task.result,
            current_run_id: task.current_run_id,
            model_override: task.model_override,
          },
          parents: parentsOf(board, id),
          children: childrenOf(board, id),
          comments: commentsOf(board, id).map(({ author, body, created_at }) => ({ author, body, created_at })),
          events: lastEvents(board, id, maxEvents).map(({ kind, payload, created_at, run_id }) => ({
            kind,
            payload,
            created_at,
            run_id,
          })),
          runs: runsOf(board, id).map(({ id: number, profile, status, outcome, summary, error, ...rest }) => ({
            id: number,
            profile,
            status,
            outcome,
            summary,
            error,
            metadata: rest.metadata,
            started_at: rest.started_at,
            ended_at: rest.ended_at,
          })),
          worker_context: workerContext(board, task),
        };
        return {
          ...maskedAnswer(view, context.services),
          sources: wordsOf(board, access, [task], { withContext: true }),
        };
      });
    }),
});
