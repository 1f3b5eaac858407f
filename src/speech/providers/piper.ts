/** Piper on this machine: voices of files, no network. https://github.com/OHF-Voice/piper1-gpl/blob/main/docs/CLI.md */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { runForSpeech } from '../run-for-speech.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const optional = z.coerce.number().optional().catch(undefined);
const settings = z.looseObject({
  voice: z.string().trim().min(1).catch('en_US-lessac-medium'),
  voices_dir: z.string().trim().optional().catch(undefined),
  speaker_id: z.int().min(0).optional().catch(undefined),
  length_scale: optional,
  noise_scale: optional,
  noise_w_scale: optional,
  volume: optional,
  use_cuda: z.boolean().catch(false),
  normalize_audio: z.boolean().catch(true),
});
type Settings = z.infer<typeof settings>;

const seconds = 120;

export const piper: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 5000,
  async speak({ text, speaker }, access, signal) {
    const own = settings.parse(speaker.settings);
    const model = await modelFor(own, access.homePath);
    return await inScratchFolder(async (file) => {
      const path = file('out.wav');
      const args = ['-m', model, '-f', path, ...options(own, speaker.speed)];
      // One line is one sound.
      await runForSpeech('piper', args, { access, signal, seconds, input: `${text.replace(/\s+/g, ' ')}\n` });
      return await readFile(path);
    });
  },
};

/** The path of the voice. */
async function modelFor({ voice, voices_dir: named }: Settings, homePath: string): Promise<string> {
  const isPath = voice.endsWith('.onnx');
  const folder = inHome(named ?? '') || join(homePath, 'cache', 'piper-voices');
  if (!isPath && !/^\w[\w.-]*$/.test(voice)) throw new UserError(`'${voice}' is no name of a voice`);
  const path = isPath ? inHome(voice) : join(folder, `${voice}.onnx`);
  if (isAbsolute(path) && (await stat(path).catch(() => undefined))?.isFile() === true) return path;
  const fetched = isPath ? '' : `; fetch it: python3 -m piper.download_voices --download-dir '${folder}' ${voice}`;
  throw new UserError(`there is no voice ${path}${fetched}`);
}

function inHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}

function options(own: Settings, speed: number): readonly string[] {
  const length = own.length_scale ?? (speed === 1 ? undefined : 1 / speed);
  const numbers: readonly (readonly [string, number | undefined])[] = [
    ['--speaker', own.speaker_id],
    ['--length-scale', length],
    ['--noise-scale', own.noise_scale],
    ['--noise-w-scale', own.noise_w_scale],
    ['--volume', own.volume],
  ];
  return [
    ...numbers.flatMap(([name, value]) => (value === undefined ? [] : [name, `${value}`])),
    ...(own.use_cuda ? ['--cuda'] : []),
    ...(own.normalize_audio ? [] : ['--no-normalize']),
  ];
}
