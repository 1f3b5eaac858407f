/** What holds for every harmless command and for any arguments at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Field } from '../../../src/safety/commands/fields.ts';
import type { SimpleCommand } from '../../../src/safety/commands/simple-command.ts';
import { knowCall } from '../../../src/safety/programs/catalogue.ts';
import { programs } from '../../../src/safety/programs/programs.ts';
import { everydayClasses } from '../corpora/everyday.ts';
import { verdictOf } from '../corpora/verdict.ts';

/** One call each, so that a word behind it is an argument of it. */
const single = everydayClasses
  .flatMap(({ commands }) => commands)
  .filter(
    (text) =>
      /^[\w./-]+(?: [^|;&<>()#\n]*)?$/.test(text) && !/\b(?:if|for|while|until|case|do|then)\b|--$| -- /.test(text),
  )
  .filter((text) => verdictOf(text).verdict === 'harmless');

/** Shell words that take any text for what it is: they print it, compare it or change into it. */
const takesAnything =
  /^(?:echo|printf|test|\[|\[\[|cd|pushd|popd|pwd|true|false|:|sleep|wait|jobs|expr|bash|sh|xargs|kill|timeout|time|type|command|exit|history|seq|find)\b/;
const harmless = fc.constantFrom(...single);
const withOptions = fc.constantFrom(...single.filter((text) => !takesAnything.test(text)));
const word = fc.stringMatching(/^[a-z]{3,9}$/);

test('there are enough harmless commands to say something about', () => {
  assert.ok(single.length >= 150, String(single.length));
});

test('an option that nobody knows makes a command unknown', () => {
  fc.assert(
    fc.property(withOptions, word, (text, name) => {
      const [program = '', ...rest] = text.split(' ');
      assert.notEqual(verdictOf([program, `--zz-${name}`, ...rest].join(' ')).verdict, 'harmless');
    }),
  );
});

test('a redirection to a file outside of the workspace is not harmless', () => {
  const outside = fc.constantFrom(
    '/home/ann/.bashrc',
    '~/.profile',
    '../x',
    '/etc/x',
    '/dev/tcp/a.example/80',
    '"$X"',
    '$(x)',
  );
  const operator = fc.constantFrom('>', '>>', '>|', '&>', '2>', '<>');
  fc.assert(
    fc.property(harmless, operator, outside, (text, sign, target) => {
      assert.notEqual(verdictOf(`${text} ${sign} ${target}`).verdict, 'harmless');
    }),
  );
});

test('a variable in front that changes what programs mean is not harmless', () => {
  const name = fc.constantFrom(
    'PATH',
    'LD_PRELOAD',
    'BASH_ENV',
    'IFS',
    'GIT_DIR',
    'NODE_OPTIONS',
    'PAGER',
    'HOME',
    'X_PATH',
  );
  fc.assert(
    fc.property(harmless, name, word, (text, variable, value) => {
      assert.notEqual(verdictOf(`${variable}=${value} ${text}`).verdict, 'harmless');
      assert.notEqual(verdictOf(`export ${variable}=${value}; ${text}`).verdict, 'harmless');
    }),
  );
});

test('what an unknown program starts, prints or stands in front of is not harmless', () => {
  const around = fc.constantFrom(
    (text: string) => `zz-run ${text}`,
    (text: string) => `./timeout 5 ${text}`,
    (text: string) => `sudo ${text}`,
    (text: string) => `env -S zz ${text}`,
    (text: string) => `${text} $(zz-run)`,
    (text: string) => `${text} "\`zz-run\`"`,
    (text: string) => `${text} <(zz-run)`,
    (text: string) => `zz-run | ${text}`,
    (text: string) => `${text} | zz-run`,
    (text: string) => `${text} && zz-run`,
    (text: string) => `zz-run() { zz; }; ${text}`,
    (text: string) => `./${text}`,
    (text: string) => `/tmp/x/${text}`,
  );
  fc.assert(
    fc.property(harmless, around, (text, wrap) => {
      assert.notEqual(verdictOf(wrap(text)).verdict, 'harmless');
    }),
  );
});

const field: fc.Arbitrary<Field> = fc.record({
  text: fc.oneof(
    fc.string(),
    fc.constantFrom(
      '-',
      '--',
      '-f',
      '--force',
      '-rf',
      '\ue000',
      '-c',
      'push',
      'exec',
      '*',
      '--=',
      '-=',
      '>',
      '"',
      's/a/b',
      ':',
    ),
  ),
  splits: fc.boolean(),
  globs: fc.boolean(),
  computed: fc.boolean(),
});
const call: fc.Arbitrary<SimpleCommand> = fc.record({
  name: fc.constantFrom('', 'constructor', '__proto__', ...programs.flatMap(({ names }) => names)),
  path: fc.string(),
  unknownName: fc.boolean(),
  args: fc.array(field, { maxLength: 8 }),
  assignments: fc.array(fc.string(), { maxLength: 2 }),
  redirections: fc.array(fc.record({ operator: fc.constantFrom('>', '<', '>>'), target: fc.string() }), {
    maxLength: 2,
  }),
  via: fc.array(fc.constantFrom('env', 'xargs', 'sudo', 'find', 'bash', 'docker'), { maxLength: 3 }),
  pipedFrom: fc.constant([]),
  stdin: fc.option(fc.string(), { nil: undefined }),
  background: fc.boolean(),
  cwd: fc.option(fc.constant('/home/ann/work'), { nil: undefined }),
  source: fc.string(),
});

test('any arguments of any program are answered without an error, and twice the same', () => {
  fc.assert(
    fc.property(call, (given) => {
      assert.deepEqual(knowCall(given), knowCall(given));
    }),
    { numRuns: 3_000 },
  );
});
