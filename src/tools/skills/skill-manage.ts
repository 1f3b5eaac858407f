/** `skill_manage`: keeps what was learned as a skill, and skills up to date. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { Learned } from '../../agent/tool.ts';
import { type Finding, harmless, learnedNote, selfChange, wantsApproval } from '../../safety/finding.ts';
import type { Finding as GuardFinding } from '../../safety/skill-guard/guard.ts';
import { manageActions } from '../../skills/authoring/manage-actions.ts';
import type { SkillAnswer } from '../../skills/skill-view.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { skillOutcome, skillsOf } from './skills-of.ts';

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
  absorbed_into: z.string().optional().describe("delete: skill that holds its content now; '' when none does"),
});

export const skillManageTool = defineTool<ToolServices, typeof parameters>({
  name: 'skill_manage',
  toolset: 'skills',
  description:
    "Save and correct skills: reusable procedures, general enough for the next time. create and edit need content; patch needs old_string and new_string; write_file needs file_path and file_content; remove_file needs file_path. create and delete only with the user's yes.",
  parameters,
  traits: { housekeeping: true, learns: 'skills' },
  display: {
    emoji: '📝',
    preview: ({ action, name, file_path }) => `${action} ${name}${file_path === undefined ? '' : ` ${file_path}`}`,
  },
  guidance: () =>
    "After a complex task (five or more tool calls), a tricky fix or a new workflow, offer to save the way as a skill; with the user's yes, or when asked, use skill_manage. Patch a skill that proved wrong or outdated at once.",
  available: ({ knowledge }) => knowledge.skills !== undefined,
  async judge(request, services) {
    const proposal = await skillsOf(services).propose(request);
    // Nobody is asked about what would not be written anyway.
    if ('problem' in proposal) return harmless;
    const asked = services.config.skills.write_approval ? wantsApproval(change) : learnedNote(change);
    return {
      shown: `skill_manage ${request.action} ${request.name}\n\n${proposal.diff}`,
      findings: [asked, ...proposal.findings.slice(0, maxFindings).map(dangerous)],
      onAllowed: () => void services.state.allowedSkillChanges.set(request, proposal),
    };
  },
  sources: () => [{ from: 'tool', name: 'skill_manage' }],
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'never',
  async execute(request, { services, staged, signal }) {
    const skills = skillsOf(services);
    const expecting = services.state.allowedSkillChanges.get(request)?.fingerprint;
    const isOwnWords = !services.state.hosts.hasStrangeText;
    const result = await (staged ? skills.stage(request) : skills.apply(request, { expecting, isOwnWords }, signal));
    return skillOutcome(result, { learned: learnedFrom(request, result) });
  },
});

type Request = z.infer<typeof parameters>;

const change = 'a change of a skill';
const maxFindings = 20;

/** What the scan of a skill found: looked at each time, and never made while nobody looks. */
function dangerous({ rule, file, line, description, match }: GuardFinding): Finding {
  return { ...selfChange(`${file}:${line} ${description}: ${match}`), key: `skill:${rule}` };
}

const done: Readonly<Record<Request['action'], string>> = {
  create: 'created',
  patch: 'patched',
  edit: 'rewritten',
  delete: 'deleted',
  write_file: 'extended',
  remove_file: 'shortened',
};

function learnedFrom({ action, name, new_string, file_path }: Request, result: SkillAnswer): Learned {
  const skill = `Skill '${firstWords(name)}'`;
  const message = typeof result['message'] === 'string' ? result['message'] : '';
  return {
    what: result['staged'] === true ? `${skill} waits for you: /skills pending` : `${skill} ${done[action]}`,
    preview: firstWords(new_string || file_path || message),
  };
}
