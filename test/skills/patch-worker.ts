/** A process of its own that patches every second line of a skill: `patch-worker.ts HOME 0|1`. */
import { createSkillLibrary } from '../../src/skills/skill-library.ts';
import { plainSettings } from './support.ts';

const [homePath = '', worker = '0'] = process.argv.slice(2);
const library = createSkillLibrary({ homePath, settings: plainSettings, surface: 'cli', env: {} });
const { signal } = new AbortController();
for (let index = Number(worker); index < 20; index += 2) {
  const request = {
    action: 'patch' as const,
    name: 'foo',
    old_string: `line-${index}.`,
    new_string: `changed-${index}.`,
  };
  const answer = await library.manage(request, () => Promise.resolve(true), signal);
  if (!answer.success) throw new Error(JSON.stringify(answer));
}
