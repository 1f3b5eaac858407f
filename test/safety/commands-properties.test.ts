/** Properties of the judgement that hold for any text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isAllowlisted } from '../../src/safety/commands/allowlist.ts';
import { finding } from '../../src/safety/finding.ts';
import { judgeCommand } from '../../src/safety/commands/judge.ts';

const places = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  cwd: '/home/ann/work',
};

/** Pieces from which shell syntax is made, so that random texts come near to scripts. */
const shellPieces = fc.array(
  fc.constantFrom(
    'rm',
    '-rf',
    '/',
    ' ',
    ' ',
    '\n',
    ';',
    '&',
    '|',
    '&&',
    '(',
    ')',
    '{',
    '}',
    '"',
    "'",
    '`',
    '$',
    '$(',
    '${',
    '}',
    '<',
    '>',
    '<<EOF\n',
    'EOF\n',
    '<<<',
    '$((',
    '))',
    '[[',
    ']]',
    'if',
    'then',
    'fi',
    'for',
    'in',
    'do',
    'done',
    'case',
    'esac',
    'sudo',
    'bash',
    '-c',
    'eval',
    'x=',
    '$x',
    '\\',
    '*',
    '?',
    '[',
    ']',
    '#',
    '!',
    '~',
    '..',
    'find',
    '-exec',
    'xargs',
    '{a,b}',
    '\u001b[0m',
  ),
  { maxLength: 40 },
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  shellPieces.map((pieces) => pieces.join('')),
);

const word = fc.stringMatching(/^[a-z][a-z0-9./_-]{0,8}$/);
const argument = fc.oneof(
  word,
  fc.stringMatching(/^[A-Za-z0-9 ;&|<>(){}$`*?!#~.,/-]{0,12}$/).map((text) => `'${text}'`),
  fc.stringMatching(/^[A-Za-z0-9 ;&|<>(){}*?#~.,/-]{0,12}$/).map((text) => `"${text}"`),
);
const simpleCommand = fc
  .tuple(word, fc.array(argument, { maxLength: 4 }))
  .map(([name, args]) => [name, ...args].join(' '));

test('judging never throws and always ends in a judgement', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const judgement = judgeCommand(text, places);
      assert.ok(Array.isArray(judgement.findings));
    }),
    { numRuns: 1500 },
  );
});

test('a dangerous command behind a harmless one is always found', () => {
  const separator = fc.constantFrom(';', ' ; ', '\n', ' && ', ' || ', ' | ', ' & ');
  const dangerous = fc.constantFrom(
    'rm -rf x',
    'sudo rm -r x',
    'chmod 777 x',
    'curl x | sh',
    'find . -delete',
    'mkfs.ext4 x.img',
    'echo x > /etc/y',
  );
  fc.assert(
    fc.property(simpleCommand, separator, dangerous, (safe, between, bad) => {
      fc.pre(judgeCommand(safe, places).findings.length === 0);
      const judgement = judgeCommand(safe + between + bad, places);
      assert.ok(judgement.hardline !== undefined || judgement.findings.length > 0, safe + between + bad);
    }),
  );
});

test('the end of the machine is found wherever it stands', () => {
  const around = fc.constantFrom(
    (text: string) => `(${text})`,
    (text: string) => `{ ${text}; }`,
    (text: string) => `if ${text}; then :; fi`,
    (text: string) => `echo $(${text})`,
    (text: string) => `echo "$(${text})"`,
    (text: string) => `x=$(${text})`,
    (text: string) => `bash -c '${text}'`,
    (text: string) => `sudo ${text}`,
    (text: string) => `nohup ${text} &`,
    (text: string) => `! ${text}`,
    (text: string) => `f() { ${text}; }`,
    (text: string) => `while true; do ${text}; done`,
    (text: string) => `cat <(${text})`,
    (text: string) => `bash <<X\n${text}\nX`,
  );
  fc.assert(
    fc.property(simpleCommand, around, (before, wrap) => {
      const text = `${before}; ${wrap('rm -rf /')}`;
      assert.ok(judgeCommand(text, places).hardline, text);
    }),
  );
});

test('quoting, escaping and splitting a word into pieces does not hide it', () => {
  const disguise = fc.constantFrom(
    (letter: string) => letter,
    (letter: string) => `\\${letter}`,
    (letter: string) => `'${letter}'`,
    (letter: string) => `"${letter}"`,
    (letter: string) => `$'${letter}'`,
    (letter: string) => `$'\\x${letter.charCodeAt(0).toString(16)}'`,
    (letter: string) => `${letter}""`,
    (letter: string) => `${letter}\\\n`,
    (letter: string) => `\u001b[1m${letter}`,
    (letter: string) => `${letter}\u200d`,
    (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
  );
  fc.assert(
    fc.property(fc.array(disguise, { minLength: 5, maxLength: 5 }), (how) => {
      const [r, m, dash, r2, f] = how.map((apply, index) => apply('rm-rf'[index] ?? ''));
      const text = `${r}${m} ${dash}${r2}${f} build`;
      const keys = judgeCommand(text, places).findings.map((found) => found.key);
      assert.ok(keys.includes('recursive delete'), JSON.stringify(text));
    }),
  );
});

test('what is only quoted raises nothing', () => {
  const mention = fc.constantFrom(
    'rm -rf /',
    'rm -rf x',
    'DROP TABLE x',
    'curl x | sh',
    ':(){ :|:& };:',
    'chmod 777 x',
  );
  const speaker = fc.constantFrom(
    (text: string) => `echo '${text}'`,
    (text: string) => `git commit -m "${text}"`,
    (text: string) => `grep -rn '${text}' src`,
    (text: string) => `cat > notes.md <<'EOF'\n${text}\nEOF`,
    (text: string) => `# ${text}`,
  );
  fc.assert(
    fc.property(mention, speaker, (text, say) => {
      const { hardline, findings } = judgeCommand(say(text), places);
      assert.deepEqual([hardline, findings], [undefined, []]);
    }),
  );
});

test('long and deep texts are judged', () => {
  const doubling = Array.from({ length: 60 }, (_, index) => `v${index + 1}=$v${index}$v${index};`).join('');
  const texts = [
    '('.repeat(50_000),
    ':'.repeat(400_000),
    `rm ${'-r '.repeat(200_000)}`,
    `rm -${'r'.repeat(400_000)}`,
    '{'.repeat(50_000),
    '$('.repeat(20_000),
    `echo ${'{a,b}'.repeat(2_000)}`,
    `echo ${'x '.repeat(45_000)}`,
    'ls;'.repeat(30_000),
    `${'bash -c "'.repeat(30)}ls`,
    `echo ${'"'.repeat(90_000)}`,
    'rm '.repeat(30_000),
    'sudo '.repeat(19_000),
    '\u001b['.repeat(45_000),
    `v0=xx;${doubling}echo $v60`,
    `a=${'x'.repeat(4_000)}; echo ${'$a'.repeat(40_000)}`,
  ];
  // What takes exponential time never comes back: the time limit of the test is the judge.
  for (const text of texts) judgeCommand(text, places);
});

test('older allowlists keep working', () => {
  assert.ok(isAllowlisted(finding('recursive delete'), ['recursive delete']));
  assert.ok(isAllowlisted(finding('recursive delete'), ['rm']));
  assert.ok(isAllowlisted(finding('recursive delete'), ['rm\\s+-[^\\s]*r']));
  assert.ok(!isAllowlisted(finding('recursive delete'), ['find', 'chmod', 'format filesystem']));
});
