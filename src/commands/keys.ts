/** What keys do in the chat, said once: `?` and `/help` show it, and the reference page is made from it. */

export interface KeyBinding {
  /** As people write them, `Ctrl+C`. */
  readonly keys: string;
  readonly does: string;
  /** The same for narrow windows. */
  readonly short?: string;
}

export const chatKeys: readonly KeyBinding[] = [
  { keys: 'Enter', does: 'send; during a turn, what /busy says', short: 'send' },
  { keys: 'Alt+Q, Alt+S', does: 'during a turn: send for after it, or to steer it', short: 'queue, steer' },
  { keys: 'Alt+Up', does: 'take the newest message that waits back', short: 'take a waiting one back' },
  { keys: 'Shift+Enter, Alt+Enter, Ctrl+J', does: 'a new line; \\ and Enter too', short: 'break' },
  { keys: 'Up, Down', does: 'on an empty line, what you typed before', short: 'typed before' },
  { keys: 'Tab', does: 'complete a command, a path, an @ reference, or what you typed before', short: 'complete' },
  { keys: 'Escape', does: 'stop the turn or a command, or close a list or question', short: 'stop, close' },
  { keys: 'Escape twice', does: 'on an empty line: edit an earlier message', short: 'edit a message' },
  {
    keys: 'Ctrl+C, Ctrl+Q',
    does: 'cancel, stop or clear; twice: leave',
    short: 'stop; twice: leave',
  },
  { keys: 'Ctrl+D', does: 'leave, on an empty line', short: 'leave' },
  { keys: 'Ctrl+S', does: 'put the draft aside, or bring it back', short: 'put the draft aside' },
  { keys: 'Ctrl+G, Alt+G, Ctrl+X Ctrl+E', does: 'write on in your editor', short: 'editor' },
  { keys: 'Ctrl+O', does: 'open the newest folded result of a tool', short: "open a tool's result" },
  { keys: 'Ctrl+T', does: 'search what was said and done', short: 'search all' },
  { keys: 'Ctrl+R', does: 'search what you typed before', short: 'search what you typed' },
  { keys: 'Ctrl+L', does: 'draw the screen anew', short: 'draw anew' },
  { keys: 'Alt+V, Ctrl+V', does: 'send the picture in the clipboard along', short: 'picture of the clipboard' },
  { keys: 'Ctrl+B', does: 'in voice mode: record, or send what is recorded', short: 'record, in voice mode' },
  { keys: 'Ctrl+Z', does: 'suspend; fg in the shell comes back', short: 'suspend' },
  { keys: '1 to 9', does: 'take that choice of a question', short: 'choose' },
  { keys: '?', does: 'on an empty line: these keys', short: 'these keys' },
  { keys: '!command', does: 'run it here; what it prints goes along, after !! not', short: 'run it here' },
];
