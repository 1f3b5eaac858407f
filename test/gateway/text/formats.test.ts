/** Answers are written in each platform's marks as the original writes them; where not, the reason stands here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { formatParts } from '../../../src/gateway/text/format-parts.ts';
import { textRules } from '../../../src/gateway/text/formats/catalogue.ts';
import { toFeishu } from '../../../src/gateway/text/formats/feishu.ts';
import { toMatrix, toMatrixHtml } from '../../../src/gateway/text/formats/matrix.ts';
import { toPlain } from '../../../src/gateway/text/formats/plain.ts';
import { toSignal } from '../../../src/gateway/text/formats/signal.ts';
import { measure } from '../../../src/gateway/text/length.ts';
import { otherwise } from './formats-otherwise.ts';

const golden = z
  .object({ format: z.record(z.string(), z.looseObject({ in: z.string() })) })
  .parse(JSON.parse(readFileSync(new URL('../golden/format.json', import.meta.url), 'utf8'))).format;

const formatters: Record<string, (markdown: string) => unknown> = {
  matrix_html: toMatrixHtml,
  plain: toPlain,
  signal: toSignal,
  feishu: toFeishu,
};

const platforms =
  'telegram discord slack whatsapp mattermost weixin qqbot bluebubbles google_chat line photon sms signal irc feishu dingtalk plain matrix_html'.split(
    ' ',
  );

const formatOf = (platform: string) => formatters[platform] ?? textRules(platform).format;
/** Some platforms share theirs. */
const formats = new Set(platforms.map(formatOf));

for (const platform of platforms) {
  test(`${platform} gets what the original sends, or something better for a reason`, () => {
    const format = formatOf(platform);
    const used = new Set<string>();
    for (const [name, example] of Object.entries(golden)) {
      const theirs = example[platform] === '=' ? example.in : example[platform];
      const ours = otherwise.find((one) => one.input === name && one.platforms.includes(platform));
      if (ours !== undefined) used.add(name);
      const expected = ours === undefined ? theirs : ours.output;
      if (ours !== undefined) assert.notDeepEqual(ours.output, theirs, `${name} is no longer different`);
      assert.deepEqual(format(example.in), expected, `${platform}: ${name}`);
    }
    const listed = otherwise.filter((one) => one.platforms.includes(platform)).map(({ input }) => input);
    assert.deepEqual([...used].sort(), listed.sort());
  });
}

test('the parts of a long answer are within the limit once they are formatted, and keep their blocks', () => {
  const answer = `${'A sentence. With (many) special - marks! '.repeat(200)}\n\`\`\`sh\n${'echo "a.b"; ls -la\n'.repeat(300)}\`\`\`\nEnd.`;
  for (const platform of ['telegram', 'discord', 'slack', 'whatsapp', 'sms', 'irc', 'google_chat']) {
    const rules = textRules(platform);
    const parts = formatParts(answer, { ...rules, textOf: (text) => text });
    for (const part of parts) assert.ok(measure(part, rules.unit) <= rules.limit, platform);
    if (platform !== 'telegram') continue;
    assert.match(parts[0] ?? '', / \\\(1\/\d+\\\)$/);
    for (const part of parts) assert.equal((part.match(/^```/gm)?.length ?? 0) % 2, 0);
  }
});

test('whatever an answer holds, its parts fit and no format throws', () => {
  const pieces = fc.oneof(
    fc.constantFrom('**', '*', '_', '__', '~~', '`', '```\n', '[a](https://e.org/x)', '![b](https://e.org/i.png)'),
    fc.constantFrom('# ', '- ', '> ', '| a | b |\n|---|---|\n', '\n', ' ', '<!channel>', '&', '\\', '👨‍👩‍👧', '世界'),
    fc.string({ maxLength: 10 }),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.constantFrom(...platforms), (list, platform) => {
      const markdown = list.join('');
      const format = formatOf(platform);
      format(markdown);
      const { unit } = textRules(platform);
      const parts = formatParts(markdown, { ...textRules(platform), limit: 120, textOf: (text) => text });
      for (const part of parts) assert.ok(measure(part, unit) <= 120);
    }),
    { numRuns: 500 },
  );
});

test('hostile answers take no time that grows with their square', () => {
  for (const piece of ['*a ', '_a ', '**', '~~a', '[', '![', '`', '``a', '[a](', '*_', 'https://', '| a ', '\\']) {
    const answer = piece.repeat(8000);
    for (const format of formats) format(answer);
  }
});

test('Matrix gets emphasis in answers with many marks, but for what no person writes', () => {
  const list = '- **a** b\n'.repeat(900);
  assert.equal(toMatrixHtml(list).match(/<strong>a<\/strong>/g)?.length, 900);
  const many = toMatrixHtml(`${'*a '.repeat(8000)}\n\n~~end~~ *of*`);
  assert.ok(many.startsWith('<p>*a *a'));
  assert.ok(many.endsWith('<del>end</del> *of*</p>'));
});

test('Matrix gets no address that runs a program, no picture from elsewhere, and whole tags', () => {
  const html: Record<string, string> = {
    '<a href="javascript:alert(1)">x</a>': 'x',
    '[x](javascript:alert(1))': 'x',
    '<img src="https://e.org/x.png"><img src="mxc://a/b" onerror=1>y': '<img src="mxc://a/b">y',
    '<b>open <i>twice</b> x': '<b>open <i>twice</i></b> x',
    '<b onclick=x style="position:fixed">x</b>': '<b>x</b>',
    'a <style>b</style> c': 'a  c',
    '[x](https://e.org/"onmouseover="a)': '<a href="https://e.org/%22onmouseover=%22a">x</a>',
    '```"><b>\nx<y\n```': '<pre><code>x&lt;y\n</code></pre>',
  };
  for (const [markdown, expected] of Object.entries(html)) assert.equal(toMatrixHtml(markdown), expected);
});

test('what stands in angle brackets for something else is seen in Matrix, as everywhere', () => {
  const html: Record<string, string> = {
    'Switch with `/model` or /model <provider>:<Name>':
      'Switch with <code>/model</code> or /model &lt;provider&gt;:&lt;Name&gt;',
    '**Usage**: /steer <your prompt>': '<strong>Usage</strong>: /steer &lt;your prompt&gt;',
    'a Vec<String> *b*': 'a Vec&lt;String&gt; <em>b</em>',
    'press <kbd>K</kbd> <x onload=1>**b**': 'press K <strong>b</strong>',
  };
  for (const [markdown, expected] of Object.entries(html)) assert.equal(toMatrixHtml(markdown), expected);
  assert.deepEqual(toMatrix('Usage: /steer <prompt>'), { body: 'Usage: /steer <prompt>' });
});

test('Matrix gets HTML only where there is something to mark, and bold beside Chinese and Japanese text', () => {
  assert.deepEqual(toMatrix('Hello "there" & you.'), { body: 'Hello "there" & you.' });
  assert.deepEqual(toMatrix('a **b**'), { body: 'a **b**', formatted_body: 'a <strong>b</strong>' });
  assert.equal(toMatrixHtml('你好**世界。**再见'), '你好<strong>世界。</strong>再见');
  assert.equal(toMatrixHtml('**“引用”**说'), '<strong>“引用”</strong>说');
});
