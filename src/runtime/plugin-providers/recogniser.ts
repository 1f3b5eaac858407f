/** What is said, heard by the code of a plug-in. */
import * as z from 'zod';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import type { AddedRecogniser } from '../../speech/recognition/recogniser.ts';
import { modelsOf, readAnswer } from './read-answer.ts';

const deadlineMs = 300_000;
const maxChars = 1_000_000;
const answer = z.union([
  z.string(),
  z.looseObject({ transcript: z.string() }).transform(({ transcript }) => transcript),
]);

export function addedRecogniser(provider: PluginProvider): AddedRecogniser {
  return {
    name: provider.name,
    plugin: provider.plugin,
    isAvailable: () => provider.isAvailable(),
    async hear(path, { model = modelsOf(provider)[0], language }, signal) {
      const wishes = { ...(model === undefined ? {} : { model }), ...(language === undefined ? {} : { language }) };
      const said = await provider.ask('transcribe', [path, wishes], { signal, deadlineMs });
      return readAnswer(provider, answer, said).slice(0, maxChars);
    },
  };
}
