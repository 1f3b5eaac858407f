/** eSpeak NG on this machine: no key, no network. https://github.com/espeak-ng/espeak-ng/blob/master/src/espeak-ng.1.ronn */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { runForSpeech } from '../run-for-speech.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { SpeechProvider } from '../speech-provider.ts';

/** A voice is a language such as `en` or `de`, with a variant or without. A name must not be taken for an option. */
const settings = z.looseObject({
  voice: z
    .string()
    .regex(/^\w[\w+-]*$/)
    .catch('en'),
});
const seconds = 60;
/** Words a minute, and what the program takes. */
const usualPace = 175;
const [slowest, fastest] = [80, 450];

export const espeak: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 5000,
  async speak({ text, speaker }, access, signal) {
    const { voice } = settings.parse(speaker.settings);
    const pace = Math.round(Math.min(fastest, Math.max(slowest, usualPace * speaker.speed)));
    return await inScratchFolder(async (file) => {
      const path = file('out.wav');
      const args = ['-v', voice, '-s', `${pace}`, '-w', path, '--stdin'];
      await runForSpeech('espeak-ng', args, { access, signal, seconds, input: text });
      return await readFile(path);
    });
  },
};
