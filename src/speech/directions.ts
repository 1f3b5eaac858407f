/** Has a model write into a text how it is to be spoken, and takes no other word of it. */
import type { SpeechAccess } from './speech-access.ts';

export interface Directions {
  /** What the model is told of the signs that the voice knows. */
  readonly signs: string;
  /** Finds them; global. */
  readonly sign: RegExp;
  /** Who speaks and how, in the owner's words; empty = nothing is said of it. */
  readonly scene?: string;
}

/** The text as it was where no model answers, or it changed more than it was asked to. Rejects with the signal's reason. */
export async function withDirections(
  text: string,
  { signs, sign, scene = '' }: Directions,
  access: Pick<SpeechAccess, 'ask'>,
  signal: AbortSignal,
): Promise<string> {
  const system = `Mark how a text is to be spoken: put signs into it where a good speaker would change the voice. ${signs} Leave every word where it is, add none, take none away. Answer with the text and its signs alone.`;
  const about = scene === '' ? '' : `The speaker:\n${scene}\n\n`;
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: `${about}The text:\n${text}` },
  ] as const;
  const asked = access.ask({ messages, temperature: 0.7 }, signal).catch(() => '');
  const marked = withoutFence(await asked);
  signal.throwIfAborted();
  return wordsOf(marked, sign) === wordsOf(text, sign) ? marked : text;
}

function withoutFence(text: string): string {
  return /^```\w*\s*\n([^]*?)\n?```$/.exec(text.trim())?.[1]?.trim() ?? text.trim();
}

/** Letters and digits; what stands between them may change. */
function wordsOf(text: string, sign: RegExp): string {
  return text
    .replace(sign, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
