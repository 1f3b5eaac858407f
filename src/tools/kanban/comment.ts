/** `kanban_comment`: leaves word below a task, for whoever works on it. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer } from '../../agent/tool.ts';
import { addComment } from '../../kanban/comment.ts';
import type { ToolServices } from '../services.ts';
import { boardName, isOffered, judgeChange, onBoardBeside, ownWords, passesOn } from './on-board.ts';

const parameters = z.object({ task_id: z.string(), body: z.string(), board: boardName });

export const kanbanCommentTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_comment',
  toolset: 'kanban',
  description: 'Write a comment below a task, also one of others. It stays, and whoever works on the task reads it.',
  parameters,
  display: { emoji: '💬', preview: ({ task_id: id, body }) => `${id} ${body}` },
  available: isOffered,
  judge: (args, services) => judgeChange('writes below a task of the board', args, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: id, body, board: slug }, context) =>
    await onBoardBeside(context, slug, async (board, { author }) => {
      const { services } = context;
      // Under whose name it stands is never the model's to say.
      const comment = { author, body: services.redact(body), outside: passesOn(services) };
      return answer({ ok: true, task_id: id, comment_id: await addComment(board, id.trim(), comment) });
    }),
});
