/** Signs that tell xAI's voices how to speak. https://docs.x.ai/developers/rest-api-reference/inference/voice */
import { withDirections } from '../directions.ts';
import type { SpeechAccess } from '../speech-access.ts';

const sounds =
  'pause long-pause hum-tune laugh chuckle giggle cry tsk tongue-click lip-smack breath inhale exhale sigh'.split(' ');
const manners =
  'soft whisper loud build-intensity decrease-intensity higher-pitch lower-pitch slow fast sing-song singing laugh-speak emphasis'.split(
    ' ',
  );
const sign = new RegExp(`\\[(?:${sounds.join('|')})\\]|</?(?:${manners.join('|')})>`, 'gi');
const signs = [
  `Signs of sounds stand alone: ${sounds.map((name) => `[${name}]`).join(' ')}.`,
  `Signs of manners stand around words, as in <soft>words</soft>: ${manners.join(', ')}.`,
  'There are no other ones.',
].join(' ');
/** The first sentence, when others follow. */
const opening = /^([^]{12,120}?[.!?…])\s+(?=\S)/;

/** Pauses between parts, and what else a model thinks fit. A text that has signs already gets no others. */
export async function withXaiTags(
  text: string,
  access: Pick<SpeechAccess, 'ask'>,
  signal: AbortSignal,
): Promise<string> {
  const hasSigns = text.search(sign) !== -1;
  const parts = text
    .trim()
    .replace(/\s*\n\s*\n\s*/g, ' [pause] ')
    .replace(/\s+/g, ' ');
  if (hasSigns) return parts;
  const paused = parts.includes('[pause]') ? parts : parts.replace(opening, '$1 [pause] ');
  return await withDirections(paused, { signs, sign }, access, signal);
}
