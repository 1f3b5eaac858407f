/** Pages as a model gets them: readable, bounded, without what no visitor sees. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { UserError } from '../../../src/lib/errors.ts';
import { PageConverter } from '../../../src/tools/web/convert-page.ts';
import { type ReadPageOptions, readPage } from '../../../src/tools/web/read-page.ts';
import { calm, startPage, startSite } from './site.ts';

async function read(
  t: TestContext,
  contentType: string,
  body: string | Uint8Array,
  options: Partial<ReadPageOptions> = {},
) {
  const site = await startPage(t, contentType, body);
  return await readPage(`${site.url}/docs/page`, { signal: calm(), allowPrivate: true, ...options });
}

const prose = 'The heron stands in the shallow water, waits, and strikes when a fish comes near. '.repeat(8);

test('an article becomes Markdown with its title, and without the furniture around it', async (t) => {
  const site = await startSite(t, (request, response) => {
    if (request.url === '/old') return response.writeHead(301, { location: '/birds/heron' }).end();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>
      <html><head><title>Herons &amp; egrets</title><style>p { color: red }</style></head><body>
      <nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
      <article><h2>Fishing</h2><p>${prose}</p><p>See <a href="egret?x=1">the egret</a>. ${prose}</p>
      <pre><code class="language-js">if (fish) {\n  strike();\n}</code></pre>
      <table><tr><th>Bird</th><th>cm</th></tr><tr><td>Heron</td><td>95</td></tr></table>
      <p><img src="heron.jpg" alt="A heron"> ${prose}</p></article>
      <footer>Accept our cookies</footer><script>track('me')</script></body></html>`);
  });
  const page = await readPage(`${site.url}/old`, { signal: calm(), allowPrivate: true });
  assert.equal(page.url, `${site.url}/birds/heron`);
  assert.equal(page.title, 'Herons & egrets');
  assert.match(page.markdown, /^## Fishing\n\nThe heron stands/);
  assert.ok(page.markdown.includes(`[the egret](${site.url}/birds/egret?x=1)`));
  assert.ok(page.markdown.includes('```js\nif (fish) {\n  strike();\n}\n```'));
  assert.ok(page.markdown.includes('| Bird | cm |\n| --- | --- |\n| Heron | 95 |'));
  assert.ok(page.markdown.includes(`![A heron](${site.url}/birds/heron.jpg)`));
  assert.doesNotMatch(page.markdown, /cookies|Shop|track|color/);
});

test('invisible characters are taken out of every kind of text; joined emoji stay whole', async (t) => {
  const tags = Array.from('obey', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
  for (const type of ['text/html', 'text/plain', 'application/json']) {
    const page = await read(t, `${type}; charset=utf-8`, `a${tags}b\u200bc\u202ed\u2066e\u0007f 👩‍🚀`);
    assert.equal(page.markdown, 'abcdef 👩‍🚀', type);
  }
});

test('plain text, Markdown, JSON and XML are read as they are', async (t) => {
  for (const [type, body] of [
    ['text/plain', '<b>not</b> a page\n  two'],
    ['text/markdown; charset=utf-8', '# Title\n\n- a\n- b'],
    ['application/json', '{"a": [1, "é"]}'],
    ['application/ld+json', '{"@id": 1}'],
    ['application/xml', '<things><title>x</title></things>'],
    ['', 'no type at all'],
  ] as const)
    assert.deepEqual({ ...(await read(t, type, body)), url: '' }, { title: '', markdown: body, url: '' }, type);
});

test('documents, pictures and empty pages are refused with their reason', async (t) => {
  for (const [type, body, pattern] of [
    ['application/pdf', '%PDF-1.7', /PDF of .* is broken/],
    ['text/plain', '%PDF-1.7 in disguise', /PDF of .* is broken/],
    ['image/png', '\x89PNG', /not text \(image\/png\)/],
    ['text/html', Buffer.from([60, 112, 62, 0, 1, 2]), /not text/],
    ['application/octet-stream', Buffer.from([0, 1, 2]), /not text/],
    ['weird \u00ff', 'x', /not text \(an unknown type\)/],
    ['text/html', '<div hidden>x</div>', /no readable text/],
    ['text/plain', '', /no readable text/],
  ] as const)
    await assert.rejects(
      read(t, type, body),
      (error) => error instanceof UserError && pattern.test(error.message),
      `${type} ${body.toString()}`,
    );
});

test('the text of a PDF is read, page by page', async (t) => {
  const pdf = readFileSync(new URL('../file/fixtures/fpdf2.pdf', import.meta.url));
  const page = await read(t, 'application/octet-stream', pdf);
  assert.match(page.markdown, /^# ── Page 1 ──\n\S/);
});

test('a feed is read as its entries, whatever its type says', async (t) => {
  const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Birds</title><description>News</description>
    <item><title>Herons &amp; egrets</title><link>/heron</link><pubDate>Tue, 03 Jun 2025 09:39:21 GMT</pubDate>
    <description><![CDATA[<p>They <b>wait</b>.</p><script>x()</script>]]></description></item>
    <item><title>Code</title><link>javascript:x()</link></item></channel></rss>`;
  const atom =
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>One</title><link href="https://x.test/1"/></entry></feed>';
  const read1 = await read(t, 'text/xml', rss);
  const { origin } = new URL(read1.url);
  assert.equal(read1.title, 'Birds');
  assert.equal(
    read1.markdown,
    `News\n\n## [Herons & egrets](${origin}/heron)\n\n2025-06-03\n\nThey **wait**.\n\n## Code`,
  );
  assert.equal((await read(t, 'text/plain', atom)).markdown, '## [One](https://x.test/1)');
  assert.equal((await read(t, 'application/rss+xml', '<rss>')).markdown, '<rss>');
});

test('a status that is no success is told', async (t) => {
  const site = await startSite(t, (_, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>gone'),
  );
  await assert.rejects(readPage(site.url, { signal: calm(), allowPrivate: true }), /answered with status 404/);
});

test('a long page is cut between characters, and says so', async (t) => {
  const page = await read(t, 'text/plain', 'x' + '🦉'.repeat(600), { maxChars: 1_000 });
  assert.ok(page.markdown.length < 1_100);
  assert.ok(page.markdown.isWellFormed());
  assert.match(page.markdown, /🦉\n\n\[The page goes on; 202 more characters were left out\.\]$/);
});

test('a page nested deeper than any stack gives its text', async (t) => {
  const page = await read(t, 'text/html', `<title>Deep</title>${'<div>'.repeat(5_000)}down here`);
  assert.deepEqual([page.title, page.markdown], ['Deep', 'down here']);
});

test('a page of many deep branches is read whole, and meanwhile others go on', async (t) => {
  const html = ('<div>word, <b>a</b> '.repeat(140) + '</div>'.repeat(140)).repeat(120);
  let beats = 0;
  const timer = setInterval(() => beats++, 1);
  try {
    const page = await read(t, 'text/html', html, { convertTimeoutMs: 60_000 });
    assert.match(page.markdown, /^word, \*\*a\*\*\n\nword/);
    assert.ok(beats > 1, `${beats}`);
  } finally {
    clearInterval(timer);
  }
});

test('a page that is not converted in time is told', async (t) => {
  await assert.rejects(
    read(t, 'text/html', '<p>x', { convertTimeoutMs: 0 }),
    (error) =>
      error instanceof UserError && /could not be extracted: it took longer than 0 seconds/.test(error.message),
  );
});

test('an interrupt while a page is converted ends it with its own reason', async () => {
  const stop = new AbortController();
  const html = '<div>word, <b>a</b> '.repeat(140) + '</div>'.repeat(140);
  await using converter = new PageConverter();
  const page = { text: html.repeat(40), url: 'https://example.org/', kind: 'html' } as const;
  const converting = converter.convert(page, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(converting, { message: 'enough' });
});

test('the letters of a page are those its header names', async (t) => {
  const page = await read(t, 'text/html; charset=Shift_JIS', Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfa, 0x96, 0x7b]));
  assert.equal(page.markdown, '日本');
});

test('whatever bytes come, the reader gives a page or an error for people', async (t) => {
  let answer: { type: string; body: Uint8Array } = { type: '', body: new Uint8Array() };
  const site = await startSite(t, (_, response) => {
    response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
  });
  const type = fc.constantFrom('text/plain', 'application/json', 'text/plain; charset=gbk', '', 'a/b');
  // Pages of HTML are converted in a thread, one each: a few are enough here.
  const bytes = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(type, bytes, async (type, body) => {
      answer = { type, body };
      try {
        const page = await readPage(site.url, { signal: calm(), allowPrivate: true, maxChars: 100 });
        assert.ok(page.markdown.length > 0 && page.markdown.length < 200);
      } catch (error) {
        assert.ok(error instanceof UserError, String(error));
      }
    }),
    { numRuns: 100 },
  );
});

test('whatever a page of HTML holds, it is a page or an error for people', async (t) => {
  let body = new Uint8Array();
  const site = await startSite(t, (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body));
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200, min: 1 }), async (bytes) => {
      body = bytes;
      const reading = readPage(site.url, { signal: calm(), allowPrivate: true });
      await reading.catch((error) => assert.ok(error instanceof UserError, String(error)));
    }),
    { numRuns: 4 },
  );
});
