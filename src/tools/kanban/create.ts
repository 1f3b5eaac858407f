/** `kanban_create`: work for somebody else. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import type { Board } from '../../kanban/board.ts';
import { createTask, type WorkspaceKind } from '../../kanban/create-task.ts';
import { findTask } from '../../kanban/tasks.ts';
import { guardedWrite, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { isToolsetName } from '../toolset-names.ts';
import type { BoardAccess } from './board-access.ts';
import { boardName, isOffered, judgeChange, onBoardBeside, ownWords, passesOn } from './on-board.ts';

const parameters = z.object({
  title: z.string(),
  assignee: z.string().describe('The profile that is to do it'),
  body: z.string().optional().describe('All that is needed to do it: nobody can be asked'),
  parents: z.array(z.string()).optional().describe('Tasks that come first'),
  tenant: z.string().optional(),
  priority: z.int().optional().describe('More is earlier; default 0'),
  workspace_kind: z
    .enum(['scratch', 'dir', 'worktree'])
    .optional()
    .describe('scratch: an empty folder, deleted in the end; dir: a folder that stays; worktree: one of git'),
  workspace_path: z.string().optional().describe('Absolute'),
  project: z.string().optional(),
  triage: z.boolean().optional().describe('Somebody is to think it through first'),
  idempotency_key: z.string().optional().describe('No second task with the same key is made'),
  max_runtime_seconds: z.int().optional(),
  initial_status: z.enum(['running', 'blocked']).optional().describe('blocked: a person lets it go on'),
  skills: z.array(z.string()).optional().describe('Skills to load, no toolsets'),
  goal_mode: z.boolean().optional().describe('Work on until a judge says that it is done'),
  goal_max_turns: z.int().optional(),
  board: boardName,
});

type NewCard = z.infer<typeof parameters>;

export const kanbanCreateTool = defineTool<ToolServices, typeof parameters>({
  name: 'kanban_create',
  toolset: 'kanban',
  description:
    'Put a task on the board for a profile to work on. It is ready when its parents are done, and begins when somebody starts a worker for it: nothing here does so by itself.',
  parameters,
  display: { emoji: '➕', preview: ({ title, assignee }) => `${title} → ${assignee}` },
  available: isOffered,
  judge: judgeCard,
  sources: ownWords,
  parallel: 'never',
  execute: async (card, context) =>
    await onBoardBeside(context, card.board, async (board, access) => {
      const { services } = context;
      const problem = problemOf(card);
      if (problem !== undefined) return failure(problem);
      const task = await createTask(board, {
        title: services.redact(card.title),
        body: card.body === undefined ? undefined : services.redact(card.body),
        assignee: card.assignee,
        createdBy: access.author,
        parents: card.parents ?? [],
        tenant: card.tenant ?? access.tenant,
        priority: card.priority,
        ...workspaceOf(card, board, access),
        triage: card.triage === true,
        blocked: card.initial_status === 'blocked',
        idempotencyKey: card.idempotency_key,
        maxRuntimeSeconds: card.max_runtime_seconds,
        skills: card.skills,
        goalMode: card.goal_mode === true,
        goalMaxTurns: card.goal_max_turns,
        sessionId: access.sessionId(),
        outside: passesOn(services),
      });
      return answer({ ok: true, task_id: task.id, status: task.status, subscribed: false });
    }),
});

function problemOf({ assignee, skills = [], project }: NewCard): string | undefined {
  if (assignee.trim() === '') return 'An assignee is missing: name the profile that is to do it.';
  const toolsets = skills.map((name) => name.trim()).filter(isToolsetName);
  if (toolsets.length > 0) {
    return `${toolsets.join(', ')}: toolsets, not skills. Toolsets belong to the settings of the profile; leave them out.`;
  }
  if (project === undefined || project.trim() === '') return undefined;
  return 'There are no projects in this build. Leave project out; for a git repository give workspace_kind worktree and workspace_path.';
}

/** What a worker leaves for later is done where it works itself, unless it says otherwise. */
function workspaceOf(
  { workspace_kind: kind, workspace_path: path }: NewCard,
  board: Board,
  { worker }: BoardAccess,
): { readonly workspaceKind?: WorkspaceKind; readonly workspacePath?: string | undefined } {
  if (kind !== undefined || path !== undefined) return { workspaceKind: kind ?? 'scratch', workspacePath: path };
  const own = worker === undefined ? undefined : findTask(board, worker.taskId);
  if (own?.workspace_kind !== 'dir' && own?.workspace_kind !== 'worktree') return {};
  return { workspaceKind: own.workspace_kind, workspacePath: own.workspace_path ?? undefined };
}

/** Who works on it may change what lies in its folder without a question: that is asked here. */
async function judgeCard(card: NewCard, services: ToolServices): Promise<Judgement> {
  const judged = judgeChange('gives work to another profile', card, services);
  const { workspace_path: path } = card;
  if (path === undefined || (await isBelow(path, services))) return judged;
  const finding = guardedWrite(`lets another profile work in ${path}`);
  return { shown: judged.shown || JSON.stringify(card).slice(0, 4000), findings: [...judged.findings, finding] };
}

async function isBelow(path: string, { files, paths: { workspace } }: ToolServices): Promise<boolean> {
  if (workspace === undefined || !path.startsWith('/')) return false;
  const real = await files.realPath(path);
  return real === workspace || real.startsWith(`${workspace}/`);
}
