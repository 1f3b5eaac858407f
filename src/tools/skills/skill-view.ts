/** `skill_view`: loads a skill, or one of its files. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { skillOutcome, skillsOf, useOf } from './skills-of.ts';

const parameters = z.object({
  name: z.string().min(1).describe('Skill name'),
  file_path: z.string().optional().describe('A linked file, e.g. references/api.md'),
});

export const skillViewTool = defineTool<ToolServices, typeof parameters>({
  name: 'skill_view',
  toolset: 'skills',
  description: 'Load a skill: its instructions and the list of its files. With file_path, one of those files.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '📖', preview: ({ name, file_path }) => (file_path === undefined ? name : `${name} ${file_path}`) },
  available: ({ knowledge }) => knowledge.skills !== undefined,
  judge: () => harmless,
  sources: ({ name }) => [{ from: 'skill', name }],
  parallel: 'safe',
  execute: async ({ name, file_path }, context) => {
    const library = skillsOf(context.services);
    const answer =
      file_path === undefined || file_path === ''
        ? await library.view(name, useOf(context))
        : await library.viewFile(name, file_path);
    const outcome = skillOutcome(answer);
    return library.isOwnWords(answer) ? { ...outcome, sources: [{ from: 'agent' }] } : outcome;
  },
});
