/** `/bundles`: groups of skills that one command loads. */
import type { SlashCommand } from '../command.ts';

export const bundles: SlashCommand = {
  name: 'bundles',
  category: 'Tools & Skills',
  description: 'list the groups of skills that one command loads',
  argumentHint: '[name]',
  surface: 'both',
  whileBusy: true,
  async run({ session, print }, args) {
    if (session.skills === undefined) return print('This session has no skills.');
    const { bundleLines, describeBundle } = await import('./bundle-lines.ts');
    const found = await session.skills.bundles();
    print((args === '' ? bundleLines(found) : describeBundle(found, args)).join('\n'));
  },
};
