/** `/yolo`: no questions about dangerous commands. */
import type { SlashCommand } from '../command.ts';

export const yolo: SlashCommand = {
  name: 'yolo',
  category: 'Configuration',
  description: 'switch approval questions off and on for this session',
  surface: 'both',
  whileBusy: true,
  run({ session, print }) {
    session.yolo = !session.yolo;
    print(
      session.yolo
        ? '⚠ YOLO on: dangerous commands run without asking. The hardline list still holds.'
        : 'YOLO off: dangerous commands ask first.',
    );
  },
};
