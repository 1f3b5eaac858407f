/** A program of the owner's own, as `tts.providers.<name>` tells how to call it. */
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Speaker } from '../../config/speech-output.ts';
import { UserError } from '../../lib/errors.ts';
import { audioFormats } from '../audio-format.ts';
import { fillTemplate } from '../../lib/command-template.ts';
import { runForSpeech } from '../run-for-speech.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const word = z.union([z.string(), z.number()]).transform(String).catch('');
const usualSeconds = 120;
const settings = z.looseObject({
  command: z.string().trim().min(1),
  output_format: z.enum(audioFormats).catch('mp3'),
  format: z.enum(audioFormats).optional().catch(undefined),
  timeout: z.coerce.number().positive().catch(usualSeconds),
  voice: word,
  model: word,
});

export const command: SpeechProvider = {
  formats: (speaker) => [formatOf(speaker)],
  maxCharacters: () => 5000,
  async speak({ text, format, speaker }, access, signal) {
    if (process.platform === 'win32') throw new UserError('programs of tts.providers are not run on Windows');
    const own = settings.parse(speaker.settings);
    return await inScratchFolder(async (file) => {
      const [input, output] = [file('input.txt'), file(`output.${format}`)];
      await writeFile(input, text, { mode: 0o600 });
      const line = fillTemplate(own.command, {
        input_path: input,
        text_path: input,
        output_path: output,
        format,
        voice: own.voice,
        model: own.model,
        speed: `${speaker.speed}`,
      });
      await runForSpeech('/bin/sh', ['-c', line], { access, signal, seconds: own.timeout });
      return await readFile(output).catch(() => Buffer.alloc(0));
    });
  },
};

function formatOf({ settings: own }: Speaker) {
  const { format, output_format: usual } = settings.parse(own);
  return format ?? usual;
}
