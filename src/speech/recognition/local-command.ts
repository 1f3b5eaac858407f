/** `HERMES_LOCAL_STT_COMMAND`, or the program `whisper`: gets a WAV file and leaves a text file in a folder. */
import { mkdir, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { fillTemplate } from '../../lib/command-template.ts';
import type { RecogniserAccess, RunProgram } from './recogniser.ts';
import { runProgram, textAt } from './run-program.ts';

/** What every program that hears takes. */
const wave = ['-ac', '1', '-ar', '16000'];

export const runLocalCommand: RunProgram = (path, { command, language, model }, access, signal) =>
  inScratchFolder(async (file) => {
    const input = extname(path).toLowerCase() === '.wav' ? path : await asWave(path, file('sound.wav'), access, signal);
    const folder = file('text');
    await mkdir(folder);
    const line = fillTemplate(command, { input_path: input, output_dir: folder, language, model });
    await runProgram('/bin/sh', ['-c', line], access, signal);
    const [first] = (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort();
    const text = first === undefined ? undefined : await textAt(join(folder, first));
    if (text === undefined) throw new UserError('it left no .txt file in {output_dir}');
    return text;
  });

async function asWave(path: string, wanted: string, access: RecogniserAccess, signal: AbortSignal): Promise<string> {
  const from = ['-nostdin', '-loglevel', 'error', '-y', '-i', path];
  await runProgram('ffmpeg', [...from, ...wave, wanted], access, signal).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`the sound could not be made a WAV file: ${error.message}`, { cause: error });
  });
  return wanted;
}
