/** Plays a sound to its end. */
import { writeFile } from 'node:fs/promises';
import { runHelper } from '../../environments/run-helper.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { AudioFormat } from '../audio-format.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { Player } from './players.ts';

export interface PlayOptions {
  /** All that the program gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Longer sounds are cut off. */
  readonly seconds: number;
}

const maxOutputBytes = 100_000;
const maxTold = 200;

/** Leaves no file, and nothing that runs. Rejects with a `UserError` in one line, and with the signal's reason. */
export async function play(
  bytes: Uint8Array,
  format: AudioFormat,
  { program, args }: Player,
  { env, signal, seconds }: PlayOptions,
): Promise<void> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  await inScratchFolder(async (file) => {
    const path = file(`sound.${format}`);
    await writeFile(path, bytes, { mode: 0o600 });
    try {
      const { code, stderr } = await runHelper(program, [...args, path], {
        env,
        signal: AbortSignal.any([signal, deadline]),
        maxBytes: maxOutputBytes,
      });
      if (code === 0) return;
      throw new UserError(stderr.trim().slice(-maxTold) || `it ended with ${code ?? 'a signal'}`);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return;
      throw new UserError(`${program}: ${errorMessage(error)}`.replace(/\s+/g, ' '), { cause: error });
    }
  });
}
