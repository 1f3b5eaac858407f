/** The index of skills in the system prompt: one line a skill, grouped by category. */
import type { Skill } from './skill.ts';

/** The whole block, or an empty text when there is nothing to show. `skills` are those visible to the session. */
export function renderIndex(skills: readonly Skill[], categories: ReadonlyMap<string, string>): string {
  if (skills.length === 0) return '';
  const groups = new Map<string, Map<string, string>>();
  for (const { category, directoryName, description } of skills) {
    const group = groups.get(category) ?? new Map<string, string>();
    groups.set(category, group);
    if (!group.has(directoryName)) group.set(directoryName, description);
  }
  const lines: string[] = [];
  for (const category of [...groups.keys()].sort()) {
    const label = harmless(categories.get(category) ?? '');
    lines.push(`  ${harmless(category)}:${label === '' ? '' : ` ${label}`}`);
    const group = [...(groups.get(category) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, description] of group) {
      const short = harmless(shorten(description));
      lines.push(`    - ${harmless(name)}${short === '' ? '' : `: ${short}`}`);
    }
  }
  return `${introduction}\n\n<available_skills>\n${lines.join('\n')}\n</available_skills>\n\n${ending}`;
}

const introduction = `## Skills (mandatory)
Before you reply, scan the skills below. When one fits the task, even in part, load it with skill_view(name) and follow it.`;
const ending = 'Go on without a skill only when none of them fits.';
const maxDescription = 60;

function shorten(description: string): string {
  if (description.length <= maxDescription) return description;
  const letters = Array.from(description.slice(0, 4 * maxDescription));
  return letters.length <= maxDescription ? description : `${letters.slice(0, maxDescription - 3).join('')}...`;
}

/** A text from a file (one line, as everything in the catalogue) must not close the block around it. */
function harmless(text: string): string {
  return text.includes('<') ? text.replace(/<(?=\/?\s*available_skills)/gi, '(') : text;
}
