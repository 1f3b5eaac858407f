/** Who speaks with Gemini, and how: a file of the owner's in front of each text. https://ai.google.dev/gemini-api/docs/speech-generation */
import { open } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { errorCode, UserError } from '../../lib/errors.ts';

const maxBytes = 32_000;
const place = /\{\{\s*transcript\s*\}\}|\{\s*transcript\s*\}/gi;
const before =
  'Speak the transcript and nothing else. All that stands around it (audio profile, scene, director’s notes, sample context) says how.';

/** Empty without a path; one that is not absolute begins in the home. Throws `UserError` where it cannot be read. */
export async function readPersona(path: string, homePath: string, userHome: string): Promise<string> {
  const named = path.trim().replace(/^~(?=\/|$)/, () => userHome);
  if (named === '') return '';
  const absolute = isAbsolute(named) ? named : join(resolve(homePath), named);
  try {
    await using file = await open(absolute, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw new UserError(`tts.gemini.persona_prompt_file is longer than ${maxBytes} bytes`);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = `it cannot be read (${errorCode(error) ?? 'unknown'})`;
    throw new UserError(`tts.gemini.persona_prompt_file '${path}': ${why}`, { cause: error });
  }
}

/** The text where the file has a place for it (`{transcript}`), else behind it. */
export function inPersona(text: string, persona: string): string {
  if (persona === '') return text;
  const placed = persona.replace(place, () => text);
  return `${before}\n\n${placed === persona ? `${persona}\n\n#### TRANSCRIPT\n${text}` : placed}`;
}
