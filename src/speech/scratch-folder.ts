/** A folder for files that programs read and write, gone when they are done. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `use` gets the absolute path of a file by its name. */
export async function inScratchFolder<Made>(use: (file: (name: string) => string) => Promise<Made>): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-speech-'));
  try {
    return await use((name) => join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
