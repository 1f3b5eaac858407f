/** A long message, written in the person's own editor while the chat lends it the terminal. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Variables } from '../../config/variables.ts';
import { runInteractive } from '../../environments/run-interactive.ts';
import { UserError } from '../../lib/errors.ts';
import { findEditor } from '../find-editor.ts';
import type { ChatScreen } from './chat-screen.ts';

export interface ComposeOptions {
  readonly screen: ChatScreen;
  readonly env: Variables;
  /** What `VISUAL` and `EDITOR` name, in this order. */
  readonly editors: readonly string[];
}

const note = [
  '#! Write your message below; lines that begin with #! are left out.',
  '#! Save and leave to send it, or empty the file to send nothing.',
];

/**
 * The text that was written, with `draft` to begin with; undefined when nothing is left of it. Throws `UserError` when
 * there is no editor, or it failed: what was written then stands in the input line.
 */
export async function compose(draft: string, { screen, env, editors }: ComposeOptions): Promise<string | undefined> {
  const [program, ...args] = findEditor(editors, env) ?? [];
  if (program === undefined) {
    throw new UserError('No editor was found.', { hint: 'Set EDITOR to one, such as EDITOR=nano, and start again.' });
  }
  const folder = await mkdtemp(join(tmpdir(), 'hermes-message-'));
  const path = join(folder, 'message.md');
  try {
    await writeFile(path, `${note.join('\n')}\n\n${draft}\n`, { mode: 0o600 });
    const code = await screen.lend(() => runInteractive(program, [...args, path], env));
    const text = written(await readFile(path, 'utf8'));
    if (code === 0) return text;
    screen.offerInput(text ?? '');
    throw new UserError(`The editor ended with exit code ${code}; nothing is sent.`, {
      hint: 'What was written stands in the input line.',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function written(text: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => !line.startsWith('#!'));
  return lines.join('\n').trim() || undefined;
}
