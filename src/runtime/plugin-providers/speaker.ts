/** Speech of the code of a plug-in. */
import { join, relative } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import { type AudioFormat, audioFormats, formatOf } from '../../speech/audio-format.ts';
import { inScratchFolder } from '../../speech/scratch-folder.ts';
import type { AddedSpeaker } from '../../speech/added-speaker.ts';
import { readAnswer, readMade } from './read-answer.ts';

const deadlineMs = 120_000;
const maxBytes = 100 * 1024 * 1024;
const usualCharacters = 5000;

const text = z.string().trim().min(1).optional().catch(undefined);
const settings = z.looseObject({
  voice: text,
  model: text,
  output_format: z.enum(audioFormats).catch('mp3'),
});
const named = z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]);
const limits = z
  .array(z.looseObject({ id: z.string(), max_text_length: z.int().positive().optional().catch(undefined) }))
  .catch([]);
const path = z.string().min(1);

/** `written`: `tts` of the configuration. */
export function addedSpeaker(provider: PluginProvider, written: unknown): AddedSpeaker {
  const usual = (one: string, list: string): string | undefined =>
    text.parse(provider.told(one)) ?? z.array(named).catch([]).parse(provider.told(list))[0];
  return {
    name: provider.name,
    displayName: provider.displayName,
    plugin: provider.plugin,
    isAvailable: () => provider.isAvailable(),
    isVoice: () => provider.told('voice_compatible') === true,
    written,
    formats(speaker) {
      const { output_format: first } = settings.parse(speaker.settings);
      return [first, ...audioFormats.filter((format) => format !== first)];
    },
    maxCharacters(speaker) {
      const model = settings.parse(speaker.settings).model ?? usual('default_model', 'list_models');
      const listed = limits.parse(provider.told('list_models'));
      return listed.find(({ id }) => id === model)?.max_text_length ?? usualCharacters;
    },
    async speak({ text: words, format, speaker }, signal) {
      const own = settings.parse(speaker.settings);
      const voice = own.voice ?? usual('default_voice', 'list_voices');
      const model = own.model ?? usual('default_model', 'list_models');
      const wishes = {
        ...(voice === undefined ? {} : { voice }),
        ...(model === undefined ? {} : { model }),
        speed: speaker.speed,
        format,
      };
      return await inScratchFolder(async (file) => {
        const output = file(`speech.${format}`);
        const given = await provider.ask('synthesize', [words, output, wishes], { signal, deadlineMs });
        const made = readAnswer(provider, path, given ?? output);
        return { bytes: await readMade(inside(file(''), made), maxBytes, provider), format: formatIn(made) };
      });
    },
  };
}

/** It writes where it is told to; what it may change is the ending, which says what it made. */
function inside(folder: string, made: string): string {
  const way = relative(folder, made);
  if (!/^speech\.\w+$/.test(way)) throw new UserError('it wrote somewhere else than it was told to');
  return join(folder, way);
}

function formatIn(made: string): AudioFormat {
  const format = formatOf(made);
  if (format === undefined) throw new UserError(`it made none of ${audioFormats.join(', ')}`);
  return format;
}
