/** KittenTTS on this machine: small models, no key. https://github.com/KittenML/KittenTTS */
import * as z from 'zod';
import { type PythonSpeaker, runPython } from '../run-python.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  model: z.string().trim().min(1).catch('KittenML/kitten-tts-nano-0.8-int8'),
  voice: z.string().trim().min(1).catch('Jasper'),
  clean_text: z.boolean().catch(true),
});

export const kittentts: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 2000,
  speak({ text, speaker }, access, signal) {
    const { model, voice, clean_text } = settings.parse(speaker.settings);
    return runPython(kitten, { text, model, voice, clean_text, speed: speaker.speed }, access, signal);
  },
};

/** Versions from before 0.8 do not clean the text. */
const kitten: PythonSpeaker = {
  module: 'kittentts',
  install: 'pip install https://github.com/KittenML/KittenTTS/releases/download/0.8.1/kittentts-0.8.1-py3-none-any.whl',
  source: `
def speak(asked):
    import inspect
    from kittentts import KittenTTS
    model = KittenTTS(asked["model"])
    how = {"voice": asked["voice"], "speed": asked["speed"]}
    if "clean_text" in inspect.signature(model.generate).parameters:
        how["clean_text"] = asked["clean_text"]
    return model.generate(asked["text"], **how)
`,
};
