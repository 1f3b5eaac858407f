/** `/profile`: whose home is in use. */
import type { SlashCommand } from '../command.ts';

export const profile: SlashCommand = {
  name: 'profile',
  category: 'Info',
  description: 'show the profile and its home',
  surface: 'both',
  whileBusy: true,
  run: ({ about, print }) => print(`Profile: ${about.profile}\nHome: ${about.homePath}`),
};
