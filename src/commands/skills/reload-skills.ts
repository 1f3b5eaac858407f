/** `/reload-skills`: looks at the skill folders anew. */
import type { SlashCommand } from '../command.ts';
import { shown } from './desk.ts';

export const reloadSkills: SlashCommand = {
  name: 'reload-skills',
  category: 'Tools & Skills',
  description: 'look at the skill folders anew',
  surface: 'both',
  whileBusy: true,
  async run({ session, print }) {
    const { skills } = session;
    if (skills === undefined) return print('This session has no skills.');
    skills.reload();
    const found = await skills.list();
    print(
      `${found.length} skills can be used. The list in this session's prompt stays as it was; /new begins with the new one.`,
    );
    for (const warning of await skills.warnings()) print(shown(warning, 300));
  },
};
