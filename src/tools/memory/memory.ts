/** The `memory` tool: short notes that every later conversation begins with. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolDetails } from '../../agent/tool.ts';
import { describeMemoryChange, type MemoryChange, type MemoryOperation } from '../../memory/memory-change.ts';
import type { MemoryAnswer } from '../../memory/memory-store.ts';
import { harmless, learnedNote, wantsApproval } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';

const action = z.enum(['add', 'replace', 'remove']);

const parameters = z.object({
  action: action.optional(),
  target: z.enum(['memory', 'user']).default('memory'),
  content: z.string().optional(),
  old_text: z.string().optional(),
  operations: z
    .array(z.object({ action, content: z.string().optional(), old_text: z.string().optional() }))
    .optional()
    .describe('Several at once, all or none'),
});

type Args = z.infer<typeof parameters>;
type Operation = NonNullable<Args['operations']>[number];

export const memoryTool = defineTool<ToolServices, typeof parameters>({
  name: 'memory',
  toolset: 'memory',
  description:
    'Notes that later conversations start with; entries show in the prompt from the next session on. Save unasked: corrections and preferences of the user first, then environment, conventions, lessons. Not: task progress, trivia, dumps, what is easily found again. target "user": who the user is (1,375 characters in all by default); "memory": everything else (2,200). add needs content; replace old_text and content; remove old_text. old_text is a unique part of the entry. When it is full, merge or remove entries and try again.',
  parameters,
  traits: { housekeeping: true, learns: 'memory' },
  display: {
    emoji: '🧠',
    preview: ({ action, target, content, old_text, operations }) =>
      action === undefined
        ? `${operations?.length ?? 0} changes of ${target}`
        : `${action} ${target}: ${(content ?? old_text ?? '').slice(0, 60)}`,
    render: (_, { details }) => (details?.problem === undefined ? {} : { note: details.problem }),
  },
  guidance: (tools) =>
    `Your memory lasts across sessions: save with the memory tool what spares the user repeating themselves (preferences, environment, quirks of tools, conventions), as short facts that are still true next week ("Prefers short answers"), not as orders to yourself ("Always answer briefly"). Task progress and passing state do not belong there${insteadOf(tools)}`,
  available: ({ knowledge }) => knowledge.memory !== undefined,
  judge(args, { config, knowledge: { memory } }) {
    const change = changeOf(args);
    // Nobody is asked about what would not be written anyway.
    if (memory === undefined || 'problem' in change || memory.store.refusal(change) !== undefined) return harmless;
    const asked = config.memory.write_approval ? wantsApproval('a memory write') : learnedNote('a memory write');
    return { shown: describeMemoryChange(change), findings: [asked] };
  },
  sources: () => [{ from: 'tool', name: 'memory' }],
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'never',
  async execute(args, { services, staged, signal }) {
    const { memory } = services.knowledge;
    if (memory === undefined) return failure({ success: false, error: 'Memory is not available in this session.' });
    const change = changeOf(args);
    if ('problem' in change) return failure({ success: false, error: change.problem });
    const result = await (staged ? memory.store.stage(change, memory.origin) : memory.store.change(change, signal));
    if (!result.success) return failure(result, problemOf(change, result));
    const what = change.target === 'user' ? 'User profile' : 'Memory';
    const learned =
      staged && result['staged'] === true ? `${what} change waits for you: /memory pending` : `${what} updated`;
    return answer(result, { learned: { what: learned, preview: firstWords(wordsOf(change)) } });
  },
});

/** Where what is no memory belongs, as far as there are tools for it. */
function insteadOf(tools: ReadonlySet<string>): string {
  const places = [tools.has('session_search') ? 'session_search' : '', tools.has('skill_view') ? 'skills' : ''];
  const named = places.filter((place) => place !== '').join(' and ');
  return named === '' ? '.' : `: use ${named} for those.`;
}

function changeOf({ target, operations, ...single }: Args): MemoryChange | { readonly problem: string } {
  if (operations !== undefined && operations.length > 0) {
    if (single.action !== undefined) return { problem: 'Give either action or operations, not both.' };
    return { target, operations: operations.map(operationOf) };
  }
  const { action: only } = single;
  if (only === undefined) return { problem: 'action is needed (add, replace or remove), or operations.' };
  return { ...operationOf({ ...single, action: only }), target };
}

function operationOf({ action: what, content, old_text: oldText }: Operation): MemoryOperation {
  return { action: what, content, oldText };
}

function wordsOf(change: MemoryChange): string {
  const edits = 'operations' in change ? change.operations : [change];
  return edits.map(({ content, oldText }) => content || oldText || '').join('; ');
}

/** A full memory is for its owner to know, not for the model alone: they can prune it, or raise the limit. */
function problemOf(change: MemoryChange, { usage, current_entries: entries }: MemoryAnswer): ToolDetails | undefined {
  if (entries === undefined || typeof usage !== 'string') return undefined;
  const edits = 'operations' in change ? change.operations : [change];
  if (edits.some(({ action: what, oldText = '' }) => what !== 'add' && oldText.trim() === '')) return undefined;
  return { problem: `memory full (${usage} characters), not saved` };
}
