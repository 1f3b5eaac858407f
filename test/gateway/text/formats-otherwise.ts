/** Where our text for a platform is not the original's, and why. */

interface Otherwise {
  readonly input: string;
  readonly platforms: readonly string[];
  readonly output: unknown;
  readonly why: string;
}

export const otherwise: readonly Otherwise[] = [
  {
    input: 'italic',
    platforms: ['google_chat'],
    output: 'an _italic_ and _other_ word',
    why: 'one star is bold there, and italic was meant',
  },
  {
    input: 'bold_italic',
    platforms: ['telegram', 'whatsapp'],
    output: 'a *_both_* word',
    why: 'three stars are bold and italic, not a stray star',
  },
  {
    input: 'bold_italic',
    platforms: ['signal'],
    output: { text: 'a both word', styles: ['2:4:BOLD', '2:4:ITALIC'] },
    why: 'three stars are bold and italic, not a stray star',
  },
  { input: 'strike', platforms: ['google_chat'], output: 'a ~gone~ word', why: 'one tilde strikes through there' },
  { input: 'strike', platforms: ['matrix_html'], output: 'a <del>gone</del> word', why: 'Matrix can strike through' },
  {
    input: 'fence',
    platforms: ['bluebubbles', 'line', 'sms', 'irc', 'plain'],
    output: 'before\nx = a_b * 2  # **no**\nafter',
    why: 'code is not Markdown: its stars stay, and no backtick is left over',
  },
  {
    input: 'fence',
    platforms: ['signal'],
    output: { text: 'before\nx = a_b * 2  # **no**\nafter', styles: ['7:21:MONOSPACE'] },
    why: 'code is not Markdown: its stars stay, and no backtick is left over',
  },
  {
    input: 'fence_nolang',
    platforms: ['bluebubbles', 'sms', 'irc', 'plain'],
    output: 'plain [x](y)',
    why: 'code is not Markdown: its brackets stay',
  },
  {
    input: 'fence_open',
    platforms: ['telegram'],
    output: '```js\nlet a = 1;\n```',
    why: 'a block that was not closed is code all the same',
  },
  {
    input: 'fence_open',
    platforms: ['line', 'irc'],
    output: 'let a = 1;',
    why: 'a block that was not closed is code all the same',
  },
  {
    input: 'fence_open',
    platforms: ['signal'],
    output: { text: 'let a = 1;', styles: ['0:10:MONOSPACE'] },
    why: 'a block that was not closed is code all the same',
  },
  {
    input: 'fence_open',
    platforms: ['matrix_html'],
    output: '<pre><code class="language-js">let a = 1;\n</code></pre>',
    why: 'a block that was not closed is code all the same',
  },
  {
    input: 'heading3',
    platforms: ['whatsapp', 'google_chat'],
    output: '*Small bold title*\ntext',
    why: 'a bold heading holds no second bold',
  },
  {
    input: 'link',
    platforms: ['bluebubbles', 'sms', 'plain'],
    output: 'see the docs (https://example.org/a_b?c=d&e=(f)) now',
    why: 'the address of a link is kept whole',
  },
  {
    input: 'link',
    platforms: ['google_chat'],
    output: 'see <https://example.org/a_b?c=d&e=(f)|the docs> now',
    why: 'the address of a link is kept whole',
  },
  {
    input: 'link_bold',
    platforms: ['bluebubbles', 'sms', 'plain'],
    output: 'docs (https://example.org)',
    why: 'a link in bold is a link',
  },
  {
    input: 'link_bold',
    platforms: ['google_chat'],
    output: '*<https://example.org|docs>*',
    why: 'a link in bold is a link',
  },
  {
    input: 'image',
    platforms: ['whatsapp', 'bluebubbles', 'line', 'sms', 'plain'],
    output: 'alt text (https://example.org/i.png)',
    why: 'no exclamation mark stays where a picture was, and its address is kept',
  },
  {
    input: 'image',
    platforms: ['google_chat'],
    output: '<https://example.org/i.png|alt text>',
    why: 'no exclamation mark stays where a picture was, and its address is kept',
  },
  {
    input: 'list',
    platforms: ['google_chat'],
    output: '- one\n- two\n  - nested\n* star',
    why: 'the levels of a list stay',
  },
  {
    input: 'list',
    platforms: ['matrix_html'],
    output: '<ul>\n<li>one</li>\n<li>two<ul>\n<li>nested</li>\n</ul>\n</li>\n</ul>\n<ul>\n<li>star</li>\n</ul>',
    why: 'the levels of a list stay',
  },
  {
    input: 'mention_all',
    platforms: ['slack'],
    output: '@everyone @here &lt;!channel&gt; <@U123> @room',
    why: 'a model cannot call everybody in a channel',
  },
  {
    input: 'snake',
    platforms: ['telegram'],
    output: 'snake\\_case\\_name and 2\\*3\\*4 and a\\*b',
    why: 'stars between digits multiply',
  },
  {
    input: 'snake',
    platforms: ['slack', 'whatsapp', 'bluebubbles', 'line', 'sms', 'irc', 'plain'],
    output: 'snake_case_name and 2*3*4 and a*b',
    why: 'stars between digits multiply',
  },
  {
    input: 'snake',
    platforms: ['signal'],
    output: { text: 'snake_case_name and 2*3*4 and a*b', styles: [] },
    why: 'stars between digits multiply',
  },
  {
    input: 'snake',
    platforms: ['feishu'],
    output: { type: 'text', payload: { text: 'snake_case_name and 2*3*4 and a*b' } },
    why: 'stars between digits multiply',
  },
  {
    input: 'emoji',
    platforms: ['google_chat'],
    output: 'ok 👍 *fett* 👨‍👩‍👧 done',
    why: 'emoji that are joined stay joined',
  },
  {
    input: 'backslash',
    platforms: ['telegram', 'slack', 'whatsapp'],
    output: '\\*not italic\\* and \\_x\\_',
    why: 'a mark with a backslash before it is no mark',
  },
  {
    input: 'backslash',
    platforms: ['bluebubbles', 'line', 'sms', 'irc', 'plain'],
    output: '*not italic* and _x_',
    why: 'a mark with a backslash before it is no mark',
  },
  {
    input: 'backslash',
    platforms: ['signal'],
    output: { text: '*not italic* and _x_', styles: [] },
    why: 'a mark with a backslash before it is no mark',
  },
  {
    input: 'nested',
    platforms: ['google_chat'],
    output: '*bold _and italic_ `code`*',
    why: 'marks within bold are marks, and no placeholder is left',
  },
  {
    input: 'nested',
    platforms: ['signal'],
    output: { text: 'bold and italic code', styles: ['0:20:BOLD', '5:10:ITALIC', '16:4:MONOSPACE'] },
    why: 'marks within bold are marks, and no placeholder is left',
  },
  { input: 'footnote', platforms: ['matrix_html'], output: 'text^1', why: 'a footnote is no address' },
];
