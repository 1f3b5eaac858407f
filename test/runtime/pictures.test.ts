/** Pictures in a conversation: shown to a model that sees, told to one that does not, and the same bytes each time. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { type Content, type ImagePart, sourcesOf as messageSources } from '../../src/llm/message.ts';
import type { Program } from '../../src/runtime/program.ts';
import type { Session } from '../../src/runtime/session.ts';
import { MemoryWorkQueue } from '../../src/worker/memory-work-queue.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { makePng, pngChunk } from '../fakes/pictures.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { placeFor } from './support.ts';

const told = makePng(12, 8, { before: [pngChunk('tEXt', Buffer.from('Author\0SECRET'))] });
const plain = makePng(12, 8);
const address = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
const part = (url: string): ImagePart => ({ type: 'image_url', image_url: { url } });
const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';

async function conversation(t: TestContext, program: Program) {
  const worker = await openWorker(program, { surface: 'cli', human: headless }, { queue: new MemoryWorkQueue() });
  t.after(() => worker.close());
  const warnings: string[] = [];
  worker.listen((event) => {
    if (event.type === 'status' && event.kind === 'warning') warnings.push(event.message);
  });
  const say = async (content: Content): Promise<void> => {
    await worker.submit({ content });
    await worker.settled();
  };
  return { worker, session: worker.session, warnings, say };
}

async function start(t: TestContext, config = quiet) {
  const server = await startModelServer({ respond: () => ({ text: 'Seen.' }) });
  t.after(() => server.close());
  const place = placeFor(t, server, config);
  const program = await place.open();
  return { server, place, program, ...(await conversation(t, program)) };
}

const sourcesOf = (session: Session) => [
  ...new Set(session.agent.history.flatMap((message) => messageSources(message).map(({ from }) => from))),
];

/** What was sent as a text. */
const wordsOf = (content: unknown): string => (typeof content === 'string' ? content : '');

const sentIn = (server: ModelServer, index: number) =>
  server.requests[index]?.body.messages.filter(({ role }) => role === 'user').map(({ content }) => content);

test('a model that may see is shown the picture without what it tells beside its pixels, and again byte for byte', async (t) => {
  const { server, say, session } = await start(t);
  await say([{ type: 'text', text: 'what is it?' }, part(address(told))]);
  await say('sure?');
  const first = [{ type: 'text', text: 'what is it?' }, part(address(plain))];
  assert.deepEqual(sentIn(server, 0), [first]);
  assert.deepEqual(sentIn(server, 1), [first, 'sure?']);
  assert.deepEqual(sourcesOf(session).sort(), ['agent', 'file', 'user']);
  assert.deepEqual(server.violations, []);
});

test('a model that cannot see reads what another one says of it, once, and as the words of somebody else', async (t) => {
  const eyes = await startModelServer({ respond: () => ({ text: 'A red square that says STOP.' }) });
  t.after(() => eyes.close());
  const config = `  supports_vision: false\nauxiliary:\n  title_generation:\n    enabled: false\n  vision:\n    base_url: ${eyes.url}\n    model: eyes\n    api_key: k\n`;
  const { server, say, session } = await start(t, config);
  await say([{ type: 'text', text: 'what is it?' }, part(address(told))]);
  await say([{ type: 'text', text: 'and now?' }, part(address(told))]);
  assert.equal(eyes.requests.length, 1);
  const asked = eyes.lastRequest.body.messages.at(-1)?.content;
  assert.ok(Array.isArray(asked) && JSON.stringify(asked[1]) === JSON.stringify(part(address(plain))));
  const [first, second] = sentIn(server, 1) ?? [];
  assert.match(wordsOf(first), /another model says of it, as data[^]*A red square that says STOP\.\n\nwhat is it\?$/);
  assert.match(wordsOf(second), /A red square that says STOP\.\n\nand now\?$/);
  assert.equal(session.agent.history[0]?.content, 'what is it?');
  assert.ok(sourcesOf(session).includes('file'));
});

test('agent.image_input_mode decides over what is known of the model', async (t) => {
  const native = await start(t, `  supports_vision: false\nagent:\n  image_input_mode: native\n${quiet}`);
  await native.say([part(address(plain))]);
  assert.deepEqual(sentIn(native.server, 0), [[part(address(plain))]]);
  const text = await start(t, `agent:\n  image_input_mode: text\n${quiet}`);
  await text.say([part(address(plain))]);
  assert.deepEqual(text.server.requests.length, 2);
  assert.match(wordsOf(sentIn(text.server, 1)?.[0]), /another model says of it/);
});

test('where nobody sees, and where a picture is hostile, a word stands in its place and the person is told', async (t) => {
  const blind = await start(t, `  supports_vision: false\n${quiet}`);
  await blind.say([{ type: 'text', text: 'look' }, part(address(plain))]);
  assert.match(blind.warnings.join('\n'), /No model is set up that can look at pictures/);
  assert.match(wordsOf(sentIn(blind.server, 0)?.[0]), /^\[A picture could not be looked at: No model[^]*look$/);
  const { server, warnings, say } = await start(t);
  const bomb = Buffer.from(plain);
  bomb.writeUInt32BE(90_000, 16);
  bomb.writeUInt32BE(90_000, 20);
  await say([
    { type: 'text', text: 'look' },
    part(address(bomb)),
    part('data:image/png;base64,!!!'),
    part(address(plain)),
  ]);
  assert.match(warnings.join('\n'), /90000 × 90000 pixels[^]*its data is broken/);
  const [text, picture, ...more] = sentIn(server, 0)?.[0] ?? [];
  assert.match(JSON.stringify(text), /look.*90000 × 90000.*its data is broken/);
  assert.deepEqual([picture, more], [part(address(plain)), []]);
});

test('a model that cannot see goes on with a conversation in which there are pictures', async (t) => {
  const { server, place, program, session, say, worker } = await start(t);
  await say([{ type: 'text', text: 'what is it?' }, part(address(plain))]);
  await worker.close();
  await session.close('cli_close');
  const row = await program.store?.sessions.get(session.id);
  assert.ok(row !== undefined && row !== null);
  const { vision: _, ...route } = session.agent.route;
  const blind = await program.openSession({
    surface: 'cli',
    human: headless,
    resume: row,
    route: { ...route, vision: false },
  });
  await blind.agent.runConversation('and?');
  assert.match(wordsOf(sentIn(server, 1)?.[0]), /^what is it\?\n\[A picture was here; this model cannot see it\.\]/);
  await blind.close('cli_close');
  assert.ok(place.work);
});

test('a picture with an address is fetched by us, within the rules for addresses, and names its host', async (t) => {
  const asked: string[] = [];
  const web = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/x.png' }).end();
    else response.writeHead(request.url === '/gone' ? 404 : 200, { 'content-type': 'text/html' }).end(told);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  t.after(() => void web.close());
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const strict = await start(t);
  await strict.say([part(`${url}/a.png`)]);
  assert.deepEqual(asked, []);
  assert.match(strict.warnings.join(), /could not be looked at: Nothing was read from 127\.0\.0\.1/);
  const { server, session, warnings, say } = await start(t, `security:\n  allow_private_urls: true\n${quiet}`);
  await say([part(`${url}/a.png`)]);
  assert.deepEqual(sentIn(server, 0), [[part(address(plain))]]);
  assert.ok(
    session.agent.history.some(({ sources = [] }) => sources.some(({ name }) => name?.startsWith('127.0.0.1'))),
  );
  await say([{ type: 'text', text: 'x' }, part(`${url}/gone`), part(`${url}/away`)]);
  assert.match(warnings.join('\n'), /answered with status 404[^]*redirects to an address that is not asked/);
});
