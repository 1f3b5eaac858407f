/** `/personality`: in which manner the agent speaks. */
import { UserError } from '../../lib/errors.ts';
import { isNoPersonality, type Personality } from '../../prompt/personalities.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SlashCommand } from '../command.ts';

export const personality: SlashCommand = {
  name: 'personality',
  category: 'Configuration',
  description: 'choose the manner in which the agent speaks',
  argumentHint: '[name | none]',
  surface: 'both',
  whileBusy: false,
  async run({ session, saveSettings, print }, args) {
    const name = args.trim().toLowerCase();
    if (name === '') {
      print(overview(session.personalities, session.extraPrompt));
      return;
    }
    const chosen = session.personalities.find((known) => known.name === name);
    if (chosen === undefined && !isNoPersonality(name)) {
      throw new UserError(`There is no personality '${args.slice(0, 60)}'.`, {
        hint: overview(session.personalities, session.extraPrompt),
      });
    }
    const text = chosen?.prompt ?? '';
    session.extraPrompt = text;
    await saveSettings([{ path: ['agent', 'system_prompt'], value: text }]);
    print(chosen === undefined ? 'No personality any more.' : `Personality: ${chosen.name}. It holds from now on.`);
  },
};

const longestPreview = 70;

function overview(known: readonly Personality[], current: string): string {
  const lines = known.map(({ name, description, prompt }) => {
    const shown = escapeForDisplay(name, { singleLine: true });
    const preview = escapeForDisplay(shorten(description), { singleLine: true });
    return `${prompt === current.trim() ? '●' : ' '} ${shown.padEnd(12)} ${preview}`;
  });
  return [
    'Personalities (SOUL.md stays the base):',
    ...lines,
    'Choose one with /personality <name>; none takes it away.',
  ].join('\n');
}

function shorten(text: string): string {
  const letters = Array.from(text.slice(0, 4 * longestPreview));
  return letters.length <= longestPreview ? text : `${letters.slice(0, longestPreview - 1).join('')}…`;
}
