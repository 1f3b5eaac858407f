/** The `memory` tool: short notes that every later conversation begins with. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { describeMemoryChange } from '../../memory/memory-change.ts';
import type { ToolServices } from '../services.ts';

const parameters = z.object({
  action: z.enum(['add', 'replace', 'remove']),
  target: z.enum(['memory', 'user']).default('memory'),
  content: z.string().optional().describe('For add and replace'),
  old_text: z.string().optional().describe('For replace and remove'),
});

export const memoryTool = defineTool<ToolServices, typeof parameters>({
  name: 'memory',
  toolset: 'memory',
  emoji: '🧠',
  description:
    'Notes that later conversations start with. Save unasked: corrections and preferences of the user first, then facts of the environment, conventions, lessons. Keep entries short. Not: task progress, trivia, dumps, what is easily found again. target "user": who the user is; "memory": everything else. replace and remove find the entry by a unique part of it (old_text).',
  parameters,
  available: ({ memory }) => memory !== undefined,
  parallel: 'never',
  preview: ({ action, target, content, old_text }) =>
    `${action} ${target}: ${(content ?? old_text ?? '').slice(0, 60)}`,
  async execute({ action, target, content, old_text: oldText }, { services, human, signal }) {
    const { memory } = services;
    if (memory === undefined) return { success: false, error: 'Memory is not available in this session.' };
    const change = { action, target, content, oldText };
    const { store, origin } = memory;
    const approval = memory.approval();
    if (approval === 'none') return await store.change(change, signal);
    if (approval.kind === 'stage' || !human.present) return await store.stage(change, origin);
    // Nobody is asked about what would not be written anyway.
    const refusal = store.refusal(change);
    if (refusal !== undefined) return refusal;
    const choice = await human.approve(
      { command: describeMemoryChange(change), reasons: [approval.reason], keys: [], mayRemember: false },
      signal,
    );
    if (choice === 'deny' || choice === 'timeout') {
      return { success: false, error: 'The user did not allow this memory write.' };
    }
    return await store.change(change, signal);
  },
});
