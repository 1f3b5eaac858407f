/** ElevenLabs. https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
import * as z from 'zod';
import { askWithSound } from './ask-with-sound.ts';
import type { AskService } from './recogniser.ts';

const flag = z.stringbool().or(z.boolean()).catch(false);
const settings = z.looseObject({
  language_code: z.string().trim().catch(''),
  tag_audio_events: flag,
  diarize: flag,
});

export const askElevenLabs: AskService = (path, { baseUrl, key, model, settings: own }, access, signal) => {
  const { language_code: language, tag_audio_events: tags, diarize } = settings.parse(own);
  return askWithSound(
    {
      url: `${baseUrl}/speech-to-text`,
      headers: key === undefined ? {} : { 'xi-api-key': key },
      fields: {
        model_id: model,
        tag_audio_events: String(tags),
        diarize: String(diarize),
        ...(language === '' ? {} : { language_code: language }),
      },
      path,
    },
    access,
    signal,
  );
};
