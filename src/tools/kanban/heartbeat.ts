/** `kanban_heartbeat`: whoever watches the board knows that somebody is still at work. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer } from '../../agent/tool.ts';
import { beat, type Claim } from '../../kanban/claim.ts';
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

const parameters = z.object({
  task_id: ownTaskId,
  note: z.string().optional().describe('How far it is'),
  board: boardName,
});

export const kanbanHeartbeatTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_heartbeat',
  toolset: 'kanban',
  description: 'Say that you are still at work on a running task: at least every hour of long work.',
  parameters,
  display: { emoji: '💓', preview: ({ note }) => note ?? '' },
  available: isOffered,
  judge: (args, services) => judgeChange('notes a sign of life for a task of the board', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, note, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const id = ownTask(access, named);
      const words = note === undefined ? undefined : context.services.redact(note);
      const outside = passesOn(context.services);
      await beat(board, id, { note: words, runId: ownRun(access, id), claim: claimOf(access), outside });
      return answer({ ok: true, task_id: id });
    }),
});

/** Undefined for who holds none. */
export function claimOf({ worker, claimSeconds }: Pick<BoardAccess, 'worker' | 'claimSeconds'>): Claim | undefined {
  return worker?.claimLock === undefined ? undefined : { lock: worker.claimLock, seconds: claimSeconds };
}
