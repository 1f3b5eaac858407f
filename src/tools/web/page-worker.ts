/** Entry of the thread that converts one page: what a page makes slow or fills with memory is ended with the thread. */
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { PageSource } from './convert-page.ts';
import { feedToMarkdown } from './feed-to-markdown.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

/** Milliseconds, while the page is on its way: code that ran often is compiled, and converts a large page twice as fast. */
const warmUpMs = 120;

/** A bit of everything that pages are made of. */
const sample = `<!doctype html><html><head><title>t</title><style>.gone { display: none }</style></head><body>
  <nav class="menu"><a href="/">a</a></nav><main>${`<section id="s" class="row"><h2>Head</h2>
  <p class="text">Some words &amp; a <a class="link" href="/a?b=c" title="d">link to it</a>, <b>bold</b>, <em>other</em>.</p>
  <ul><li>one <code>x</code></li><li><span>two</span></li></ul><div><img src="/p.png" alt="p"><br></div>
  <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code class="language-js">y</code></pre>
  </section>`.repeat(40)}</main></body></html>`;

if (parentPort !== null) {
  const port = parentPort;
  const page = warmUp(port);
  if (page === undefined) port.once('message', (received: PageSource) => convert(port, received));
  else convert(port, page);
}

/** Until the page is there. */
function warmUp(port: MessagePort): PageSource | undefined {
  const startedAt = performance.now();
  while (performance.now() - startedAt < warmUpMs) {
    htmlToMarkdown(sample, 'https://example.org/');
    const received: { message: PageSource } | undefined = receiveMessageOnPort(port);
    if (received !== undefined) return received.message;
  }
  return undefined;
}

function convert(port: MessagePort, { text, url, kind }: PageSource): void {
  port.postMessage(kind === 'feed' ? feedToMarkdown(text, url) : htmlToMarkdown(text, url), []);
}
