/** `/paste`: the picture in the clipboard for the next message. */
import type { TerminalCommand } from '../command.ts';

export const paste: TerminalCommand = {
  name: 'paste',
  category: 'Info',
  description: 'send the picture in the clipboard along with the next message',
  surface: 'cli',
  whileBusy: true,
  async run({ ui }) {
    const found = await ui.pictures.paste();
    ui.print(
      found ? 'Attached the picture; it goes along with your next message.' : 'There is no picture in the clipboard.',
    );
  },
};
