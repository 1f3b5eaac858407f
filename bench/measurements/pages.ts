/** What it takes to turn the bytes of a web page into Markdown, and how long everything else waits meanwhile. */
import { bundle } from '../parts/bundle.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';

const processes = 5;

export const pages: Measurement = {
  name: 'pages',
  async measure() {
    using built = await bundle('./src/tools/web/convert-page.ts', { 'page-worker': './src/tools/web/page-worker.ts' });
    const script = scriptFor(built.address);
    await built.run(script);
    const rounds: { readonly took: number; readonly held: number }[] = [];
    for (let round = 0; round < processes; round += 1) {
      const [took = 0, held = 0] = (await built.run(script)) as number[];
      rounds.push({ took, held });
    }
    const held = median(rounds.map((round) => round.held));
    return [
      {
        what: 'a page of 1 MB as Markdown',
        value: median(rounds.map(({ took }) => took)),
        unit: 'ms',
        mark: 150,
        detail: `median of ${processes} processes, from when it is there; the main thread was held up for ${inMs(held)} at most`,
      },
    ];
  },
};

/** The first page of a process, for which only the thread is there: paragraphs, links, lists, a table and code now and then. */
function scriptFor(module: string): string {
  return `
    const { PageConverter } = await import(${JSON.stringify(module)});
    const converter = new PageConverter();
    const paragraph = (at) => \`<div class="row"><p class="text" id="p\${at}">The heron number \${at} stands in the <a class="link" href="/birds/\${at}?from=list" title="Heron">shallow water</a>, <b>waits</b>, and <em>strikes</em>.</p></div>\\n\`;
    const rare = '<h2>Section</h2><ul><li>one</li><li>two</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code class="language-js">const a = 1;</code></pre>';
    let html = '<!doctype html><html><head><title>Herons</title><style>.gone { display: none }</style></head><body><nav><a href="/">Home</a></nav><main>';
    for (let at = 0; html.length < 1_000_000; at += 1) html += paragraph(at) + (at % 20 === 0 ? rare : '');
    let last = performance.now();
    let held = 0;
    const timer = setInterval(() => { const now = performance.now(); held = Math.max(held, now - last - 1); last = now; }, 1);
    // As long as a page of this size is on its way.
    await new Promise((resolve) => setTimeout(resolve, 300));
    held = 0;
    const startedAt = performance.now();
    const page = { text: html, url: 'https://example.org/', kind: 'html' };
    const { markdown } = await converter.convert(page, { signal: new AbortController().signal, timeoutMs: 60_000 });
    const took = performance.now() - startedAt;
    await converter[Symbol.asyncDispose]();
    clearInterval(timer);
    if (!markdown.includes('stands in the [shallow water](https://example.org/birds/7?from=list)')) throw new Error('not converted');
    console.log(JSON.stringify([took, held]));`;
}
