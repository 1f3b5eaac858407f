/** `/personality`: in which manner the agent speaks. */
import { UserError } from '../../lib/errors.ts';
import { isNoPersonality, type Personality } from '../../prompt/personalities.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SharedCommand } from '../command.ts';
import type { PickList } from '../pick.ts';

export const personality: SharedCommand = {
  name: 'personality',
  category: 'Configuration',
  description: 'choose the manner in which the agent speaks',
  argumentHint: '[name | none]',
  values: ['none'],
  complete: ({ session }) =>
    session.prompt.personalities.map(({ name, description }) => ({
      value: name,
      description: shorten(description),
    })),
  surface: 'both',
  whileBusy: false,
  async run({ session, settings, ui }, args) {
    const known = session.prompt.personalities;
    const picked =
      args === '' && ui.pick !== undefined ? await ui.pick(choices(known, session.prompt.extra)) : undefined;
    if (args === '' && ui.pick !== undefined && picked === undefined) return;
    const name = picked?.value ?? args.trim().toLowerCase();
    if (name === '') {
      ui.print(overview(known, session.prompt.extra));
      return;
    }
    const chosen = known.find((personality) => personality.name === name);
    if (chosen === undefined && !isNoPersonality(name)) {
      throw new UserError(`There is no personality '${args.slice(0, 60)}'.`, {
        hint: overview(known, session.prompt.extra),
      });
    }
    const text = chosen?.prompt ?? '';
    session.prompt.extra = text;
    await settings.save([
      { path: ['agent', 'system_prompt'], value: text },
      { path: ['display', 'personality'], value: chosen?.name ?? '' },
    ]);
    ui.print(chosen === undefined ? 'No personality any more.' : `Personality: ${chosen.name}. It holds from now on.`);
  },
};

function choices(known: readonly Personality[], extra: string): PickList {
  const current = known.find(({ prompt }) => prompt === extra.trim())?.name ?? 'none';
  const all = [{ name: 'none', description: 'as SOUL.md says' }, ...known];
  return {
    title: 'In which manner shall the agent speak?',
    current,
    rows: all.map(({ name, description }) => ({
      value: name,
      label: name === current ? `${name} (current)` : name,
      description: shorten(description),
    })),
  };
}

const maxPreviewChars = 70;

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
  const letters = Array.from(text.slice(0, 4 * maxPreviewChars));
  return letters.length <= maxPreviewChars ? text : `${letters.slice(0, maxPreviewChars - 1).join('')}…`;
}
