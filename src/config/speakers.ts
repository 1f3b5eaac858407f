/** Every service and program that speaks: where it is, and which variables hold its key. */

export interface KnownSpeaker {
  /** As `tts.provider` names it. */
  readonly id: SpeakerId;
  /** As people call it. */
  readonly name: string;
  readonly baseUrl?: string;
  /** Variables with its key, in the order in which they are looked for; absent: it needs none. */
  readonly keys?: readonly string[];
  /** Its own hosts are these and all below them: no key of the environment goes elsewhere. */
  readonly domains?: readonly string[];
  readonly addressVariable?: string;
  /** Servers of others that speak its format often want no key. */
  readonly keylessElsewhere?: boolean;
  /** What it runs on this machine, by name. */
  readonly program?: string;
}

export type SpeakerId = 'edge' | 'openai' | 'espeak';

export const speakers: readonly KnownSpeaker[] = [
  { id: 'edge', name: 'Edge', baseUrl: 'wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud' },
  {
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['VOICE_TOOLS_OPENAI_KEY', 'OPENAI_API_KEY'],
    domains: ['openai.com'],
    keylessElsewhere: true,
  },
  { id: 'espeak', name: 'eSpeak NG', program: 'espeak-ng' },
];
