/** Skills that can be scheduled, as blueprints of their own and as suggestions. */
import { type Blueprint, deliverSlot } from '../../cron/blueprints/blueprint.ts';
import type { NewSuggestion } from '../../cron/suggestion.ts';
import { readBlueprint, type SkillBlueprint } from '../../skills/blueprint.ts';
import { readDocument } from '../../skills/frontmatter.ts';
import { readDocumentFile } from '../../skills/load-skill.ts';
import type { SkillReader } from '../../skills/skill-reader.ts';

/** Of the skills that the session has. One that cannot be read carries none. */
export async function skillBlueprints(skills: Pick<SkillReader, 'list'> | undefined): Promise<readonly Blueprint[]> {
  const found: Blueprint[] = [];
  for (const { name, file, description } of (await skills?.list()) ?? []) {
    const read = readBlueprint(await headerOf(file));
    if (read !== undefined && 'blueprint' in read) found.push(toBlueprint(name, description, read.blueprint));
  }
  return found;
}

/** The same job as the blueprint of the skill makes when nothing is changed about it. */
export function suggestionOf(name: string, blueprint: SkillBlueprint): NewSuggestion {
  const { schedule, deliver, prompt = null } = blueprint;
  const to = deliver === 'origin' ? '' : `, for ${deliver}`;
  return {
    title: `Run the skill '${name}'`,
    description: `It is made to run by itself: ${schedule}${to}.`,
    source: 'blueprint',
    jobSpec: {
      prompt,
      schedule,
      name: jobName(name),
      deliver,
      skills: [name],
      model: blueprint.model ?? null,
      provider: blueprint.provider ?? null,
      enabled_toolsets: blueprint.enabledToolsets === undefined ? null : [...blueprint.enabledToolsets],
      no_agent: blueprint.noAgent,
    },
    dedupKey: `blueprint:${name}:${schedule}`,
  };
}

/** Throws `UserError` for a schedule that is none. */
export async function checkSchedule({ schedule }: SkillBlueprint, zone: string): Promise<void> {
  const { parseSchedule } = await import('../../cron/schedule.ts');
  parseSchedule(schedule, { now: Date.now(), zone });
}

function toBlueprint(
  name: string,
  description: string,
  { schedule, deliver, prompt, ...job }: SkillBlueprint,
): Blueprint {
  return {
    key: name,
    title: name,
    description,
    category: 'skill',
    tags: [],
    schedule,
    prompt: prompt ?? '',
    slots: [
      { name: 'schedule', type: 'text', label: 'When?', default: schedule, help: 'such as every 2h, or 0 9 * * 1-5' },
      { ...deliverSlot, default: deliver },
    ],
    skills: [name],
    job: { ...job, name: jobName(name) },
  };
}

function jobName(skill: string): string {
  return `blueprint:${skill}`;
}

async function headerOf(file: string) {
  try {
    return (await readDocument(readDocumentFile(file))).header;
  } catch {
    // What is wrong with it is said where skills are listed.
    return {};
  }
}
