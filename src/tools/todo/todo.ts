/** `todo`: keeps the list of steps. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, type ToolRendering } from '../../agent/tool.ts';
import { textOf } from '../../llm/message.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { statuses, statusOf, type TodoItem, TodoList } from './todo-list.ts';

const item = z
  .object({
    id: z.string().optional().describe('Short and unique'),
    content: z.string().optional().describe('What is to be done'),
    status: z
      .string()
      .optional()
      .refine((status) => status === undefined || statusOf(status) !== undefined, {
        error: ({ input }) => `status ${JSON.stringify(input)} is not known; use one of ${statuses.join(', ')}`,
      })
      .meta({ enum: [...statuses] }),
  })
  // What a model should send; a change by id may leave out what stays.
  .meta({ required: ['id', 'content', 'status'] });

const parameters = z.object({
  todos: z
    .array(item)
    .optional()
    .describe('The whole list, or with merge the items to change. Leave it out to read the list.'),
  merge: z.boolean().default(false).describe('Change and add items by id; the others stay'),
});

export const todoTool = defineTool<ToolServices, typeof parameters>({
  name: 'todo',
  toolset: 'todo',
  description:
    'Keep the list of steps of work that has three or more. One item is in_progress at a time; mark it completed as soon as it is done.',
  parameters,
  traits: { housekeeping: true },
  display: {
    emoji: '📋',
    preview: ({ todos }) =>
      todos === undefined ? 'read the list' : `${todos.length} item${todos.length === 1 ? '' : 's'}`,
    render: ({ todos, merge }, { content }) =>
      shownList(textOf(content), merge ? new Set((todos ?? []).map(({ id }) => id)) : undefined),
  },
  guidance: () => 'For work of three or more steps, keep a todo list and update it as you go.',
  judge: () => harmless,
  sources: () => [{ from: 'tool', name: 'todo' }],
  parallel: 'never',
  restore: (result, { state }) => state.todos.restore(result),
  execute({ todos, merge }, { services: { state } }) {
    if (todos !== undefined) state.todos.write(todos, merge);
    const items = state.todos.read();
    return Promise.resolve(answer({ todos: items, summary: summarize(items) }));
  },
});

function summarize(items: readonly TodoItem[]) {
  const count = (status: TodoItem['status']): number => items.filter((item) => item.status === status).length;
  return {
    total: items.length,
    pending: count('pending'),
    in_progress: count('in_progress'),
    completed: count('completed'),
    cancelled: count('cancelled'),
  };
}

const marks: Readonly<Record<TodoItem['status'], string>> = {
  pending: '☐',
  in_progress: '▸',
  completed: '☑',
  cancelled: '☒',
};

/** The list as a person reads it; where some items were changed, those. */
function shownList(result: string, changed: ReadonlySet<string | undefined> | undefined): ToolRendering {
  const list = new TodoList();
  list.restore(result);
  const items = list.read();
  const { total, completed, cancelled } = summarize(items);
  if (total === 0) return {};
  const shown = changed === undefined ? items : items.filter(({ id }) => changed.has(id));
  const lines = shown.map(({ status, content }) => `${marks[status]} ${content.replaceAll(/\s+/g, ' ')}`);
  return { note: `${completed}/${total - cancelled} done`, blocks: [{ type: 'text', text: lines.join('\n') }] };
}
