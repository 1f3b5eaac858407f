/** `/reload-skills`: looks at the skill folders anew. */
import type { SharedCommand } from '../command.ts';
import { shown } from './skills-surface.ts';
import { counted } from '../../lib/counted.ts';

export const reloadSkills: SharedCommand = {
  name: 'reload-skills',
  category: 'Tools & Skills',
  description: 'look at the skill folders anew',
  surface: 'both',
  whileBusy: true,
  async run({ session, ui }) {
    const { skills } = session.knowledge;
    if (skills === undefined) return ui.print('This session has no skills.');
    skills.reload();
    const found = await skills.list();
    ui.print(
      `${counted(found.length, 'skill')} to use. The list in this session's prompt stays as it was; /new begins with the new one.`,
    );
    for (const warning of await skills.warnings()) ui.print(shown(warning, 300));
  },
};
