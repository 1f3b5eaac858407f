/** `skill_manage`: keeps what was learned as a skill, and skills up to date. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ApprovalRequest, Human } from '../../agent/human.ts';
import { manageActions } from '../../skills/authoring/manage-actions.ts';
import type { ToolServices } from '../services.ts';
import { skillsOf } from './skills-of.ts';

const parameters = z.object({
  action: z.enum(manageActions),
  name: z.string().min(1).describe('Lowercase, digits, hyphens; max 64'),
  content: z
    .string()
    .optional()
    .describe('create, edit: the whole SKILL.md (frontmatter with name and description, then the body)'),
  category: z.string().optional().describe('create: folder, e.g. devops'),
  old_string: z.string().optional().describe('patch: text to replace, unique'),
  new_string: z.string().optional().describe("patch: its replacement; '' deletes"),
  replace_all: z.boolean().optional(),
  file_path: z
    .string()
    .optional()
    .describe('Under references/, templates/, scripts/ or assets/; for patch default SKILL.md'),
  file_content: z.string().optional().describe('write_file'),
});

export const skillManageTool = defineTool<ToolServices, typeof parameters>({
  name: 'skill_manage',
  toolset: 'skills',
  description:
    'Save and correct skills (reusable procedures). Create one when a task of 5+ tool calls worked out, an error or dead end was overcome, the user corrected you, a workflow emerged, or the user asks. When a loaded skill proves wrong, patch it at once. Ask the user before create and delete.',
  emoji: '📝',
  parameters,
  parallel: 'never',
  available: ({ skills }) => skills !== undefined,
  preview: ({ action, name, file_path }) => `${action} ${name}${file_path === undefined ? '' : ` ${file_path}`}`,
  async execute(request, { services, human, signal }) {
    const skills = skillsOf(services);
    const approval = services.skillApproval?.() ?? 'none';
    if (approval !== 'none' && (approval.kind === 'stage' || !human.present)) return await skills.stage(request);
    const proposal = await skills.propose(request, signal);
    if ('problem' in proposal) return proposal.problem;
    const { findings, fingerprint, diff, after, needsApproval } = proposal;
    if (needsApproval || (findings.length === 0 && approval === 'none')) return await skills.apply(request, {}, signal);
    const found = {
      command: `skill_manage ${request.action} ${request.name}\n\n${after ?? ''}`,
      reasons: findings.slice(0, 20).map((entry) => `${entry.file}:${entry.line} ${entry.description}: ${entry.match}`),
      keys: [...new Set(findings.map(({ rule }) => `skill:${rule}`))],
      mayRemember: false,
    };
    if (findings.length > 0 && !(human.present && (await allows(human, found, signal)))) {
      const { refusedFindings } = await import('../../skills/authoring/propose-change.ts');
      return refusedFindings(findings);
    }
    if (approval !== 'none') {
      const command = `skill_manage ${request.action} ${request.name}\n\n${diff}`;
      const change = { command, reasons: [approval.reason], keys: [], mayRemember: false };
      if (!(await allows(human, change, signal))) {
        return { success: false, error: 'The user did not allow this change. Nothing was written.' };
      }
    }
    return await skills.apply(request, { expecting: fingerprint }, signal);
  },
});

async function allows(human: Human, request: ApprovalRequest, signal: AbortSignal): Promise<boolean> {
  const answer = await human.approve(request, signal);
  return answer === 'once' || answer === 'session' || answer === 'always';
}
