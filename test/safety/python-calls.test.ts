/** Calls in Python code are found whatever they are called there, and code without them gives none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pythonCalls } from '../../src/safety/skill-guard/python-calls.ts';

const calls = (source: string): string[] => pythonCalls(source).map(({ line, call }) => `${line} ${call}`);

test('imports and other names are followed', () => {
  assert.deepEqual(
    calls(
      [
        'import subprocess as sp, json',
        'from os import (',
        '    system as quiet,',
        ')',
        'run = sp.Popen',
        'quiet("ls")',
        'run(["ls"])',
        'import importlib',
        'importlib.import_module("o" + "s")',
        'importlib.import_module("json")',
        'getattr(json, f"{x}")',
        'getattr(json, "loads")',
        'eval (',
        '  text)',
      ].join('\n'),
    ),
    ['6 os.system', '7 subprocess.Popen', '9 importlib.import_module', '11 getattr', '13 eval'],
  );
});

test('what only looks like a call is none', () => {
  assert.deepEqual(
    calls(
      '# eval(x)\n"""\nos.system("x")\n"""\ns = \'exec(1)\'\nself.eval(x)\nmy_eval(x)\nos.environ["HOME"]\nexecute(x)\n',
    ),
    [],
  );
  assert.deepEqual(calls('import os\nsend(dict(os.environ))\n'), ['2 os.environ']);
});

test('any text is read in time, with lines that are there', () => {
  const piece = fc.constantFrom(
    'import ',
    'from ',
    'os',
    '.',
    'eval(',
    ')',
    '"',
    "'''",
    '\n',
    '\\',
    '#',
    ' as x',
    '=',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const source = pieces.join('');
      const most = source.split('\n').length;
      assert.ok(pythonCalls(source).every(({ line }) => line >= 1 && line <= most));
    }),
    { seed: 7, numRuns: 300 },
  );
  assert.equal(pythonCalls('eval(1)\n'.repeat(5000)).length, 200);
});
