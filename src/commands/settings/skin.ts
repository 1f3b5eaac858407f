/** `/skin`: the colours and words of the chat. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { TerminalCommand } from '../command.ts';
import type { Looks } from '../own-machine.ts';
import type { PickList } from '../pick.ts';

export const skin: TerminalCommand = {
  name: 'skin',
  category: 'Configuration',
  description: 'choose the colours and words of this terminal',
  argumentHint: '[name]',
  complete: async ({ settings }) =>
    ((await settings?.looks.list()) ?? []).map(({ name, description }) => ({ value: name, description })),
  surface: 'cli',
  whileBusy: true,
  async run({ settings, ui }, args) {
    const { looks } = settings;
    const name = args === '' ? (await ui.pick?.(await choices(looks)))?.value : args.toLowerCase();
    if (name === undefined) {
      if (ui.pick === undefined) ui.print(await overview(looks));
      return;
    }
    const warnings = await looks.wear(name);
    await settings.save([{ path: ['display', 'skin'], value: name }]);
    ui.print([...warnings, `Skin: ${name}. What comes from now on looks so, here and in later chats.`].join('\n'));
  },
};

async function choices(looks: Looks): Promise<PickList> {
  const rows = (await looks.list()).map(({ name, description, own }) => ({
    value: name,
    label: name === looks.current ? `${name} (current)` : name,
    description: own ? `${description} (yours)`.trim() : description,
  }));
  return { title: 'Which skin shall this terminal wear?', current: looks.current, rows };
}

async function overview(looks: Looks): Promise<string> {
  const rows = (await looks.list()).map(({ name, description, own }) => {
    const shown = escapeForDisplay(`${name.padEnd(16)} ${description}${own ? ' (yours)' : ''}`, { singleLine: true });
    return `${name === looks.current ? '●' : ' '} ${shown}`;
  });
  return ['Skins:', ...rows, 'Choose one with /skin <name>.'].join('\n');
}
