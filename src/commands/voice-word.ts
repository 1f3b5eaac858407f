/** What can stand behind `/voice` in the terminal. */

export const voiceWords = ['on', 'off', 'tts', 'status'] as const;
export type VoiceWord = (typeof voiceWords)[number];
