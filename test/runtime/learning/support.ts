/** Side models that ask the fake server, a memory that is a list, and a home with real skills. */
import { ConfiguredSideModels } from '../../../src/providers/side-models.ts';
import { resolveRoute, sourcesOf } from '../../providers/sources.ts';
import type { SideModels } from '../../../src/llm/side-task.ts';
import type { HistoryMessage } from '../../../src/llm/message.ts';
import type { Policy } from '../../../src/agent/policy.ts';
import type { Tool } from '../../../src/agent/tool.ts';
import { defineTool } from '../../../src/agent/define-tool.ts';
import * as z from 'zod';
import type { SkillLibrary } from '../../../src/skills/skill-library.ts';
import { skillManageTool } from '../../../src/tools/skills/skill-manage.ts';
import { skillViewTool } from '../../../src/tools/skills/skill-view.ts';
import { skillsListTool } from '../../../src/tools/skills/skills-list.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import type { ModelServer, WireMessage } from '../../fakes/model-server.ts';

export async function sideModels(server: ModelServer): Promise<SideModels & { readonly booked: string[] }> {
  const route = await resolveRoute({ provider: 'custom', baseUrl: server.url, model: 'main-model' }, {}, {});
  const booked: string[] = [];
  const side = new ConfiguredSideModels({
    tasks: () => ({}),
    sources: sourcesOf({}),
    main: () => route,
    fallbacks: [],
    resolve: (request) => resolveRoute(request, {}, {}),
    onUsage: (task) => {
      booked.push(task);
      return Promise.resolve();
    },
  });
  return Object.assign(side, { booked });
}

export const allowAll: Policy = { judge: () => Promise.resolve({ kind: 'allow' }) };

/** What a memory tool wrote, and whether it had to wait for the user. */
export interface Note {
  readonly content: string;
  readonly staged: boolean;
}

export interface LearningServices extends ToolServices {
  readonly notes: Note[];
  readonly staged: boolean;
}

const memoryArguments = z.object({
  action: z.enum(['add', 'replace', 'remove']),
  target: z.enum(['memory', 'user']).optional(),
  content: z.string().optional(),
});

/** Stands for the memory tool: keeps what it is told. */
const memoryTool = defineTool<LearningServices, typeof memoryArguments>({
  name: 'memory',
  toolset: 'memory',
  description: 'Keeps notes.',
  parameters: memoryArguments,
  parallel: 'never',
  preview: ({ action }) => action,
  execute({ content = '' }, { services: { notes, staged } }) {
    notes.push({ content, staged });
    return Promise.resolve({ success: true, ...(staged ? { staged } : {}) });
  },
});

const shellArguments = z.object({ command: z.string() });
/** A tool that must never run in a review. */
const shellTool = defineTool<LearningServices, typeof shellArguments>({
  name: 'terminal',
  toolset: 'terminal',
  description: 'Runs a command.',
  parameters: shellArguments,
  parallel: 'never',
  preview: ({ command }) => command,
  execute: () => Promise.reject(new Error('a command ran in a background task')),
});

export const tools: readonly Tool<LearningServices>[] = [
  memoryTool,
  skillsListTool,
  skillViewTool,
  skillManageTool,
  shellTool,
];

/** Services for one run; `libraries` by whether writes are staged. */
export function learningServices(
  notes: Note[],
  library?: (staged: boolean) => SkillLibrary,
): (writes: { readonly staged: boolean }) => LearningServices {
  return ({ staged }) =>
    ({
      notes,
      staged,
      ...(library === undefined ? {} : { skills: library(staged) }),
    }) as unknown as LearningServices;
}

export const user = (content: string): HistoryMessage => ({ role: 'user', content });
export const reply = (content: string): HistoryMessage => ({ role: 'assistant', content });

/** An assistant message that calls a tool, and the tool's result. */
export function used(name: string, args: object = {}, result = 'done', id = `call_${name}`): HistoryMessage[] {
  const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, tool_name: name, content: result },
  ];
}

/** The text of a message that came over the wire. */
export function textOf(message: WireMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}
