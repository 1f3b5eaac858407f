/** NeuTTS on this machine: speaks as a voice that it was given a sample of. https://github.com/neuphonic/neutts */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { type PythonSpeaker, runPython } from '../run-python.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  ref_audio: z.string().trim().catch(''),
  ref_text: z.string().trim().catch(''),
  model: z.string().trim().min(1).catch('neuphonic/neutts-air-q4-gguf'),
  device: z.string().trim().min(1).catch('cpu'),
});

export const neutts: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 2000,
  async speak({ text, speaker }, access, signal) {
    const { ref_audio: audio, ref_text: words, model, device } = settings.parse(speaker.settings);
    if ((audio === '') !== (words === ''))
      throw new UserError(
        'tts.neutts.ref_audio and tts.neutts.ref_text belong together: a voice, and a file with what it says',
      );
    return await runPython(neu, { text, audio: inHome(audio), words: inHome(words), model, device }, access, signal);
  },
};

function inHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}

/** Without a sample of the owner's it is one that the package brings; those that end in .pt are encoded already. */
const neu: PythonSpeaker = {
  module: 'neutts',
  install: "pip install -U 'neutts[all]', and espeak-ng by the package manager of your system",
  source: `
def speak(asked):
    import pathlib
    import neutts
    audio, words = asked["audio"], asked["words"]
    if audio == "":
        folder = pathlib.Path(neutts.__file__).parent / "samples"
        names = ["jo"] + sorted(path.stem for path in folder.glob("*.txt"))
        pairs = [(folder / (name + ending), folder / (name + ".txt")) for name in names for ending in (".wav", ".pt")]
        found = [pair for pair in pairs if pair[0].is_file() and pair[1].is_file()]
        if not found:
            raise ValueError("this neutts brings no voice; name one in tts.neutts.ref_audio and tts.neutts.ref_text")
        audio, words = found[0]
    for path in (audio, words):
        if not pathlib.Path(path).is_file():
            raise ValueError("there is no file " + str(path))
    said = pathlib.Path(words).read_text(encoding="utf-8").strip()
    model = neutts.NeuTTS(
        backbone_repo=asked["model"],
        backbone_device=asked["device"],
        codec_repo="neuphonic/neucodec",
        codec_device=asked["device"],
    )
    if str(audio).endswith(".pt"):
        import torch
        voice = torch.load(audio, weights_only=True)
    else:
        voice = model.encode_reference(str(audio))
    return model.infer(asked["text"], voice, said)
`,
};
