/** `kanban_link`: one task waits for another. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer } from '../../agent/tool.ts';
import { linkTasks } from '../../kanban/link-tasks.ts';
import type { ToolServices } from '../services.ts';
import { boardName, isOffered, judgeChange, onBoardBeside, ownWords } from './on-board.ts';

const parameters = z.object({
  parent_id: z.string().describe('Comes first'),
  child_id: z.string().describe('Waits'),
  board: boardName,
});

export const kanbanLinkTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_link',
  toolset: 'kanban',
  description: 'Make a task wait until another one is done. Circles are refused.',
  parameters,
  display: { emoji: '🔗', preview: ({ parent_id: parent, child_id: child }) => `${parent} → ${child}` },
  available: isOffered,
  judge: (args, services) => judgeChange('makes a task of the board wait for another', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ parent_id: parent, child_id: child, board: slug }, context) =>
    await onBoardBeside(context, slug, async (board) => {
      await linkTasks(board, parent.trim(), child.trim());
      return answer({ ok: true, parent_id: parent, child_id: child });
    }),
});
