/** What the tools of the browser do where its tabs are driven from here. */
import { back, click, press, scroll, type } from './acting.ts';
import type { BrowserActions } from './browser-actions.ts';
import { look } from './looking.ts';
import { openPage } from './opening.ts';
import { evaluate, listImages, readConsole, snapshot } from './reading.ts';

export const tabActions: BrowserActions = {
  openPage,
  snapshot,
  click,
  type,
  press,
  scroll,
  back,
  listImages,
  look,
  readConsole,
  evaluate,
};
