/** How arguments are read by a description of options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Field } from '../../../src/safety/commands/fields.ts';
import { type Arguments, OptionTable, readArguments } from '../../../src/safety/programs/options.ts';

const word = (text: string, more: Partial<Field> = {}): Field => ({
  text,
  splits: false,
  globs: false,
  computed: false,
  ...more,
});

function gnu(): OptionTable {
  const table = new OptionTable('gnu');
  table.add({ kind: 'plain' }, '-abn -k= -i? --all --key= --color?');
  table.add({ kind: 'writes' }, '-o= --output=');
  table.add({ kind: 'asks', key: 'lost work in a git repository' }, '-f --force --hard');
  return table;
}

function read(...texts: string[]): Arguments {
  return readArguments(
    texts.map((text) => word(text)),
    gnu(),
  );
}

function given(args: Arguments): (readonly [string, string | undefined])[] {
  return args.given.map(({ option, value }) => [option.name, value] as const);
}

test('short options stand alone or in a cluster, and a value behind them or in the next word', () => {
  assert.deepEqual(given(read('-ab', '-k', '2', '-ak3')), [
    ['-a', undefined],
    ['-b', undefined],
    ['-k', '2'],
    ['-a', undefined],
    ['-k', '3'],
  ]);
  assert.equal(read('-ab', '-k', '2').strange, false);
});

test('long options take a value behind = or in the next word, an optional one only behind =', () => {
  assert.deepEqual(given(read('--key=2', '--key', '3', '--color', 'x')), [
    ['--key', '2'],
    ['--key', '3'],
    ['--color', undefined],
  ]);
  assert.deepEqual(
    read('--color', 'x').operands.map(({ text }) => text),
    ['x'],
  );
});

test('an optional value is what stands right behind a short option', () => {
  assert.deepEqual(given(read('-i.bak', '-i', 'x')), [
    ['-i', '.bak'],
    ['-i', undefined],
  ]);
});

test('an unknown option, an abbreviation, a value where none belongs and a missing one are strange', () => {
  for (const texts of [['-z'], ['-az'], ['--zebra'], ['--al'], ['--all=x'], ['-k'], ['--key']]) {
    assert.equal(read(...texts).strange, true, texts.join(' '));
  }
});

test('what follows -- is no option', () => {
  const args = read('-a', '--', '-z', '--force');
  assert.equal(args.strange, false);
  assert.deepEqual(args.asks, []);
  assert.deepEqual(
    args.operands.map(({ text }) => text),
    ['-z', '--force'],
  );
});

test('a single dash is an operand', () => {
  assert.deepEqual(
    read('-').operands.map(({ text }) => text),
    ['-'],
  );
});

test('an option that asks does so in a cluster, abbreviated, and behind one that nobody knows', () => {
  for (const texts of [
    ['-f'],
    ['-af'],
    ['-zf'],
    ['--force'],
    ['--forc'],
    ['--har'],
    ['--zebra', '--hard'],
    ['--force=x'],
  ]) {
    assert.deepEqual(read(...texts).asks, ['lost work in a git repository'], texts.join(' '));
  }
  assert.deepEqual(read('-kf').asks, []);
});

test('in programs of Go a word is one option, behind one dash or two', () => {
  const table = new OptionTable('words');
  table.add({ kind: 'plain' }, '-out= -json');
  table.add({ kind: 'asks', key: 'changes remote infrastructure' }, '-auto-approve');
  const args = readArguments(
    ['-out=x', '--out', 'y', '--json', '-auto-approve=true'].map((text) => word(text)),
    table,
  );
  assert.deepEqual(given(args).slice(0, 3), [
    ['-out', 'x'],
    ['-out', 'y'],
    ['-json', undefined],
  ]);
  assert.deepEqual(args.asks, ['changes remote infrastructure']);
});

test('words that the shell makes while it runs may hold options', () => {
  const computed: Field[] = [
    word('\ue000', { splits: true, computed: true }),
    word('\ue000', { computed: true }),
    word('x\ue000', { splits: true, computed: true }),
    word('*', { globs: true }),
    word('--key=\ue000', { splits: true }),
  ];
  for (const field of computed) assert.equal(readArguments([field], gnu()).mayHoldOptions, true, field.text);
  for (const field of [word('*'), word('src/*.ts', { globs: true }), word('x\ue000', { computed: true })]) {
    assert.equal(readArguments([field], gnu()).mayHoldOptions, false, field.text);
  }
  assert.equal(readArguments([word('--'), word('\ue000', { splits: true })], gnu()).mayHoldOptions, false);
});

test('the name of the current branch is no option', () => {
  const branch = word('\ue000', { splits: true, computed: true, inner: '$(git branch --show-current)' });
  assert.equal(readArguments([branch], gnu()).mayHoldOptions, false);
});

test('options of a sub-command are those above it as well', () => {
  const child = new OptionTable('gnu', gnu());
  child.add({ kind: 'plain' }, '-z');
  const args = readArguments([word('-za'), word('-f')], child);
  assert.equal(args.strange, false);
  assert.deepEqual(args.asks, ['lost work in a git repository']);
});
