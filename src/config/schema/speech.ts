/** Configuration: speech out, speech in, and voice mode. */
import * as z from 'zod';
import {
  bool,
  int,
  mapOf,
  number,
  optionalBool,
  optionalInt,
  optionalNumber,
  optionalText,
  section,
  text,
} from './fields.ts';

interface Defaults {
  readonly voice?: string;
  readonly voice_id?: string;
  readonly model?: string;
  readonly model_id?: string;
}

const addressFields = () => ({
  base_url: optionalText('Address of the service'),
  api_key: optionalText('Key of the service at that address'),
});

const speakerFields = (defaults: Defaults = {}) => ({
  voice: withDefault(defaults.voice, 'Voice'),
  voice_id: withDefault(defaults.voice_id, 'Voice id'),
  model: withDefault(defaults.model, 'Model'),
  model_id: withDefault(defaults.model_id, 'Model id'),
  speed: optionalNumber('Speed'),
  ...addressFields(),
  max_text_length: optionalInt('Longest text in characters', { least: 1 }),
});

const speaker = (defaults?: Defaults) => z.looseObject(speakerFields(defaults)).prefault({});

const minimax = () =>
  z
    .looseObject({
      ...speakerFields({ model: 'speech-02-hd', voice_id: 'English_expressive_narrator' }),
      group_id: optionalText('Group of the account'),
      vol: optionalNumber('Loudness'),
      pitch: optionalNumber('Pitch', { least: -12, most: 12 }),
      emotion: optionalText('Emotion'),
      sample_rate: optionalInt('Samples a second', { least: 1 }),
      bitrate: optionalInt('Bits a second', { least: 1 }),
    })
    .prefault({});

const xai = () =>
  z
    .looseObject({
      ...speakerFields({ voice_id: 'eve' }),
      language: text('en', 'Language'),
      sample_rate: int(24_000, 'Samples a second', { least: 1 }),
      bit_rate: int(128_000, 'Bits a second', { least: 1 }),
      optimize_streaming_latency: int(0, 'Sooner for worse', { min: 0, max: 2 }),
      auto_speech_tags: bool(false, 'A model writes pauses, laughs and the like into the text'),
    })
    .prefault({});

const gemini = () =>
  z
    .looseObject({
      ...speakerFields({ model: 'gemini-2.5-flash-preview-tts', voice: 'Kore' }),
      persona_prompt_file: text('', 'File that says who speaks and how; {transcript} in it is the text'),
      audio_tags: bool(false, 'A model writes into the text how to speak it; for models of Gemini 3.1'),
    })
    .prefault({});

const piper = () =>
  z
    .looseObject({
      ...speakerFields({ voice: 'en_US-lessac-medium' }),
      voices_dir: optionalText('Folder with its voices'),
      speaker_id: optionalInt('Which of its speakers', { least: 0 }),
      length_scale: optionalNumber('Length of its sounds'),
      noise_scale: optionalNumber('Variety of its sounds'),
      noise_w_scale: optionalNumber('Variety of their lengths'),
      volume: optionalNumber('Loudness'),
      normalize_audio: optionalBool('As loud as it can be'),
      use_cuda: optionalBool('Compute on a graphics card'),
    })
    .prefault({});

const neutts = () =>
  z
    .looseObject({
      ...speakerFields({ model: 'neuphonic/neutts-air-q4-gguf' }),
      ref_audio: text('', 'Sample of the voice: a sound file; empty: one that comes with it'),
      ref_text: text('', 'File with the words of the sample'),
      device: text('cpu', 'cpu, cuda or mps'),
    })
    .prefault({});

const kittentts = () =>
  z
    .looseObject({
      ...speakerFields({ model: 'KittenML/kitten-tts-nano-0.8-int8', voice: 'Jasper' }),
      clean_text: bool(true, 'Numbers, dates and the like are written out first'),
    })
    .prefault({});

const tts = () =>
  section({
    provider: text('edge', 'Voice service'),
    speed: number(1, 'Speed'),
    use_gateway: bool(false, 'Use the tool gateway of the subscription'),
    edge: speaker({ voice: 'en-US-AriaNeural' }),
    elevenlabs: speaker({ voice_id: 'pNInz6obpgDQGcFmaJgB', model_id: 'eleven_multilingual_v2' }),
    openai: speaker({ model: 'gpt-4o-mini-tts', voice: 'alloy' }),
    minimax: minimax(),
    mistral: speaker({ model: 'voxtral-mini-tts-2603', voice_id: 'c69964a6-ab8b-4f8a-9465-ec0925096ec8' }),
    gemini: gemini(),
    xai: xai(),
    deepinfra: speaker({ voice: 'default' }),
    neutts: neutts(),
    kittentts: kittentts(),
    piper: piper(),
    espeak: speaker({ voice: 'en' }),
    providers: mapOf(
      z.looseObject({
        command: text('', 'Command line'),
        output_format: text('mp3', 'mp3, wav, ogg or flac'),
        timeout: number(120, 'Seconds'),
        voice_compatible: bool(false, 'Its output can be sent as a voice message'),
        max_text_length: int(5000, 'Longest text in characters', { least: 1 }),
        voice: optionalText('Voice'),
        model: optionalText('Model'),
        speed: optionalNumber('Speed'),
      }),
      'Voice services that are programs',
    ),
  });

const stt = () =>
  section({
    enabled: bool(true, 'Turn voice messages into text'),
    echo_transcripts: bool(true, 'Chats: what was heard is told'),
    provider: text('local', 'Recognition service'),
    local: z
      .looseObject({ model: text('base', 'Model of the program'), language: text('', 'Language of the program') })
      .prefault({}),
    groq: recogniser('whisper-large-v3-turbo'),
    openai: recogniser('whisper-1'),
    mistral: recogniser('voxtral-mini-latest'),
    xai: z
      .looseObject({
        language: optionalText('Language'),
        format: bool(true, 'Numbers as digits, and the like'),
        diarize: bool(false, 'Who speaks is told apart'),
        ...addressFields(),
      })
      .prefault({}),
    elevenlabs: z
      .looseObject({
        model_id: text('scribe_v2', 'Model'),
        language_code: text('', 'Language; empty: it finds out'),
        tag_audio_events: bool(false, 'Laughter and the like stand in the text'),
        diarize: bool(false, 'Who speaks is told apart'),
        ...addressFields(),
      })
      .prefault({}),
    deepinfra: recogniser(''),
    providers: mapOf(
      z.looseObject({
        command: text('', 'Command line'),
        format: text('txt', 'txt, json, srt or vtt'),
        language: text('en', 'Language'),
        model: optionalText('Model'),
        timeout: number(300, 'Seconds'),
      }),
      'Recognition services that are programs',
    ),
  });

const voice = () =>
  section({
    record_key: text('ctrl+b', 'Key that starts and ends a recording in voice mode'),
    max_recording_seconds: number(120, 'Longest recording, in seconds', { min: 1, max: 780 }),
    auto_tts: bool(false, 'Read answers aloud'),
    beep_enabled: bool(true, 'Beep at start and end'),
    silence_threshold: number(200, 'Loudness up to which it is silence: the root mean square of 16-bit samples'),
    silence_duration: number(3, 'Seconds of silence that end a recording'),
  });

/** Top-level keys of this file. */
export const speechSections = {
  tts,
  stt,
  voice,
};

function recogniser(model: string) {
  return z.looseObject({ model: text(model, 'Model'), ...addressFields() }).prefault({});
}

function withDefault(value: string | undefined, description: string) {
  return value === undefined ? optionalText(description) : text(value, description);
}
