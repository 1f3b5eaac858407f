/** `/bundles`: groups of skills that one command loads. */
import type { SharedCommand } from '../command.ts';

export const bundles: SharedCommand = {
  name: 'bundles',
  category: 'Tools & Skills',
  description: 'list the groups of skills that one command loads',
  argumentHint: '[name]',
  complete: async ({ session }) => {
    const found = await session.knowledge.skills?.bundles();
    return (found?.bundles ?? []).map(({ slug, description }) => ({ value: slug, description }));
  },
  surface: 'both',
  whileBusy: true,
  async run({ session, ui }, args) {
    if (session.knowledge.skills === undefined) return ui.print('This session has no skills.');
    const { bundleLines, describeBundle } = await import('./bundle-lines.ts');
    const found = await session.knowledge.skills.bundles();
    ui.print((args === '' ? bundleLines(found) : describeBundle(found, args)).join('\n'));
  },
};
