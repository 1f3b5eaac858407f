/** What keys do in the chat, said once: `?` and `/help` show it, and the reference page is made from it. */

export interface KeyBinding {
  /** As people write them, `Ctrl+C`. */
  readonly keys: string;
  readonly does: string;
}

export const chatKeys: readonly KeyBinding[] = [
  { keys: 'Enter', does: 'send; during a turn, what /busy says' },
  { keys: 'Alt+Q, Alt+S', does: 'during a turn: send for after it, or to steer it' },
  { keys: 'Alt+Up', does: 'take the newest message that waits back' },
  { keys: 'Shift+Enter, Alt+Enter, Ctrl+J', does: 'a new line; \\ and Enter too' },
  { keys: 'Up, Down', does: 'on an empty line, what you typed before' },
  { keys: 'Tab', does: 'complete a command, a path, an @ reference' },
  { keys: 'Escape', does: 'stop the turn or a command, or close a list or question' },
  { keys: 'Escape twice', does: 'on an empty line: edit an earlier message' },
  { keys: 'Ctrl+C', does: 'cancel, stop or clear; twice: leave' },
  { keys: 'Ctrl+D', does: 'leave, on an empty line' },
  { keys: 'Ctrl+S', does: 'put the draft aside, or bring it back' },
  { keys: 'Ctrl+G, Alt+G', does: 'write on in your editor' },
  { keys: 'Ctrl+O', does: 'open the newest folded result of a tool' },
  { keys: 'Ctrl+T', does: 'search what was said and done' },
  { keys: 'Ctrl+R', does: 'search what you typed before' },
  { keys: 'Ctrl+L', does: 'draw the screen anew' },
  { keys: 'Alt+V', does: 'send the picture in the clipboard along' },
  { keys: 'Ctrl+Z', does: 'suspend; fg in the shell comes back' },
  { keys: '1 to 9', does: 'take that choice of a question' },
  { keys: '?', does: 'on an empty line: these keys' },
  { keys: '!command', does: 'run it here; what it prints goes along, after !! not' },
];
