/** A page as text, as far as it fits into an answer. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import type { OpenTabs } from './browser-command.ts';

const maxChars = 15_000;
const roomForNote = 300;
const maxKeptChars = 2_000_000;

/** The text, or its beginning, which says in which file the whole of it is kept. */
export async function fitSnapshot(
  text: string,
  address: string,
  { homePath, keepFile }: Pick<OpenTabs, 'homePath' | 'keepFile'>,
): Promise<string> {
  if (text.length <= maxChars) return text;
  const folder = join(homePath, 'cache', 'web');
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 10);
  const path = join(folder, `browser-snapshot-${hash}.txt`);
  await keepFile(address, async () => {
    await mkdir(folder, { recursive: true });
    writeFileAtomic(path, text.slice(0, maxKeptChars));
  });
  const kept = text.slice(0, maxChars - roomForNote);
  const shown = kept.slice(0, Math.max(kept.lastIndexOf('\n'), 0));
  return `${shown}\n[The snapshot goes on: ${text.length - shown.length} more characters. All of it: ${path}]`;
}
