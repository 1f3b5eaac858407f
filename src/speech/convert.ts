/** Brings sound into another format with ffmpeg, where that is installed. */
import { readFile, writeFile } from 'node:fs/promises';
import { runHelper } from '../environments/run-helper.ts';
import { errorCode } from '../lib/errors.ts';
import type { AudioFormat } from './audio-format.ts';
import { inScratchFolder } from './scratch-folder.ts';
import type { SpeechAccess } from './speech-access.ts';

interface Sound {
  readonly bytes: Uint8Array;
  readonly format: AudioFormat;
}

const deadlineMs = 60_000;
const maxOutputBytes = 100_000;
/** Voice messages are Opus in one channel. https://core.telegram.org/bots/api#sendvoice */
const opus = ['-acodec', 'libopus', '-ac', '1', '-b:a', '64k', '-vbr', 'off'];

/** The sound as it was where there is no ffmpeg, or it cannot: that plays as well. Rejects with the signal's reason. */
export async function convert(
  sound: Sound,
  wanted: AudioFormat,
  access: Pick<SpeechAccess, 'programs'>,
  signal: AbortSignal,
): Promise<Sound> {
  return await inScratchFolder(async (file) => {
    const [from, to] = [file(`in.${sound.format}`), file(`out.${wanted}`)];
    await writeFile(from, sound.bytes);
    const how = wanted === 'ogg' ? opus : [];
    const args = ['-nostdin', '-loglevel', 'error', '-y', '-i', from, ...how, to];
    try {
      const { code } = await runHelper('ffmpeg', args, {
        env: access.programs(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
        maxBytes: maxOutputBytes,
      });
      const bytes = code === 0 ? await readFile(to) : Buffer.alloc(0);
      return bytes.length === 0 ? sound : { bytes, format: wanted };
    } catch (error) {
      signal.throwIfAborted();
      if (isPassedOver(error)) return sound;
      throw error;
    }
  });
}

/** It is not there, makes no file, or takes too long. */
function isPassedOver(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || (error instanceof Error && error.name === 'TimeoutError');
}
