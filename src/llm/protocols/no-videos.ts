/** What is thrown for a video where the wire format has no place for one: before any request, so it costs nothing. */
import { ModelError } from '../model-error.ts';

/** `format` begins the sentence: `The format of Ollama`. */
export function noVideos(format: string): ModelError {
  return new ModelError(
    'bad_request',
    `${format} carries no videos; name a model that takes them (of Gemini, for one) as auxiliary.video.model, and its provider as auxiliary.vision.provider`,
  );
}
