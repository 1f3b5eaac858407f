/** What a gateway speaks with. */
import { userDirectory } from '../../config/home.ts';
import type { Program } from '../../runtime/program.ts';
import { speechAccess } from '../../runtime/speech-access.ts';
import { VoiceModes } from './voice-modes.ts';
import { VoiceReplies, type VoiceRepliesOptions } from './voice-replies.ts';

/** `voice.auto_tts`: without a word about it, what is spoken is answered in kind. */
export function openVoice(
  { options: { home, env, config }, models, plugins }: Pick<Program, 'options' | 'models' | 'plugins'>,
  chats: Pick<VoiceRepliesOptions, 'log' | 'connection' | 'add'>,
): VoiceReplies {
  return new VoiceReplies({
    ...chats,
    access: speechAccess({ home, env, config, models, plugins }),
    modes: new VoiceModes(home.path, config.config.voice.auto_tts ? 'voice_only' : 'off'),
    userHome: userDirectory(env),
  });
}
