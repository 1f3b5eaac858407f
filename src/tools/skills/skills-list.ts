/** `skills_list`: names and descriptions of the skills that can be loaded. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { skillOutcome, skillsOf } from './skills-of.ts';

const parameters = z.object({ category: z.string().optional().describe('Only this category') });

export const skillsListTool = defineTool<ToolServices, typeof parameters>({
  name: 'skills_list',
  toolset: 'skills',
  description: 'List skills: name, description, category. Load one with skill_view.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '📚', preview: ({ category }) => category ?? 'all' },
  available: ({ knowledge }) => knowledge.skills !== undefined,
  judge: () => harmless,
  sources: () => [{ from: 'tool', name: 'skills_list' }],
  parallel: 'safe',
  execute: async ({ category }, { services }) => skillOutcome(await skillsOf(services).listAnswer(category)),
});
