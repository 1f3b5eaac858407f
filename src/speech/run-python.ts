/** Runs a package of Python that speaks: in a process of its own, whose memory goes with it. */
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../lib/json.ts';
import { UserError } from '../lib/errors.ts';
import { runHelper } from '../environments/run-helper.ts';
import { inScratchFolder } from './scratch-folder.ts';
import type { SpeechAccess } from './speech-access.ts';

export interface PythonSpeaker {
  /** The package, as it is imported. */
  readonly module: string;
  /** How a person installs it. */
  readonly install: string;
  /** Defines `speak(asked)`, which returns samples between -1 and 1, 24,000 a second. May import what it needs. */
  readonly source: string;
}

/** The first use fetches the model. */
const seconds = 600;
const maxOutputBytes = 5_000_000;
const maxSaid = 250;
const notInstalled = 71;

/** A WAV file. Rejects with a `UserError` in one line, and with the signal's reason, after which nothing of it runs. */
export async function runPython(
  { module, install, source }: PythonSpeaker,
  asked: JsonObject,
  access: Pick<SpeechAccess, 'programs'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  const python = process.platform === 'win32' ? 'python' : 'python3';
  return await inScratchFolder(async (file) => {
    const path = file('out.wav');
    try {
      const { code, stderr } = await runHelper(python, ['-c', `${beginning}${source}${ending}`], {
        env: { ...access.programs(), PYTHONIOENCODING: 'utf-8' },
        signal: AbortSignal.any([signal, deadline]),
        maxBytes: maxOutputBytes,
        input: JSON.stringify({ ...asked, path }),
      });
      const said = stderr.trim().split('\n').at(-1)?.trim().slice(0, maxSaid) ?? '';
      if (code === notInstalled) throw new UserError(`${said} is not installed for ${python}; run: ${install}`);
      if (code !== 0) throw new UserError(`${module} ended with ${code ?? 'a signal'}: ${said || 'it said nothing'}`);
      return await readFile(path);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) throw new UserError(`it took longer than ${seconds} seconds`, { cause: error });
      throw error;
    }
  });
}

/** What lies in the folder where this happens to run is not imported. */
const beginning = `import sys
sys.path[:] = [folder for folder in sys.path if folder not in ("", ".")]
import array, json, wave

`;

const ending = `

try:
    asked = json.load(sys.stdin)
    sound = speak(asked)
    samples = sound.flatten().tolist() if hasattr(sound, "flatten") else list(sound)
    pcm = array.array("h", (int(max(-1.0, min(1.0, sample)) * 32767) for sample in samples))
    if sys.byteorder == "big":
        pcm.byteswap()
    with wave.open(asked["path"], "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(24000)
        file.writeframes(pcm.tobytes())
except ModuleNotFoundError as missing:
    print("\\n" + str(missing.name), file=sys.stderr)
    sys.exit(${notInstalled})
except Exception as error:
    print("\\n" + type(error).__name__ + ": " + " ".join(str(error).split()), file=sys.stderr)
    sys.exit(1)
`;
