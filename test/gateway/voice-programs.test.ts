/** Programs of this machine turn voice messages into text. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fillTemplate } from '../../src/lib/command-template.ts';
import { speak } from './speak.ts';

const skip = process.platform === 'win32' ? 'programs that hear are not run on Windows' : false;
const needsFfmpeg = skip !== false ? skip : existsSync('/usr/bin/ffmpeg') ? false : 'there is no ffmpeg in /usr/bin';
const wav = { voice: { name: 'a.wav', mime_type: 'audio/wav' } };
const local = (command: string, more: Record<string, string> = {}) => ({ HERMES_LOCAL_STT_COMMAND: command, ...more });

test('HERMES_LOCAL_STT_COMMAND is the first choice: it gets the sound, and its .txt file is what was said', {
  skip,
}, async (t) => {
  const command = 'test -s {input_path} && printf "%s %s" {language} {model} > {output_dir}/heard.txt';
  const { file, told, requests } = await speak(t, {
    ...wav,
    env: local(command, { HERMES_LOCAL_STT_LANGUAGE: 'de', GROQ_API_KEY: 'gsk-0123456789abcdef' }),
    config: (url) => `stt: {groq: {base_url: ${url}}}\n`,
  });
  assert.match(file.note, /\nde base$/);
  assert.deepEqual(told, ['🎙️ "de base"']);
  assert.deepEqual(requests, []);

  const settled = await speak(t, {
    ...wav,
    env: local(command, { HERMES_LOCAL_STT_LANGUAGE: 'de' }),
    config: () => 'stt: {provider: local, local: {model: small, language: fr}}\n',
  });
  assert.match(settled.file.note, /\nfr small$/);
});

test('a program that fails, is missing or leaves no text is told in one line, and nobody else is asked', {
  skip,
}, async (t) => {
  for (const [env, reason] of [
    [local('echo "no model\n here" >&2; exit 3'), /local_command: it ended with 3: no model here$/],
    [local('true'), /local_command: it left no \.txt file in \{output_dir\}$/],
    [{}, /HERMES_LOCAL_STT_COMMAND is not set, and there is no whisper in PATH\.$/],
  ] as const) {
    const { file, told, requests } = await speak(t, {
      ...wav,
      env: { PATH: '/bin:/usr/bin', GROQ_API_KEY: 'gsk-0123456789abcdef', ...env },
      config: (url) => `stt: {provider: local_command, groq: {base_url: ${url}}}\n`,
    });
    assert.match(told.join(), reason);
    assert.match(file.note, /could not be turned into text/);
    assert.deepEqual(requests, []);
  }
});

test('sound that is no WAV is made one first', { skip: needsFfmpeg }, async (t) => {
  const { execFileSync } = await import('node:child_process');
  const { readFileSync } = await import('node:fs');
  const { temporaryHome } = await import('../config/temporary-home.ts');
  const path = `${temporaryHome(t).home.path}/tone.ogg`;
  execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', 'sine=duration=0.2', path]);
  const command = 'head -c 4 {input_path} > {output_dir}/kind.txt';
  const { file } = await speak(t, { bytes: readFileSync(path), env: local(command) });
  assert.match(file.note, /\nRIFF$/);
  const broken = await speak(t, { bytes: Buffer.from('no sound'), env: local(command) });
  assert.match(broken.told.join(), /local_command: the sound could not be made a WAV file: it ended with /);
});

test('a program of stt.providers writes its text into a file or prints it, in its own format', { skip }, async (t) => {
  const command = (line: string, more = '') => ({
    env: { MY_KEY: 'mine', GROQ_API_KEY: 'gsk-0123456789abcdef' },
    config: () =>
      `terminal: {env_passthrough: [MY_KEY]}\nstt:\n  provider: Mine\n  providers:\n    mine:\n      command: ${JSON.stringify(line)}\n${more}`,
  });
  const written = await speak(
    t,
    command('printf \'1\\n{format} {language} {model}\' > "{output_path}"', '      format: srt\n      model: m\n'),
  );
  assert.match(written.file.note, /\n1\nsrt en m$/);
  const printed = await speak(t, command('echo "$MY_KEY [$GROQ_API_KEY]"; basename {input_path}'));
  assert.match(printed.file.note, /\nmine \[\]\naudio_[0-9a-f]{12}\.ogg$/);
  const silent = await speak(t, command(': > {output_path}'));
  assert.match(silent.file.note, /in which nothing was said/);
  const nothing = await speak(t, command('true'));
  assert.match(nothing.told.join(), /mine: it neither wrote \{output_path\} nor printed a text$/);
  const slow = await speak(t, command('sleep 600', '      timeout: 0.2\n'));
  assert.match(slow.told.join(), /mine: it was not done within 0\.2 seconds$/);
});

test('a name that is a service cannot be taken by a program, and one that nobody knows is told', {
  skip,
}, async (t) => {
  for (const [name, reason] of [
    ['groq', /GROQ_API_KEY is not set/],
    [
      'nobody',
      /stt\.provider 'nobody' is none of local_command, groq, .*, and stt\.providers\.nobody\.command is not set/,
    ],
  ] as const) {
    const { told } = await speak(t, {
      config: () => `stt: {provider: ${name}, providers: {groq: {command: echo hello}}}\n`,
    });
    assert.match(told.join(), reason);
  }
});

test('values stand in a command as one word, in whatever quotes', () => {
  const values = { input_path: `a 'b' "$c"`, model: 'm' };
  for (const [command, filled] of [
    ['x {input_path}', `x 'a '\\''b'\\'' "$c"'`],
    [`x '{input_path}'`, `x 'a '\\''b'\\'' "$c"'`],
    ['x "{input_path}"', `x "a 'b' \\"\\$c\\""`],
    [`x "it's {model}" \\"{model}`, `x "it's m" \\"'m'`],
    [`'a\\' {model}`, `'a\\' 'm'`],
    ['{{model}} ${model} {{"a": {other}}}', `'m' \${model} {"a": {other}}`],
  ] as const) {
    assert.equal(fillTemplate(command, values), filled, command);
  }
});
