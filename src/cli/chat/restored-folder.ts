import { terminalText } from '../render/terminal-text.ts';

/** Says that a resumed session works where it left off, not where the program was started. */
export function restoredFolder(cwd: string): readonly string[] {
  return cwd === process.cwd() ? [] : [`↪ restored workspace dir: ${terminalText(cwd)}`];
}
