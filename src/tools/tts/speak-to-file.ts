/** Speaks a text into a file: one that the model named, or one of the cache. */
import { extname } from 'node:path';
import { answer, type FilePath, failure, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import { type AudioFormat, formatOf } from '../../speech/audio-format.ts';
import { keepSpeech } from '../../speech/keep-speech.ts';
import { speak, type Speech } from '../../speech/speak.ts';
import type { SpeechAccess } from '../../speech/speech-access.ts';
import { beforeWrite } from '../file/before-write.ts';
import { alone } from '../file/save-file.ts';
import type { ToolServices } from '../services.ts';

export interface ToSpeak {
  readonly text: string;
  readonly output_path?: string | undefined;
  /** What is made where no path says otherwise; `ogg`: it is heard as a voice message. */
  readonly usual: AudioFormat;
}

/** Throws `UserError` and `PathDenied` in words for the model, and the signal's reason. */
export async function speakToFile(
  { text, output_path: path, usual }: ToSpeak,
  access: SpeechAccess,
  context: ToolContext<ToolServices>,
): Promise<ToolOutcome> {
  const wanted = (path === undefined ? undefined : formatOf(path)) ?? usual;
  const speech = await speak(text, wanted, access, context.signal);
  if (path === undefined) {
    const kept = await keepSpeech(access.homePath, speech);
    return told(kept, speech, usual);
  }
  const saved = await save(endingIn(path, speech.format), speech.bytes, context);
  return typeof saved === 'string' ? told(saved, speech, usual, [saved]) : saved;
}

/** Where the wanted kind could not be made, the name says what the file is. */
function endingIn(path: string, format: AudioFormat): string {
  return formatOf(path) === format ? path : `${path.slice(0, -extname(path).length)}.${format}`;
}

/** Returns where it lies. */
async function save(
  path: string,
  bytes: Uint8Array,
  context: ToolContext<ToolServices>,
): Promise<string | ToolOutcome> {
  const { files, state } = context.services;
  const target: FilePath = { path, resolved: files.resolve(path) };
  return await alone([target], context, async () => {
    const ready = await beforeWrite([target], 'before text_to_speech', context, () => Promise.resolve());
    if ('error' in ready) return failure({ success: false, ...ready });
    await files.write(target.resolved, bytes);
    state.fileWrites.note(await files.realPath(target.resolved), context.sessionId);
    return target.resolved;
  });
}

function told(path: string, speech: Speech, usual: AudioFormat, changedFiles: readonly string[] = []): ToolOutcome {
  const isVoice = usual === 'ogg' && speech.format === 'ogg';
  const result = {
    success: true,
    file_path: path,
    media_tag: `${isVoice ? '[[audio_as_voice]]\n' : ''}MEDIA:${path}`,
    provider: speech.provider,
    voice_compatible: isVoice,
    ...(speech.cut ? { note: 'The text was too long: only its beginning was spoken.' } : {}),
  };
  return answer(result, changedFiles.length === 0 ? undefined : { changedFiles });
}
