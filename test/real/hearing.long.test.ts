/** A voice in a chat, heard by a real recogniser on this machine and answered. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openMedia } from '../../src/gateway/media/open-media.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ChatService } from '../gateway/chat-service.ts';
import { openGateway } from '../gateway/support.ts';
import { placeFor } from '../runtime/support.ts';
import { oneLine } from './install-folder.ts';
import { pythonPackages } from './python-packages.ts';

/** Its wheel holds a small model of English. */
const recogniser = `import sys, wave
from pocketsphinx import Decoder
with wave.open(sys.argv[1]) as sound:
    raw = sound.readframes(sound.getnframes())
decoder = Decoder(samprate=16000)
decoder.start_utt()
decoder.process_raw(raw, full_utt=True)
decoder.end_utt()
print(decoder.hyp().hypstr if decoder.hyp() else "")
`;

test('a voice message that is spoken in a chat is heard and answered', async (t) => {
  const packages = await pythonPackages('pocketsphinx', ['pocketsphinx==5.1.1']);
  if (typeof packages === 'string') return t.skip(packages);
  await using server = await startModelServer({ respond: () => ({ text: 'I counted along.' }) });
  const script = `'${packages.python}' "$HOME/hear.py" {input_path} > {output_dir}/heard.txt`;
  const place = placeFor(t, server, 'auxiliary:\n  title_generation:\n    enabled: false\n', {
    env: { HERMES_LOCAL_STT_COMMAND: script },
  });
  const folder = join(place.homePath, '..');
  writeFileSync(join(folder, 'hear.py'), recogniser);
  const note = join(folder, 'note.ogg');
  try {
    execFileSync('espeak-ng', ['-v', 'en-us', '-s', '140', '-w', `${note}.wav`, 'one two three four five']);
    execFileSync('ffmpeg', ['-loglevel', 'error', '-i', `${note}.wav`, '-c:a', 'libopus', '-b:a', '32k', note]);
  } catch (error) {
    return t.skip(`nobody speaks here: ${oneLine(error)}`);
  }
  const fake = new ChatService({ files: true });
  fake.sent.set('note', readFileSync(note));
  await openGateway(t, server, { place, fake, media: (program) => openMedia(program) });
  await fake.say('', {
    message_type: 'voice',
    attachments: [{ kind: 'voice', reference: 'note', mime_type: 'audio/ogg' }],
  });
  await fake.until(() => fake.texts().includes('I counted along.'));
  assert.deepEqual(fake.texts(), ['🎙️ "one two three four five"', 'I counted along.']);
  const [asked] = server.requests;
  assert.match(JSON.stringify(asked?.body.messages.at(-1)), /It says:\]\\none two three four five"/);
});
