/** Brings voice mode into the chat. */
import type { KeyId } from '@earendil-works/pi-tui';
import type { ChatScreen } from '../interactive/chat-screen.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { VoiceMode, type VoiceParts } from './voice-mode.ts';

export interface ChatForVoice extends Pick<VoiceParts, 'options' | 'isFree' | 'said'> {
  readonly screen: Pick<ChatScreen, 'print' | 'hint' | 'refresh'>;
  readonly colors: Pick<Colors, 'dim'>;
  /** What keys do in the input box. */
  readonly keys: Map<KeyId, () => void>;
}

const hintMs = 3000;

export function openVoice({ screen, colors, keys, ...parts }: ChatForVoice): VoiceMode {
  const before = new Map(keys);
  return new VoiceMode({
    ...parts,
    bind(key, act) {
      const next = act ?? before.get(key);
      if (next === undefined) keys.delete(key);
      else keys.set(key, next);
      screen.refresh();
    },
    tell: (line) => void screen.print(colors.dim(terminalText(`  ${line}`))),
    hint: (line) => screen.hint(line, hintMs),
    refresh: () => screen.refresh(),
  });
}
