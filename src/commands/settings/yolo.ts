/** `/yolo`: no questions about dangerous commands. */
import type { SharedCommand } from '../command.ts';

export const yolo: SharedCommand = {
  name: 'yolo',
  category: 'Configuration',
  description: 'switch approval questions off and on for this session',
  surface: 'both',
  whileBusy: true,
  run({ session, ui }) {
    session.yolo = !session.yolo;
    ui.print(
      session.yolo
        ? '⚠ YOLO on: dangerous commands run without asking. The hardline list still holds.'
        : 'YOLO off: dangerous commands ask first.',
    );
  },
};
