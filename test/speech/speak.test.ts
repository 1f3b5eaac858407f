/** Text becomes sound, at services over their wire formats and by programs of this machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExecutable } from '../../src/lib/is-executable.ts';
import { speechProblem } from '../../src/speech/can-speak.ts';
import { speak } from '../../src/speech/speak.ts';
import { edgeSound, startEdgeVoices } from '../fakes/edge-voices.ts';
import { type Routes, startJsonServer } from '../fakes/json-server.ts';
import { accessWith, patience, speakingAt } from './support.ts';

const route = 'POST /v1/audio/speech';
const sound: Routes = { [route]: { headers: { 'content-type': 'audio/mpeg' }, body: Buffer.from('ID3 sound') } };
const without = (program: string) => (isExecutable(`/usr/bin/${program}`) ? false : `${program} is not installed`);

async function serviceWith(t: Parameters<typeof accessWith>[0], routes: Routes) {
  const server = await startJsonServer(routes);
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

test('a server in OpenAI’s format is asked with the model, the voice and the speed that are set', async (t) => {
  const server = await serviceWith(t, sound);
  const openai = { base_url: `${server.url}/v1/`, api_key: 'sk-own-key-0001', voice: 'nova', speed: 1.5 };
  const access = await accessWith(t, { provider: 'OpenAI', openai });
  const speech = await speak('Hello.', 'mp3', access, patience());
  assert.deepEqual(speech, { bytes: Buffer.from('ID3 sound'), format: 'mp3', provider: 'openai', cut: false });
  const [asked] = server.requests;
  assert.equal(asked?.headers.authorization, 'Bearer sk-own-key-0001');
  assert.deepEqual(JSON.parse(asked?.body ?? ''), {
    model: 'gpt-4o-mini-tts',
    voice: 'nova',
    input: 'Hello.',
    response_format: 'mp3',
    speed: 1.5,
  });
  await speak('Hello.', 'ogg', access, patience());
  assert.equal(JSON.parse(server.requests[1]?.body ?? '').response_format, 'opus');
});

test('a key of the environment goes to no other host than its service’s', async (t) => {
  const server = await serviceWith(t, sound);
  const env = { VOICE_TOOLS_OPENAI_KEY: 'sk-voice-key-0001', OPENAI_API_KEY: 'sk-not-this-0002' };
  const elsewhere = await accessWith(t, { provider: 'openai', openai: { base_url: `${server.url}/v1` } }, env);
  await speak('Hello.', 'mp3', elsewhere, patience());
  assert.equal(server.requests[0]?.headers.authorization, undefined);
  for (const base_url of ['https://eu.api.openai.com/v1', undefined]) {
    const { output } = await accessWith(t, { provider: 'openai', openai: { base_url } }, env);
    assert.equal(output.kind === 'speaker' && output.speaker.key, 'sk-voice-key-0001');
  }
  for (const base_url of ['http://api.openai.com/v1', 'https://api.openai.com.example.org/v1']) {
    const { output } = await accessWith(t, { provider: 'openai', openai: { base_url } }, env);
    assert.deepEqual([output.kind, output.kind === 'speaker' && output.speaker.key], ['speaker', undefined], base_url);
  }
});

test('what cannot speak says why, and nothing else is asked in its place', async (t) => {
  const env = { OPENAI_API_KEY: '' };
  const { output } = await accessWith(t, { provider: 'openai' }, env);
  assert.equal(speechProblem(output, ''), 'VOICE_TOOLS_OPENAI_KEY or OPENAI_API_KEY is not set');
  const unknown = await accessWith(t, { provider: 'nobody' });
  assert.match(speechProblem(unknown.output, '') ?? '', /^tts\.provider 'nobody' is not in this build \(edge, /);
  await assert.rejects(speak('Hello.', 'mp3', unknown, patience()), /tts\.provider 'nobody'/);
  const espeak = await accessWith(t, { provider: 'espeak' });
  assert.match(speechProblem(espeak.output, '/nowhere') ?? '', /eSpeak NG is not installed/);
});

test('a service that refuses, says nothing or fails is told in one line without its key', async (t) => {
  for (const [answer, reason] of [
    [{ status: 401, body: { error: { message: 'bad key\nsk-own-key-0001' } } }, /^OpenAI: status 401: bad key \S+$/],
    [{ status: 500, body: '<html>\n' }, /^OpenAI: status 500: <html>$/],
    [{ status: 302, headers: { location: 'http://example.org/' } }, /^OpenAI: status 302/],
    [{ body: '' }, /^OpenAI: there is no sound in its answer$/],
  ] as const) {
    const server = await serviceWith(t, { [route]: answer });
    const openai = { base_url: `${server.url}/v1`, api_key: 'sk-own-key-0001' };
    const access = await accessWith(t, { provider: 'openai', openai });
    await assert.rejects(speak('Hello.', 'mp3', access, patience()), ({ message }: Error) => {
      assert.match(message, reason);
      assert.doesNotMatch(message, /sk-own-key-0001|\n/);
      return true;
    });
    assert.equal(server.requests.length, 1);
  }
});

test('a text that is too long is cut where the service, or the owner, has its limit', async (t) => {
  const server = await serviceWith(t, sound);
  const openai = { base_url: `${server.url}/v1` };
  const long = 'a'.repeat(6000);
  const heard = async (more: object) => {
    const access = await accessWith(t, { provider: 'openai', openai: { ...openai, ...more } });
    const { cut } = await speak(long, 'mp3', access, patience());
    return [JSON.parse(server.requests.at(-1)?.body ?? '').input.length, cut];
  };
  assert.deepEqual(await heard({}), [4096, true]);
  assert.deepEqual(await heard({ max_text_length: 100 }), [100, true]);
  assert.deepEqual(await heard({ max_text_length: 9000 }), [6000, false]);
});

test('without a word about it Edge’s voices speak, in marked-up pieces that the service takes', async (t) => {
  const server = await startEdgeVoices(t);
  const access = speakingAt(await accessWith(t, { edge: { voice: 'de-DE-KatjaNeural' }, speed: 1.25 }), server.url);
  const { bytes, format } = await speak('Tom & "Jerry" <3\u0007', 'mp3', access, patience());
  assert.deepEqual([bytes.toString(), format], [edgeSound.toString(), 'mp3']);
  const [connection] = server.connections;
  const [config = '', ssml = ''] = connection?.messages ?? [];
  assert.match(config, /^X-Timestamp:[^\r]+\r\nContent-Type:application\/json[^\r]*\r\nPath:speech\.config\r\n\r\n\{/);
  assert.match(config, /^X-Timestamp:\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT\+0000 \(Coordinated Universal Time\)\r/);
  assert.match(config, /"outputFormat":"audio-24khz-48kbitrate-mono-mp3"/);
  assert.match(
    ssml,
    /^X-RequestId:[0-9a-f]{32}\r\nContent-Type:application\/ssml\+xml\r\nX-Timestamp:[^\r]+Z\r\nPath:ssml\r\n\r\n<speak /,
  );
  assert.match(ssml, /<voice name='Microsoft Server Speech Text to Speech Voice \(de-DE, KatjaNeural\)'>/);
  assert.match(ssml, /rate='\+25%'[^>]*>Tom &amp; &quot;Jerry&quot; &lt;3<\/prosody>/);
  const url = new URL(connection?.request.url ?? '', server.url);
  assert.equal(url.pathname, '/readaloud/edge/v1');
  assert.match(url.searchParams.get('Sec-MS-GEC') ?? '', /^[0-9A-F]{64}$/);
  assert.match(connection?.request.headers['user-agent'] ?? '', /Edg\/143/);
  assert.match(connection?.request.headers.origin ?? '', /^chrome-extension:/);
  await speak('Wörter und mehr. '.repeat(400), 'mp3', access, patience());
  const pieces = server.connections
    .slice(1)
    .map(({ messages }) => /<prosody[^>]*>(.*)<\/prosody>/s.exec(messages[1] ?? '')?.[1] ?? '');
  assert.ok(pieces.length > 1 && pieces.every((piece) => Buffer.byteLength(piece) <= 4096), `${pieces.length}`);
  assert.equal(pieces.join(' '), 'Wörter und mehr. '.repeat(400).slice(0, 5000).trim());
});

test('Edge’s voices that refuse, break off, say nothing or hang are told in one line', async (t) => {
  for (const [answer, reason] of [
    ['refused', /^Edge: it cannot be reached, or takes nothing from here$/],
    ['breaks off', /^Edge: it broke off before all was spoken$/],
    ['silence', /^Edge: no sound came; look whether the voice/],
  ] as const) {
    const server = await startEdgeVoices(t, { answer });
    const access = speakingAt(await accessWith(t, {}), server.url);
    await assert.rejects(speak('Hello.', 'mp3', access, patience()), { message: reason });
  }
  const server = await startEdgeVoices(t, { answer: 'hangs' });
  const access = speakingAt(await accessWith(t, {}), server.url);
  const stopping = new AbortController();
  const spoken = speak('Hello.', 'mp3', access, stopping.signal);
  stopping.abort(new Error('stopped'));
  await assert.rejects(spoken, { message: 'stopped' });
});

test('through a proxy Edge’s voices are not asked around it', async (t) => {
  const access = await accessWith(t, {}, { HTTPS_PROXY: 'http://proxy.example:3128' });
  await assert.rejects(speak('Hello.', 'mp3', access, patience()), /^UserError: Edge: .*through a proxy/);
});

test('eSpeak NG speaks without a network, and ffmpeg makes of it what is wanted', {
  skip: without('espeak-ng') || without('ffmpeg'),
}, async (t) => {
  const access = await accessWith(t, { provider: 'espeak' });
  assert.equal(speechProblem(access.output, process.env['PATH'] ?? ''), undefined);
  const plain = await speak('--version\nHello.', 'wav', access, patience());
  assert.equal(Buffer.from(plain.bytes).subarray(0, 4).toString(), 'RIFF');
  const voice = await speak('Hello.', 'ogg', access, patience());
  assert.equal(voice.format, 'ogg');
  assert.match(Buffer.from(voice.bytes).subarray(0, 60).toString('latin1'), /^OggS.*OpusHead/s);
});

test('without ffmpeg sound stays what it is', { skip: without('espeak-ng') }, async (t) => {
  const { symlinkSync } = await import('node:fs');
  const access = await accessWith(t, { provider: 'espeak' });
  const folder = access.homePath;
  symlinkSync('/usr/bin/espeak-ng', `${folder}/espeak-ng`);
  const alone = { ...access, output: access.output, programs: () => ({ PATH: folder }) };
  assert.equal((await speak('Hello.', 'ogg', alone, patience())).format, 'wav');
});
