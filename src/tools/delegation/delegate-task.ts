/** `delegate_task`: gives work to sub-agents, each in a conversation of its own. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { harmless } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import type { DelegatedTask, DelegationTerms } from './delegation.ts';

const role = z
  .string()
  .optional()
  .meta({ enum: ['leaf', 'orchestrator'] });
const goal = z.string().optional();

const parameters = z.object({
  goal: goal.describe('The work, for one sub-agent. It knows nothing of this conversation.'),
  context: z.string().optional().describe('What it must know: paths, errors, limits'),
  tasks: z
    .array(z.object({ goal, context: z.string().optional(), role }).meta({ required: ['goal'] }))
    .optional()
    .describe('In place of goal: several tasks, done side by side'),
  role,
});

type Args = z.infer<typeof parameters>;

const usual =
  'Give work that stands alone to sub-agents with conversations of their own; only their summaries come back.';

export const delegateTaskTool = defineTool<ToolServices, typeof parameters>({
  name: 'delegate_task',
  toolset: 'delegation',
  description: { usual, of: (_tools, { state }) => [usual, ...describe(state.delegation?.terms)].join(' ') },
  parameters,
  traits: { delegates: true, longRunning: true },
  display: {
    emoji: '🔀',
    preview: ({ goal: only = '', tasks = [] }) =>
      tasks.length === 0 ? firstWords(only) : `${tasks.length} task${tasks.length === 1 ? '' : 's'}`,
  },
  available: ({ state }) => state.delegation !== undefined,
  // Each call that a sub-agent makes passes the policy by itself.
  judge: () => harmless,
  sources: () => [{ from: 'agent' }],
  // Side by side a call has a deadline, and sub-agents take as long as their work does.
  parallel: 'never',
  async execute(args, { services: { state, redact }, ...call }) {
    const { delegation } = state;
    if (delegation === undefined) return failure('Sub-agents are not available here.');
    const tasks = tasksOf(args);
    if (typeof tasks === 'string') return failure(tasks);
    try {
      const { answer: told, sources } = await delegation.delegate(tasks, call);
      return { ...answer(told), sources };
    } catch (error) {
      return failure(redact(errorMessage(error)));
    }
  },
});

function describe(terms: DelegationTerms | undefined): string[] {
  if (terms === undefined) return [];
  const { mostTasks, inBackground, mayNest } = terms;
  return [
    'Use it for research, reviews and work in parallel that would fill your context; do a single step yourself.',
    `At most ${mostTasks} task${mostTasks === 1 ? '' : 's'} a call.`,
    inBackground
      ? 'It returns at once: go on working, do not wait or poll; the results come as one message when all are done.'
      : 'It returns when all are done.',
    ...(mayNest ? ["The role 'orchestrator' may delegate in turn; 'leaf' (default) may not."] : []),
    'Their words are claims: check what matters.',
  ];
}

/** The tasks, or what is wrong. A word that is no role is the usual one. */
function tasksOf({ goal: only, context, tasks, role: usualRole }: Args): readonly DelegatedTask[] | string {
  const many = tasks !== undefined && tasks.length > 0;
  const given = many ? tasks : only === undefined ? [] : [{ goal: only }];
  if (given.length === 0) return "Provide either 'goal' (single task) or 'tasks' (batch).";
  const blank = given.findIndex((task) => (task.goal ?? '').trim() === '');
  if (blank !== -1) return `Task ${blank} is missing a 'goal'.`;
  return given.map((task) => {
    const {
      goal: written = '',
      context: own = context,
      role: wanted = usualRole,
    }: NonNullable<Args['tasks']>[number] = task;
    const known = wanted?.trim().toLowerCase() === 'orchestrator' ? 'orchestrator' : 'leaf';
    const more = own === undefined || own.trim() === '' ? {} : { context: own.trim() };
    return { goal: written.trim(), ...more, role: known };
  });
}
