/** A skill that says when it is to run is proposed as a job after it was installed; nothing is scheduled. */
import { SuggestionStore } from '../../cron/suggestion-store.ts';
import { systemZone } from '../../cron/time.ts';
import { errorMessage } from '../../lib/errors.ts';
import { noLog } from '../../lib/log.ts';
import type { FetchedSkill } from '../../skill-hub/source.ts';
import { readBlueprint } from '../../skills/blueprint.ts';
import { readDocument } from '../../skills/frontmatter.ts';
import { checkSchedule, suggestionOf } from '../jobs/skill-blueprints.ts';
import { shown, type SkillsSurface } from './skills-surface.ts';

/** The skill is installed whatever becomes of its job: what is wrong with that is told. */
export async function suggestJob(
  { homePath, print }: Pick<SkillsSurface, 'homePath' | 'print'>,
  name: string,
  { files }: Pick<FetchedSkill, 'files'>,
): Promise<void> {
  const { header } = await readDocument(files.get('SKILL.md')?.toString('utf8') ?? '');
  const read = readBlueprint(header);
  if (read === undefined) return;
  if ('problem' in read) return print(`Its blueprint of a job cannot be used: ${shown(read.problem)}.`);
  try {
    const zone = systemZone();
    await checkSchedule(read.blueprint, zone);
    const added = await new SuggestionStore({ homePath, zone, log: noLog }).add(suggestionOf(name, read.blueprint));
    print(words[added](name, shown(read.blueprint.schedule, 60)));
  } catch (error) {
    print(`Its blueprint of a job cannot be used: ${shown(errorMessage(error), 300)}`);
  }
}

const words: Readonly<Record<Awaited<ReturnType<SuggestionStore['add']>>, (name: string, schedule: string) => string>> =
  {
    added: (_name, schedule) => `It is made to run by itself (${schedule}). Nothing is scheduled yet: /suggestions`,
    known: (name, schedule) => `It is made to run by itself (${schedule}). To schedule it: /blueprint ${name}`,
    full: (name) =>
      `It is made to run by itself, but too many suggestions wait already: /suggestions, or /blueprint ${name}`,
  };
