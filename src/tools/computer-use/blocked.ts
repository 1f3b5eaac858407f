/** What is never pressed and never typed, whoever asks and whatever is switched off. */
import { keysOf, plainModifier } from './keys.ts';
import type { Request } from './parameters.ts';

export interface Blocked {
  readonly error: string;
  readonly hint: string;
}

/** They throw away files, or end the session that we are part of. */
const combinations = [
  'cmd+shift+delete',
  'cmd+option+delete',
  'cmd+ctrl+q',
  'cmd+shift+q',
  'win+l',
  'ctrl+option+delete',
  'option+f4',
].map((combination) => combination.split('+'));

const deleting = /^(?:backspace|back_?space|del|delete|forward_?delete|⌫|⌦)$/;

/** Undefined: nothing stands against it here. `platform` is that of the desktop. */
export function blockedRequest(request: Request, platform: string = process.platform): Blocked | undefined {
  const { action, keys = '', modifiers = [], text = '', value = '' } = request;
  if (action === 'key') return blockedKeys([...modifiers, ...keysOf(keys)], platform);
  if (action === 'type') return blockedText(text);
  return action === 'set_value' ? blockedText(value) : undefined;
}

function blockedKeys(keys: readonly string[], platform: string): Blocked | undefined {
  // However they are written together: what the driver takes apart is taken apart here too.
  const apart = keys.flatMap((key) => [key, ...key.split(/[\s+-]+/)]);
  const pressed = new Set(apart.flatMap((key) => plainNames(key, platform)));
  const found = combinations.find((combination) => combination.every((key) => pressed.has(key)));
  if (found === undefined) return undefined;
  return {
    error: `blocked key combo: ${found.join('+')}`,
    hint: 'This shortcut is never pressed: it deletes files, closes windows, or ends or locks the session.',
  };
}

/** The keys that one stands for: what is called Command on a Mac is the Windows key elsewhere, and Backspace is Delete there. */
function plainNames(key: string, platform: string): readonly string[] {
  if (deleting.test(key)) return ['delete'];
  const name = plainModifier(key);
  if (name === 'win') return ['win', 'cmd'];
  return name === 'cmd' && platform !== 'darwin' ? ['cmd', 'win'] : [name ?? key];
}

const shell = /\|&?\s*(?:(?:sudo|env|exec)\s+(?:-\S+\s+)*)?(?:\S{0,200}\/)?(?:ba|da|z|k|c|tc|fi)?sh\b/i;
const downloadInShell = /\b(?:ba|da|z|k)?sh\b[^\n]{0,200}?(?:<\(|\$\(|`)\s*(?:curl|wget)\b/i;
const sudoDelete =
  /\bsudo\s+(?:-\S{1,40}\s+|\w{1,40}=\S{0,40}\s+){0,5}(?:\w{1,20}\s+)?(?:\S{0,40}\/)?rm\s+(?:\S{1,200}\s+){0,10}?-(?:[a-z]*[rf]|-recursive|-force)/i;
const rootDelete = /\brm\s+(?:-\S{1,40}\s+)+["']?\/+\.?\*?["']?(?:[\s;&|]|$)/i;
const forkBomb = /(?<name>[\w:]{1,40})\s*\(\)\s*\{\s*\k<name>\s*\|\s*\k<name>\s*&\s*\}/;

function blockedText(written: string): Blocked | undefined {
  // A line that goes on is one line to a shell.
  const text = written.normalize('NFKC').replace(/\\\r?\n/g, ' ');
  const what = shellPattern(text);
  if (what === undefined) return undefined;
  return {
    error: `blocked pattern in type text: ${what}`,
    hint: 'Commands like this are never typed into a desktop. Tell the user what you want to do instead.',
  };
}

function shellPattern(text: string): string | undefined {
  const download = text.search(/\b(?:curl|wget)\b/i);
  const isRun = download >= 0 && (shell.test(text.slice(download)) || downloadInShell.test(text));
  if (isRun) return 'a download that is piped into a shell';
  if (sudoDelete.test(text)) return 'sudo rm';
  if (rootDelete.test(text)) return 'rm -rf /';
  return forkBomb.test(text) ? 'fork bomb' : undefined;
}
