/** xAI, which has one model for it and names none. https://docs.x.ai/docs/guides/speech-to-text */
import * as z from 'zod';
import { signedIn } from '../signed-in.ts';
import { askWithSound, bearer } from './ask-with-sound.ts';
import type { AskService } from './recogniser.ts';

const settings = z.looseObject({
  format: z.stringbool().or(z.boolean()).catch(true),
  diarize: z.stringbool().or(z.boolean()).catch(false),
});

export const askXai: AskService = (path, service, access, signal) => {
  const { language, settings: own } = service;
  const { format, diarize } = settings.parse(own);
  return signedIn(service, access, signal, ({ baseUrl, key }) =>
    askWithSound(
      {
        url: `${baseUrl}/stt`,
        headers: bearer(key),
        fields: {
          // Numbers as digits are written for one language only, so it has to be said.
          language: language ?? 'en',
          ...(format ? { format: 'true' } : {}),
          ...(diarize ? { diarize: 'true' } : {}),
        },
        path,
      },
      access,
      signal,
    ),
  );
};
