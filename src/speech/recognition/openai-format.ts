/** OpenAI, and all who speak its format. https://platform.openai.com/docs/api-reference/audio/createTranscription */
import { askWithSound, bearer } from './ask-with-sound.ts';
import type { AskService } from './recogniser.ts';

export const askOpenAi: AskService = (path, { baseUrl, key, model, language }, access, signal) =>
  askWithSound(
    {
      url: `${baseUrl}/audio/transcriptions`,
      headers: bearer(key),
      fields: { model, ...(language === undefined ? {} : { language }) },
      path,
    },
    access,
    signal,
  );
