/** `/voice`: whether answers in this chat are spoken. */
import { UserError } from '../../lib/errors.ts';
import type { VoiceMode } from '../voice/voice-modes.ts';
import type { ChatCommand } from './chat-command.ts';

const words: Readonly<Record<string, VoiceMode>> = {
  on: 'voice_only',
  enable: 'voice_only',
  off: 'off',
  disable: 'off',
  tts: 'all',
};
const told: Readonly<Record<VoiceMode, string>> = {
  off: 'Voice replies: off. Answers are text.',
  voice_only: 'Voice replies: on. When you send a voice message, its answer is spoken too.',
  all: 'Voice replies: every answer is spoken too.',
};
const help = 'Use /voice on (answers to voice messages), tts (every answer), off or status.';

export const voice: ChatCommand = {
  name: 'voice',
  category: 'Configuration',
  description: 'have answers spoken',
  argumentHint: '[on|off|tts|status]',
  atOnce: true,
  run({ event: { source }, gateway, print }, args) {
    const { modes } = gateway.voice;
    const word = args.trim().toLowerCase();
    const before = modes.of(source);
    const mode = word === '' ? (before === 'off' ? 'voice_only' : 'off') : word === 'status' ? before : words[word];
    if (mode === undefined) throw new UserError(`/voice does not know '${word.slice(0, 40)}'. ${help}`);
    if (word !== 'status') modes.set(source, mode);
    const problem = mode === 'off' ? undefined : gateway.voice.problem(source.platform);
    print([told[mode], ...(problem === undefined ? [] : [`⚠️ ${problem}`]), ...(word === '' ? [help] : [])].join('\n'));
  },
};
