/** `hermes send --list`: the chats that are known, as targets. */
import { type DirectoryEntry, labelOf, readDirectory } from '../../gateway/targets/channel-directory.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

export function listTargets(
  { home, io }: CliContext,
  platform: string | undefined,
  { json }: { readonly json?: true },
): void {
  const { platforms, updatedAt } = readDirectory(home.path);
  const wanted = platform?.trim().toLowerCase();
  const shown = Object.entries(platforms).filter(([name]) => wanted === undefined || name === wanted);
  if (json === true) {
    io.stdout.write(`${JSON.stringify({ updated_at: updatedAt, platforms: Object.fromEntries(shown) }, null, 2)}\n`);
    return;
  }
  const lines = shown.flatMap(([name, entries]) => entries.map((entry) => line(name, entry)));
  const none = 'No chats are known yet: the gateway finds them while it runs.';
  io.stdout.write(`${lines.length === 0 ? none : lines.join('\n')}\n`);
}

function line(platform: string, entry: DirectoryEntry): string {
  const name = escapeForDisplay(labelOf(entry), { singleLine: true });
  return `${platform}:${escapeForDisplay(entry.id, { singleLine: true })}  ${name} (${escapeForDisplay(entry.type, { singleLine: true })})`;
}
