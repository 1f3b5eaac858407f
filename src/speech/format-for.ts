/** Which kind of file is made where what is said is heard. */
import * as z from 'zod';
import type { Speaker } from '../config/speech-output.ts';
import { type AudioFormat, audioFormats } from './audio-format.ts';

/** Chats that show Opus as a voice message. */
const voiceSurfaces: ReadonlySet<string> = new Set(['telegram']);
const ofCommand = z.looseObject({
  voice_compatible: z.boolean().catch(false),
  output_format: z.enum(audioFormats).catch('mp3'),
  format: z.enum(audioFormats).optional().catch(undefined),
});

/** A program of the owner's, or a plug-in, makes voice messages only where it is said that its sound is fit for that. */
export function formatFor(surface: string, { id, settings }: Speaker): AudioFormat {
  const isVoice = voiceSurfaces.has(surface);
  if (id !== 'command' && id !== 'plugin') return isVoice ? 'ogg' : 'mp3';
  const own = ofCommand.parse(settings);
  return isVoice && own.voice_compatible ? 'ogg' : (own.format ?? own.output_format);
}
