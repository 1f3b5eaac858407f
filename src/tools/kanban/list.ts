/** `kanban_list`: what stands on a board, for who hands out work. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { promoteReady } from '../../kanban/promote.ts';
import { childrenOf, listTasks, parentsOf } from '../../kanban/tasks.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { boardName, isForOrchestrators, maskedAnswer, onBoard, wordsOf } from './on-board.ts';

const usualLimit = 50;
const maxLimit = 200;

const parameters = z.object({
  assignee: z.string().optional(),
  status: z.enum(['triage', 'todo', 'ready', 'running', 'blocked', 'done', 'archived']).optional(),
  tenant: z.string().optional(),
  include_archived: z.boolean().optional(),
  limit: z.int().min(1).max(maxLimit).optional().describe(`Default ${usualLimit}`),
  board: boardName,
});

export const kanbanListTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_list',
  toolset: 'kanban',
  description: 'List tasks of the board, the most urgent first. Those whose parents are done become ready before.',
  parameters,
  display: { emoji: '📋', preview: ({ status, assignee }) => [status, assignee].filter(Boolean).join(' ') || 'all' },
  available: isForOrchestrators,
  judge: () => harmless,
  parallel: 'never',
  execute: async ({ assignee, status, tenant, include_archived, limit = usualLimit, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const promoted = await board.db.write(() => promoteReady(board));
      return await board.db.read(() => {
        const filter = { assignee, status, tenant, includeArchived: include_archived };
        const found = listTasks(board, { ...filter, limit: limit + 1 });
        const tasks = found.slice(0, limit);
        const truncated = found.length > limit;
        const shown = tasks.map((task) => {
          const parents = parentsOf(board, task.id);
          const children = childrenOf(board, task.id);
          return {
            id: task.id,
            title: task.title,
            assignee: task.assignee,
            status: task.status,
            priority: task.priority,
            tenant: task.tenant,
            workspace_kind: task.workspace_kind,
            workspace_path: task.workspace_path,
            project_id: task.project_id,
            created_by: task.created_by,
            created_at: task.created_at,
            started_at: task.started_at,
            completed_at: task.completed_at,
            current_run_id: task.current_run_id,
            model_override: task.model_override,
            parents,
            children,
            parent_count: parents.length,
            child_count: children.length,
          };
        });
        const next = truncated && limit < maxLimit ? Math.min(limit * 2, maxLimit) : null;
        const result = { tasks: shown, count: shown.length, limit, truncated, next_limit: next, promoted };
        return {
          ...maskedAnswer(result, context.services),
          sources: wordsOf(board, access, tasks, { withContext: false }),
        };
      });
    }),
});
