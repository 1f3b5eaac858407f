/** Voice mode as a person at a terminal has it. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startJsonServer } from '../../fakes/json-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { silence, tone } from '../../speech/voice/sounds.ts';
import { makePlace } from '../hermes-process.ts';
import { soundPrograms, until } from '../voice/programs.ts';
import { noTmux, openPane } from './tmux.ts';

test('what is said is sent, the answer is spoken, and nothing is left of either', { skip: noTmux }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  await using speech = await startJsonServer({
    'POST /v1/audio/transcriptions': { body: { text: ' What is the time? ' } },
    'POST /v1/audio/speech': { body: Buffer.from('a sentence'), headers: { 'content-type': 'audio/wav' } },
  });
  server.enqueue({ text: 'It is **noon** here in the test.' });
  const own = { base_url: `${speech.url}/v1`, api_key: 'sk-0123456789abcdef' };
  const place = makePlace(
    t,
    server,
    [
      `stt: ${JSON.stringify({ provider: 'openai', openai: own })}`,
      `tts: ${JSON.stringify({ provider: 'openai', openai: own })}`,
      'voice: {silence_duration: 0.2, auto_tts: true}\n',
    ].join('\n'),
  );
  const sounds = soundPrograms(join(place.work, 'sounds'));
  const pane = openPane(t, place, [], { env: { PATH: sounds.path } });
  await pane.sees(/Type a message/);
  pane.enter('/voice');
  await pane.sees(/Voice mode is on, and answers are spoken\.[^]*● Ctrl\+B records/);
  sounds.record(Buffer.concat([tone(0.5), silence(1)]), tone(0.5));
  sounds.playForever();
  pane.keys('C-b');
  await pane.sees(/❯ What is the time\?[^]*It is noon here in the test\.[^]*♪ speaking/);
  assert.match(
    JSON.stringify(server.lastRequest.body.messages.at(-1)),
    /\[This was spoken\..*\]\\n\\nWhat is the time\?"/,
  );
  await until(() => sounds.played().some((sound) => sound.toString() === 'a sentence'));
  pane.keys('C-b');
  await pane.sees(/recording · Ctrl\+B sends it, Ctrl\+C throws it away/);
  pane.keys('C-c');
  await pane.sees(/● Ctrl\+B records/);
  pane.enter('/voice off');
  await pane.sees(/Voice mode is off\./);
  pane.enter('/exit');
  assert.equal(await pane.ended(), 0);
  assert.deepEqual(sounds.running(), []);
  assert.deepEqual(readdirSync(place.env['TMPDIR'] ?? ''), []);
});
