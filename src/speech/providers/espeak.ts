/** eSpeak NG on this machine: no key, no network. https://github.com/espeak-ng/espeak-ng/blob/master/src/espeak-ng.1.ronn */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { runHelper } from '../../environments/run-helper.ts';
import { UserError } from '../../lib/errors.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import type { SpeechProvider } from '../speech-provider.ts';

/** A voice is a language such as `en` or `de`, with a variant or without. A name must not be taken for an option. */
const settings = z.looseObject({
  voice: z
    .string()
    .regex(/^\w[\w+-]*$/)
    .catch('en'),
});
const deadlineMs = 60_000;
const maxOutputBytes = 100_000;
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
      const { code, stderr } = await runHelper('espeak-ng', ['-v', voice, '-s', `${pace}`, '-w', path, '--stdin'], {
        env: access.programs(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
        maxBytes: maxOutputBytes,
        input: text,
      });
      if (code !== 0) throw new UserError(`it ended with ${code}: ${stderr}`);
      return await readFile(path);
    });
  },
};
