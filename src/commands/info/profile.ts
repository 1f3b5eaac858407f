/** `/profile`: whose home is in use. */
import type { SharedCommand } from '../command.ts';

export const profile: SharedCommand = {
  name: 'profile',
  category: 'Info',
  description: 'show the profile and its home',
  surface: 'both',
  whileBusy: true,
  run: ({ about, ui }) => ui.print(`Profile: ${about.profile}\nHome: ${about.homePath}`),
};
