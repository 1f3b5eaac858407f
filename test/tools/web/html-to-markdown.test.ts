/** HTML as it is turned into Markdown: hidden things dropped, broken markup survived. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { htmlToMarkdown as convert } from '../../../src/tools/web/html-to-markdown.ts';

const prose = 'The heron stands in the shallow water, waits, and strikes when a fish comes near. '.repeat(8);

function htmlToMarkdown(html: string) {
  return convert(html, 'https://example.org/docs/page');
}

test('what a visitor does not see does not reach the model', () => {
  const hidden = [
    '<!-- HIDDEN -->',
    '<div style="display:none">HIDDEN</div>',
    '<div style="color: red; DISPLAY : none !important">HIDDEN</div>',
    '<div style="display:/* x */none">HIDDEN</div>',
    '<span style="visibility: hidden">HIDDEN</span>',
    '<span style="opacity:0">HIDDEN</span>',
    '<span style="font-size:0px">HIDDEN</span>',
    '<p style="position:absolute;left:-9999px">HIDDEN</p>',
    '<p hidden>HIDDEN</p>',
    '<p aria-hidden="true">HIDDEN</p>',
    '<script>HIDDEN</script>',
    '<style>HIDDEN</style>',
    '<noscript>HIDDEN</noscript>',
    '<template><p>HIDDEN</p></template>',
    '<iframe>HIDDEN</iframe>',
    '<textarea>HIDDEN</textarea>',
    '<select><option>HIDDEN</select>',
    '<svg><text>HIDDEN</text></svg>',
    '<a href="javascript:HIDDEN()">link</a>',
    '<img src="data:image/png;base64,HIDDEN">',
  ];
  for (const frame of [prose, 'short']) {
    const page = htmlToMarkdown(`<body><p>${frame}</p>${hidden.join('\n')}<p>last ${frame}</p></body>`);
    assert.doesNotMatch(page.markdown, /HIDDEN/);
    assert.match(page.markdown, /last/);
  }
  const seen = htmlToMarkdown('<p style="opacity:0.5;font-size:0.8em">faint</p><p aria-hidden="false">there</p>');
  assert.match(seen.markdown, /faint\s+there/);
});

test('a page of broken markup still gives its text', () => {
  for (const [html, pattern] of [
    ['just <b>words', /just \*\*words\*\*/],
    ['<p>one<p>two<div>three</p></span>', /one\s+two\s+three/],
    ['<html><body>a</body></html><p>behind', /a\s+behind/],
    ['<table><td>cell<tr><td>next', /cell[^]*next/],
    ['<a href="x>broken</a> <p class="y">more', /more/],
    ['<body><body><head><title>t</title><p>in the head', /in the head/],
    ['<ul><li>a<ul><li>b</ul><li>c', /- a\n {2}- b\n- c/],
    ['<p>a</p><div <p>b</p>', /a/],
  ] as const)
    assert.match(htmlToMarkdown(html).markdown, pattern, html);
});

test('a short page and a page of links are read whole', () => {
  const links = Array.from({ length: 30 }, (_, at) => `<li><a href="/${at}">Story ${at}</a></li>`).join('');
  const page = htmlToMarkdown(`<title>News</title><div><ul>${links}</ul></div>`);
  assert.match(page.markdown, /Story 0\]/);
  assert.match(page.markdown, /Story 29\]/);
});

test('what a style sheet of the page hides is dropped; what another rule may show stays', () => {
  const { markdown } = htmlToMarkdown(`<style>
      @import "x.css"; /* .a { display: none } */
      .gone, #away { color: red; display: none }
      .pane { display: none } .pane.active { display: block }
      .fade { opacity: 0 }
      @media print { .menu { display: none } .b { color: red } }
      .last{visibility:hidden}
    </style>
    <p class="x gone">HIDDEN</p><p id="away">HIDDEN</p><p class="last">HIDDEN</p><p class="pane">HIDDEN</p>
    <p class="pane active">one</p><p class="fade">two</p><p class="menu">three</p><p class="a">four</p>`);
  assert.equal(markdown, 'one\n\ntwo\n\nthree\n\nfour');
});

test('links are written whole, from the base that the page names; links that run code are text', () => {
  const { markdown } = htmlToMarkdown(
    '<base href="/other/"><a href="x">x</a> <a href="//b.example/">b</a> <a href="javascript:x()">code</a> <a href="#n">n</a>',
  );
  assert.equal(
    markdown,
    '[x](https://example.org/other/x) [b](https://b.example/) code [n](https://example.org/other/#n)',
  );
});

test('the title is one bounded line', () => {
  assert.equal(htmlToMarkdown('<title>a\n  b</title>x').title, 'a b');
  assert.equal(htmlToMarkdown(`<title>${'x'.repeat(5_000)}</title>x`).title.length, 300);
});

const pieces = fc.constantFrom(
  ...'<p> </p> <div> </div> <b> </b> <table> <tr> <td> </table> <ul> <li> </ul> <a> </a> <pre> <code> <h1> </html> <body> text'.split(
    ' ',
  ),
);
const anything = fc.oneof(
  pieces,
  fc.constantFrom(
    '<',
    '>',
    '<!',
    '<!--',
    '-->',
    '<![CDATA[',
    '<p class=',
    '"',
    '<script>',
    '</',
    '<title>',
    '&',
    '&#x;',
    '<svg>',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

test('any soup of tags is converted', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 40 }), (parts) => {
      const { title, markdown } = htmlToMarkdown(parts.join(''));
      assert.ok(title.length <= 300 && typeof markdown === 'string');
    }),
    { numRuns: 150 },
  );
});

test('whatever tags stand around it, a hidden element stays hidden and a visible word visible', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 15 }), fc.array(pieces, { maxLength: 15 }), (before, after) => {
      const hidden = '<div style="display:none">HIDDEN</div><!--HIDDEN-->';
      const { markdown } = htmlToMarkdown([...before, hidden, 'VISIBLE', ...after].join(''));
      assert.ok(!markdown.includes('HIDDEN'));
      assert.ok(markdown.includes('VISIBLE'));
    }),
    { numRuns: 150, examples: [[['<pre>', '<table>', '<code>', '<td>'], []]] },
  );
});

/** Where each tag is looked for in all that are open, these take minutes. */
test('however many tags are within each other, their text is read, and what the first hides stays hidden', () => {
  for (const tag of ['<x-y>', '<div>', '<x></y>', '<body>', '<b></i>']) {
    const deep = tag.repeat(400_000);
    assert.match(htmlToMarkdown(`${deep}<title>Deep</title>The end &amp; all`).markdown, /The end & all/, tag);
    const hidden = `<div hidden>${deep}SECRET${tag === '<body>' ? '</body>' : ''}`;
    assert.doesNotMatch(htmlToMarkdown(hidden).markdown, /SECRET/, tag);
  }
});
