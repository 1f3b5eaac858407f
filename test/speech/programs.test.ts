/** Programs of this machine that speak: those of the owner by their command line, and Piper. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fillTemplate } from '../../src/lib/command-template.ts';
import { formatFor } from '../../src/speech/format-for.ts';
import { speak } from '../../src/speech/speak.ts';
import { accessWith, patience } from './support.ts';

const posix = process.platform === 'win32' ? 'shell text of POSIX' : false;

/** What comes of a program of `tts.providers`, as text. */
async function run(t: TestContext, settings: object, env: Record<string, string> = {}): Promise<string> {
  const access = await accessWith(t, { provider: 'Mine', providers: { mine: settings } }, env);
  return await speak('Hello "you" $HOME.', 'mp3', access, patience()).then(
    ({ bytes, format, provider }) => `${provider} ${format} ${Buffer.from(bytes).toString()}`,
    ({ message }: Error) => message,
  );
}

test('values stand in a command line as one word each, as in the original', () => {
  const values = { voice: "a b$'x", output_path: '/t/o p' };
  for (const [template, filled] of [
    ['echo {{voice}} {voice} ${voice} {{x}}', `echo 'a b$'\\''x' 'a b$'\\''x' \${voice} {x}`],
    ['"{voice}"', '"a b\\$\'x"'],
    ["'{voice}'", `'a b$'\\''x'`],
    ['a\\"{voice}', `a\\"'a b$'\\''x'`],
    ['"a\\"{voice}" {output_path}', `"a\\"a b\\$'x" '/t/o p'`],
    ['{unknown} {{}}', '{unknown} {}'],
  ] as const) {
    assert.equal(fillTemplate(template, values), filled, template);
  }
});

test('a program of the owner’s gets the text in a file and leaves the sound in another', { skip: posix }, async (t) => {
  const command = 'printf "%s|%s|%s|" {voice} {model} {format} > {output_path}; cat {input_path} >> "{output_path}"';
  assert.equal(
    await run(t, { command, voice: "it's", model: 7, type: 'command' }),
    `mine mp3 it's|7|mp3|Hello "you" $HOME.`,
  );
  assert.equal(await run(t, { command: 'cat {text_path} > {output_path}' }), 'mine mp3 Hello "you" $HOME.');
  assert.equal(await run(t, { command: 'cat {text_path} > {output_path}', max_text_length: 5 }), 'mine mp3 Hello');
});

test('a program that fails, writes nothing or takes too long is told in one line', { skip: posix }, async (t) => {
  assert.equal(await run(t, { command: 'echo out; echo no voice >&2; exit 3' }), 'mine: it ended with 3: no voice');
  assert.equal(await run(t, { command: 'echo only out; exit 1' }), 'mine: it ended with 1: only out');
  assert.equal(await run(t, { command: 'true' }), 'mine: there is no sound in its answer');
  assert.equal(await run(t, { command: 'sleep 600', timeout: 0.05 }), 'mine: it took longer than 0.05 seconds');
});

test('it sees no key of the agent but one that is passed on', { skip: posix }, async (t) => {
  const command = 'echo "$OPENAI_API_KEY|$WORD" > {output_path}';
  assert.equal(await run(t, { command }, { OPENAI_API_KEY: 'sk-secret', WORD: 'kept' }), 'mine mp3 |kept\n');
});

test('a name of ours is never a program of the owner’s, and an entry without a command is none', async (t) => {
  const command = 'true';
  const { output } = await accessWith(t, { provider: 'openai', providers: { openai: { command } } });
  assert.equal(output.kind, 'none');
  const plugin = await accessWith(t, { provider: 'mine', providers: { mine: { type: 'plugin', command } } });
  assert.match(plugin.output.kind === 'none' ? plugin.output.why : '', /nor is it one of tts\.providers/);
});

test('its sound is a voice message only where the owner says that it is fit for that', async (t) => {
  const formatOf = async (settings: object) => {
    const { output } = await accessWith(t, { provider: 'mine', providers: { mine: { command: 'x', ...settings } } });
    assert.equal(output.kind, 'speaker');
    return output.kind === 'speaker' ? formatFor('telegram', output.speaker) : undefined;
  };
  assert.equal(await formatOf({ output_format: 'flac' }), 'flac');
  assert.equal(await formatOf({ output_format: 'flac', voice_compatible: true }), 'ogg');
});

test('Piper speaks with a voice of the home’s cache, and says how to fetch one', { skip: posix }, async (t) => {
  const access = await accessWith(t, { provider: 'piper', piper: { speaker_id: 2 }, speed: 2 });
  const folder = join(access.homePath, 'cache', 'piper-voices');
  const program = join(access.homePath, 'piper');
  writeFileSync(program, '#!/bin/sh\necho "$@" > "$0.args"\ncat > "$4"\n');
  chmodSync(program, 0o755);
  const heard = { ...access, output: access.output, programs: () => ({ PATH: `${access.homePath}:/usr/bin:/bin` }) };
  await assert.rejects(speak('One\ntwo.', 'wav', heard, patience()), ({ message }: Error) => {
    assert.match(
      message,
      /^Piper: there is no voice \S+en_US-lessac-medium\.onnx; fetch it: python3 -m piper\.download_voices/,
    );
    return true;
  });
  mkdirSync(folder, { recursive: true });
  const voice = join(folder, 'en_US-lessac-medium.onnx');
  writeFileSync(voice, '');
  assert.ok(existsSync(voice));
  const { bytes, format } = await speak('One\ntwo.', 'wav', heard, patience());
  assert.deepEqual([Buffer.from(bytes).toString(), format], ['One two.\n', 'wav']);
  const args = readFileSync(`${program}.args`, 'utf8');
  assert.match(args, /^-m \S+en_US-lessac-medium\.onnx -f \S+out\.wav --speaker 2 --length-scale 0\.5\n$/);
});

/** Speaks with a package of Python that stands in for the real one, at `python3` as a person has it. */
async function withPython(t: TestContext, tts: object, module: string, source: string) {
  const access = await accessWith(t, tts);
  const packages = join(access.homePath, 'packages');
  mkdirSync(packages);
  if (source !== '') writeFileSync(join(packages, `${module}.py`), source);
  const python = join(access.homePath, 'python3');
  writeFileSync(python, `#!/bin/sh\nPYTHONPATH='${packages}' exec /usr/bin/env -S PATH=/usr/bin:/bin python3 "$@"\n`);
  chmodSync(python, 0o755);
  const there = { ...access, output: access.output, programs: () => ({ PATH: `${access.homePath}:/usr/bin:/bin` }) };
  const made = await speak('One two.', 'wav', there, patience()).then(
    ({ bytes }) => Buffer.from(bytes),
    ({ message }: Error) => message,
  );
  const asked = join(packages, 'asked.json');
  return {
    made,
    asked: existsSync(asked) ? (JSON.parse(readFileSync(asked, 'utf8')) as unknown) : undefined,
    packages,
  };
}

const noPython = existsSync('/usr/bin/python3') ? false : 'there is no /usr/bin/python3';
const keep = `import json, pathlib
def keep(value):
    (pathlib.Path(__file__).parent / "asked.json").write_text(json.dumps(value))
`;

test('KittenTTS speaks in a Python of its own, as it is set up', { skip: noPython }, async (t) => {
  const source = `${keep}
class KittenTTS:
    def __init__(self, model):
        self.model = model
    def generate(self, text, voice, speed=1.0, clean_text=False):
        print("words beside the sound")
        keep([self.model, text, voice, speed, clean_text])
        return [0.0, 0.5, -2.0]
`;
  const { made, asked } = await withPython(t, { provider: 'kittentts', speed: 1.5 }, 'kittentts', source);
  assert.ok(Buffer.isBuffer(made), String(made));
  assert.deepEqual([made.toString('latin1', 0, 4), made.readUInt16LE(22), made.readUInt32LE(24)], ['RIFF', 1, 24_000]);
  assert.deepEqual([made.readInt16LE(44), made.readInt16LE(46), made.readInt16LE(48)], [0, 16_383, -32_767]);
  assert.deepEqual(asked, ['KittenML/kitten-tts-nano-0.8-int8', 'One two.', 'Jasper', 1.5, true]);
  const older = source.replace(', clean_text=False', '').replace(', clean_text]', ']');
  const set = { provider: 'kittentts', kittentts: { model: 'mine', voice: 'Bella' } };
  assert.deepEqual((await withPython(t, set, 'kittentts', older)).asked, ['mine', 'One two.', 'Bella', 1]);
});

test('a package of Python that is missing, or fails, is told in one line', { skip: noPython }, async (t) => {
  const missing = await withPython(t, { provider: 'kittentts' }, 'kittentts', '');
  assert.match(
    String(missing.made),
    /^KittenTTS: kittentts is not installed for python3; run: pip install https:\S+\.whl$/,
  );
  const within = await withPython(t, { provider: 'neutts' }, 'neutts', 'import torch_that_is_not_there\n');
  assert.match(
    String(within.made),
    /^NeuTTS: torch_that_is_not_there is not installed for python3; run: pip install -U 'neutts\[all\]'/,
  );
  const broken = 'class KittenTTS:\n    def __init__(self, model):\n        raise OSError("no model\\n here")\n';
  const failed = await withPython(t, { provider: 'kittentts' }, 'kittentts', broken);
  assert.equal(failed.made, 'KittenTTS: kittentts ended with 1: OSError: no model here');
});

test('NeuTTS speaks as the voice that it is given a sample of', { skip: noPython }, async (t) => {
  const source = `${keep}
class NeuTTS:
    def __init__(self, **how):
        self.how = how
    def encode_reference(self, path):
        return "code of " + pathlib.Path(path).name
    def infer(self, text, codes, said):
        keep([self.how, text, codes, said])
        return [0.1]
`;
  const { homePath } = await accessWith(t, {});
  const [ref_audio, ref_text] = [join(homePath, 'me.wav'), join(homePath, 'me.txt')];
  writeFileSync(ref_audio, 'sound');
  writeFileSync(ref_text, ' My words. \n');
  const { made, asked } = await withPython(
    t,
    { provider: 'neutts', neutts: { ref_audio, ref_text } },
    'neutts',
    source,
  );
  assert.ok(Buffer.isBuffer(made), String(made));
  assert.deepEqual(asked, [
    {
      backbone_repo: 'neuphonic/neutts-air-q4-gguf',
      backbone_device: 'cpu',
      codec_repo: 'neuphonic/neucodec',
      codec_device: 'cpu',
    },
    'One two.',
    'code of me.wav',
    'My words.',
  ]);
  const bare = await withPython(t, { provider: 'neutts' }, 'neutts', source);
  assert.match(String(bare.made), /this neutts brings no voice; name one in tts\.neutts\.ref_audio/);
  const half = await withPython(t, { provider: 'neutts', neutts: { ref_audio } }, 'neutts', source);
  assert.match(String(half.made), /^NeuTTS: tts\.neutts\.ref_audio and tts\.neutts\.ref_text belong together/);
});
