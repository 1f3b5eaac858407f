/** `kanban_complete`: a task is done, and what it came to is handed on. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { completeTask } from '../../kanban/complete.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { ToolServices } from '../services.ts';
import type { BoardAccess } from './board-access.ts';
import {
  boardName,
  isOffered,
  judgeChange,
  onBoard,
  ownRun,
  ownTask,
  ownTaskId,
  ownWords,
  passesOn,
} from './on-board.ts';
import { workerGuidance } from './worker-guidance.ts';

const parameters = z.object({
  task_id: ownTaskId,
  summary: z.string().optional().describe('What was done, for whoever goes on from there'),
  metadata: z.looseObject({}).optional().describe('Facts for the next one: changed files, tests that ran, decisions'),
  result: z.string().optional().describe('A short line, where there is no summary'),
  created_cards: z.array(z.string()).optional().describe('Tasks that you made on the way; [] for no check'),
  artifacts: z.array(z.string()).optional().describe('Absolute paths of files that were to be made'),
  board: boardName,
});

export const kanbanCompleteTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_complete',
  toolset: 'kanban',
  description: 'Mark a task as done and hand on what it came to: a summary or a result.',
  parameters,
  display: {
    emoji: '✔',
    preview: ({ task_id: id, summary, result }) => [id, summary ?? result].filter(Boolean).join(' '),
  },
  guidance: workerGuidance,
  available: isOffered,
  judge: (args, services) => judgeChange('ends a task of the board', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, board: slug, summary, result, metadata, ...lists }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const { services, signal } = context;
      const id = ownTask(access, named);
      const words = services.redact(summary?.trim() || result?.trim() || '');
      if (words === '') return failure('A summary or a result is missing: say what the task came to.');
      const moved = await completeTask(board, id, {
        summary: summary?.trim() ? services.redact(summary) : undefined,
        result: result?.trim() ? services.redact(result) : undefined,
        metadata: withSession(masked(metadata, services), id, access),
        artifacts: lists.artifacts,
        createdCards: lists.created_cards?.map((card) => card.trim()).filter((card) => card !== ''),
        runId: ownRun(access, id),
        outside: passesOn(services),
      });
      await access.tell({ ...moved, kind: 'completed', board: board.places.slug, words }, signal);
      return answer({ ok: true, task_id: id, run_id: moved.runId ?? null });
    }),
});

function masked(metadata: object | undefined, { redact }: Pick<ToolServices, 'redact'>): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const read = parseJson(redact(JSON.stringify(metadata)));
  return isJsonObject(read) ? read : {};
}

/** Who looks into a finished task finds the conversation of its worker. */
function withSession(metadata: JsonObject | undefined, id: string, access: BoardAccess): JsonObject | undefined {
  const session = access.worker?.taskId === id ? access.sessionId() : undefined;
  return session === undefined ? metadata : { ...metadata, worker_session_id: session };
}
