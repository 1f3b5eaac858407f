/** `skills_list`: names and descriptions of the skills that can be loaded. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { skillsOf } from './skills-of.ts';

const parameters = z.object({ category: z.string().optional().describe('Only this category') });

export const skillsListTool = defineTool<ToolServices, typeof parameters>({
  name: 'skills_list',
  toolset: 'skills',
  description: 'List skills: name, description, category. Load one with skill_view.',
  emoji: '📚',
  parameters,
  parallel: 'safe',
  available: ({ skills }) => skills !== undefined,
  preview: ({ category }) => category ?? 'all',
  execute: async ({ category }, { services }) => await skillsOf(services).listAnswer(category),
});
