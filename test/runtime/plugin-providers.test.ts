/** Plug-ins in the place of services: chosen by their names, called within bounds, and what they give is looked at like that of a stranger. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cloudBrowserVariables } from '../../src/config/cloud-browser-variables.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { configuredCloud } from '../../src/runtime/configured-cloud.ts';
import { hearing } from '../../src/runtime/hearing.ts';
import { makePng } from '../fakes/pictures.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';
import { chatAt, placeFor, textOf } from './support.ts';

const browserUse = { kind: 'none' } as const;
function text(value: unknown): string {
  assert.ok(typeof value === 'string', JSON.stringify(value));
  return value;
}

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });

/** A conversation with one plug-in, and the result of a call of a tool in it. */
async function chatWith(t: TestContext, code: string, config: string) {
  const server = await startModelServer();
  t.after(() => server[Symbol.asyncDispose]());
  const home = homeWithPlugins(t, { acme: code });
  const place = placeFor(t, server, `plugins: {enabled: [acme]}\n${config}`, { home });
  const chat = await chatAt(place);
  const use = async (name: string, args: object) => {
    server.enqueue(call(name, args), { text: 'ok' });
    await chat.say('go on');
    const result = textOf(server.lastRequest.body.messages.at(-1));
    // What may be a stranger's stands between lines that say so.
    const read = parseJson(result.replace(/^[^{]*/, '').replace(/[^}]*$/, ''));
    assert.ok(isJsonObject(read), result);
    return read;
  };
  const offered = () => server.lastRequest.body.tools?.map((tool) => tool.function.name) ?? [];
  return { chat, place, use, offered };
}

const web = `import { writeFileSync } from 'node:fs';
class Acme {
  name = 'acme';
  display_name = 'Acme Search';
  #results = [{ title: 'One', url: 'https://one.example/', description: 'first' }, { title: 'Two', url: 'https://two.example/' }];
  is_available() { return true; }
  search(query, limit, { signal }) {
    if (query === 'fail') throw new Error('no luck\\n with it');
    if (query === 'odd') return { success: true, data: 7 };
    if (query === 'told') return { success: false, error: 'quota' };
    return { success: true, data: { web: this.#results } };
  }
  async extract(urls) {
    writeFileSync(import.meta.dirname + '/asked', urls.join(' '));
    return urls.map((url) => url.endsWith('/moved')
      ? { url: 'http://169.254.169.254/latest', title: 'keys', content: 'secret' }
      : { url, title: 'Page', content: '', raw_content: 'the page' });
  }
}
export default (ctx) => ctx.registerWebSearchProvider(new Acme());`;

test('a plug-in searches and reads pages when it is named, and fails like any other service', async (t) => {
  const { use, chat } = await chatWith(t, web, 'web: {backend: acme}\n');
  assert.deepEqual(await use('web_search', { query: 'x', limit: 1 }), {
    success: true,
    data: { web: [{ title: 'One', url: 'https://one.example/', description: 'first', position: 1 }] },
  });
  assert.deepEqual(await use('web_search', { query: 'fail' }), {
    success: false,
    error: 'Acme Search: no luck with it',
  });
  assert.deepEqual(await use('web_search', { query: 'told' }), { success: false, error: 'Acme Search: quota' });
  assert.match(text((await use('web_search', { query: 'odd' }))['error']), /gave an answer that cannot be used/);
  const sources = await chat.store.sessions.sources(chat.session.id);
  assert.ok(sources.some(({ from, name }) => from === 'page' && name === 'plug-in acme'));
});

test('what a plug-in reads is held to the rules for addresses, before and after', async (t) => {
  const { use, place } = await chatWith(t, web, 'web: {extract_backend: acme}\n');
  const urls = ['http://127.0.0.1:9/admin', 'http://93.184.216.34/page', 'http://93.184.216.34/moved'];
  const { results } = await use('web_extract', { urls });
  assert.ok(Array.isArray(results));
  const [own, page, moved] = results.filter(isJsonObject);
  assert.match(text(own?.['error']), /private or internal/);
  assert.deepEqual([page?.['title'], page?.['content'], page?.['error']], ['Page', 'the page', null]);
  assert.ok(moved?.['error'] !== null && moved?.['content'] === '', JSON.stringify(moved));
  assert.equal(place.read('plugins/acme/asked'), urls.slice(1).join(' '));
});

test('one that is not set up is said to be so, and nobody else is asked in its place', async (t) => {
  const code = web.replace('return true', "throw new Error('x')");
  const { use } = await chatWith(t, code, 'web: {search_backend: acme}\n');
  assert.deepEqual(await use('web_search', { query: 'x' }), {
    success: false,
    error: "web.search_backend is 'acme', and what the plug-in acme needs is not set.",
  });
});

const pictures = `import { writeFileSync } from 'node:fs';
export default (ctx) => {
  ctx.registerImageGenProvider({ name: 'acme', display_name: 'Acme', list_models: () => [{ id: 'fine' }, 'quick'],
    capabilities: () => ({ modalities: ['text', 'image'], max_reference_images: 1 }),
    generate: (prompt, ratio, { model, image_url }) => {
      if (prompt === 'text') return { success: true, image: import.meta.dirname + '/index.mjs' };
      if (prompt === 'inside') return { success: true, image: 'http://127.0.0.1:9/a.png' };
      if (prompt === 'fail') return { success: false, error: 'not nice' };
      writeFileSync(import.meta.dirname + '/asked', JSON.stringify({ ratio, model, image: image_url?.slice(0, 22) }));
      return { success: true, image: import.meta.dirname + '/made.png' };
    } });
  ctx.registerVideoGenProvider({ name: 'acme', capabilities: () => ({ min_duration: 2, max_duration: 9 }),
    generate: (prompt, { duration, aspect_ratio }) => ({ success: true, duration,
      video: import.meta.dirname + (prompt === 'text' ? '/index.mjs' : '/made.mp4') }) });
};`;

test('a plug-in makes pictures: what it made is kept, and only when it is a picture that may be read', async (t) => {
  const { use, place, offered } = await chatWith(t, pictures, 'image_gen: {provider: acme, model: quick}\n');
  const png = makePng(2, 2);
  writeFileSync(join(place.homePath, 'plugins/acme/made.png'), png);
  place.put('own.png', '');
  writeFileSync(join(place.work, 'own.png'), png);
  const made = await use('image_generate', { prompt: 'a cat', aspect_ratio: 'square', image_url: 'own.png' });
  assert.ok(offered().includes('image_generate'));
  assert.deepEqual(
    { ...made, image: '' },
    {
      success: true,
      image: '',
      model: 'quick',
      prompt: 'a cat',
      aspect_ratio: 'square',
      modality: 'image',
      provider: 'acme',
    },
  );
  assert.ok(text(made['image']).startsWith(join(place.homePath, 'cache', 'images')));
  assert.deepEqual(readFileSync(text(made['image'])), png);
  assert.match(place.read('plugins/acme/asked'), /"ratio":"square","model":"quick","image":"data:image\/png;base64/);
  assert.match(text((await use('image_generate', { prompt: 'text' }))['error']), /no picture/);
  const other = await chatWith(t, pictures, 'image_gen: {provider: acme}\n');
  assert.match(text((await other.use('image_generate', { prompt: 'fail' }))['error']), /^Acme: not nice$/);
  const third = await chatWith(t, pictures, 'image_gen: {provider: acme}\n');
  const inside = await third.use('image_generate', { prompt: 'inside' });
  assert.deepEqual([inside['success'], inside['error_type']], [false, 'io_error'], JSON.stringify(inside));
});

test('a plug-in makes videos', async (t) => {
  const { use, place } = await chatWith(
    t,
    pictures,
    'video_gen: {provider: acme}\nplatform_toolsets: {cli: [video_gen]}\n',
  );
  const mp4 = Buffer.from('\0\0\0\x18ftypmp42 and so on', 'latin1');
  writeFileSync(join(place.homePath, 'plugins/acme/made.mp4'), mp4);
  const made = await use('video_generate', { prompt: 'a cat', duration: 3 });
  assert.deepEqual([made['success'], made['duration'], made['provider']], [true, 3, 'acme'], JSON.stringify(made));
  assert.deepEqual(readFileSync(text(made['video'])), mp4);
  assert.match(text((await use('video_generate', { prompt: 'text' }))['error']), /neither an MP4 nor a WebM/);
});

const speech = `import { writeFileSync, readFileSync } from 'node:fs';
export default (ctx) => {
  ctx.registerTtsProvider({ name: 'acme', display_name: 'Acme Voice', default_voice: () => 'ann', list_models: () => [{ id: 'm', max_text_length: 10 }],
    synthesize: async (text, path, { voice, model, speed, format }) => {
      if (text === 'away') return '/etc/hostname';
      if (text === 'fail') throw new Error('hoarse');
      const made = format === 'mp3' ? path : path.replace(/\\w+$/, 'mp3');
      writeFileSync(made, [text, voice, model, speed, format].join('|'));
      return made;
    } });
  ctx.registerTranscriptionProvider({ name: 'acme',
    transcribe: (path, { language }) => ({ success: true, transcript: language + ':' + readFileSync(path, 'utf8'), provider: 'acme' }) });
};`;

test('a plug-in speaks, with the settings of its name; where it fails that is told', async (t) => {
  const { use } = await chatWith(t, speech, 'tts: {provider: acme, acme: {voice: bob, speed: 1.5}}\n');
  const said = await use('text_to_speech', { text: 'one two three' });
  assert.deepEqual([said['success'], said['provider']], [true, 'acme'], JSON.stringify(said));
  assert.equal(readFileSync(text(said['file_path']), 'utf8'), 'one two th|bob|m|1.5|mp3');
  assert.match(text((await use('text_to_speech', { text: 'fail' }))['error']), /^Acme Voice: hoarse$/);
  const other = await chatWith(t, speech, 'tts: {provider: acme}\n');
  assert.match(text((await other.use('text_to_speech', { text: 'away' }))['error']), /somewhere else/);
});

test('a program of tts.providers goes before a plug-in of the same name', async (t) => {
  const own = 'tts: {provider: acme, providers: {acme: {command: "cat {input_path} > {output_path}"}}}\n';
  const { use } = await chatWith(t, speech, own);
  assert.equal(readFileSync(text((await use('text_to_speech', { text: 'hi' }))['file_path']), 'utf8'), 'hi');
});

test('a plug-in hears what was said when stt.provider names it', async (t) => {
  const home = homeWithPlugins(t, { acme: speech });
  const place = placeFor(t, undefined, 'plugins: {enabled: [acme]}\nstt: {provider: acme, language: de}\n', { home });
  const sound = place.put('a.ogg', 'guten Tag');
  const { options, plugins } = await place.open();
  const signal = new AbortController().signal;
  assert.equal(await hearing({ ...options, plugins }).read(sound, signal), 'de:guten Tag');
  await assert.rejects(hearing(options).read(sound, signal), /stt\.provider 'acme' is none of/);
});

test('a plug-in lends browsers when browser.cloud_provider names it, and gets each back', async (t) => {
  const code = `import { appendFileSync } from 'node:fs';
  const note = (line) => appendFileSync(import.meta.dirname + '/noted', line);
  export default (ctx) => ctx.registerBrowserProvider({ name: 'acme',
    create_session: () => ({ bb_session_id: 'b/1', cdp_url: 'wss://browsers.example/1' }),
    close_session: (id) => { note('closed ' + id); throw new Error('gone'); },
    emergency_cleanup: (id) => note(' cleaned ' + id) });`;
  const home = homeWithPlugins(t, { acme: code });
  const place = placeFor(t, undefined, 'plugins: {enabled: [acme]}\nbrowser: {cloud_provider: acme}\n', { home });
  const { options, plugins, log } = await place.open();
  const fetch = () => Promise.reject(new Error('nobody is asked'));
  assert.equal(configuredCloud({ ...options, plugins, log }, fetch)?.name, 'acme');
  await assert.rejects(async () => await configuredCloud({ ...options, log }, fetch)?.backend(), /is not one of/);
  const [entry] = plugins.added?.browsers ?? [];
  assert.ok(entry !== undefined);
  const access = { fetch, cloud: cloudBrowserVariables({}), browserUse, firecrawl: { key: undefined, url: undefined } };
  const request = { access, signal: AbortSignal.timeout(5000) };
  const service = await entry.load();
  assert.deepEqual(await service.start(request), { id: 'b/1', endpoint: 'wss://browsers.example/1' });
  await service.end('b/1', request);
  assert.equal(place.read('plugins/acme/noted'), 'closed b/1 cleaned b/1');
});

test('a name of the program stays with it, and one of two plug-ins with the first; it is told, and the rest is there', async (t) => {
  const one = (name: string) => `export default (ctx) => {
    ctx.registerTtsProvider({ name: '${name}', synthesize: () => undefined });
    ctx.registerImageGenProvider({ name: 'same', generate: () => undefined });
  };`;
  const home = homeWithPlugins(t, {
    acme: one('edge'),
    beta: one('beta'),
    gamma: `export default (ctx) => ctx.registerTtsProvider({ name: 'gamma' });`,
  });
  const { plugins, warnings } = await placeFor(t, undefined, 'plugins: {enabled: [acme, beta, gamma]}\n', {
    home,
  }).open();
  assert.deepEqual(
    plugins.providers.map(({ kind, name, plugin }) => `${plugin}: ${kind} ${name}`),
    ['acme: image same', 'beta: tts beta'],
  );
  assert.deepEqual(warnings, [
    "plugins: acme: its speaker 'edge' is left out: the program has one of that name",
    "plugins: beta: its provider of pictures 'same' is left out: the plug-in acme has one of that name",
    'plugins: gamma cannot be loaded: registerTtsProvider: a speaker needs synthesize',
  ]);
});
