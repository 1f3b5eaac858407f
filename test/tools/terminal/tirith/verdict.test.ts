/** What the answers of tirith mean: its exit code decides, its JSON gives the words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVerdict } from '../../../../src/tools/terminal/tirith/verdict.ts';

const found = (rule_id: string, title: string, severity = 'HIGH') => ({ rule_id, title, severity, description: 'd' });
const report = (findings: readonly object[], summary = '') => JSON.stringify({ findings, summary });
const appDomain = found('lookalike_tld', 'looks like a file: x.app');

const verdicts: readonly (readonly [string, number, string, readonly string[] | undefined])[] = [
  ['0 is nothing, whatever the report says', 0, report([found('r', 'T')]), []],
  ['1 is a block', 1, report([found('pipe_to_shell', 'Pipe to shell')]), ['tirith:pipe_to_shell Pipe to shell (high)']],
  ['2 is a warning', 2, report([found('homograph', 'Odd letters', '')]), ['tirith:homograph Odd letters']],
  ['the same rule counts once', 1, report([found('r', 'A'), found('r', 'B')]), ['tirith:r A (high)']],
  ['a block without words is one', 1, 'no json', ['tirith:block the scanner says block']],
  ['a summary stands in', 2, report([], 'odd'), ['tirith:warn odd']],
  ['fields of other kinds are passed over', 1, report([{ rule_id: 7, title: null }]), ['tirith:unknown unknown']],
  ['a warning of .app alone is none', 2, report([appDomain, appDomain]), []],
  ['a block of .app is one', 1, report([appDomain]), ['tirith:lookalike_tld looks like a file: x.app (high)']],
  [
    'a warning of .zip is one',
    2,
    report([appDomain, found('lookalike_tld', 'x.zip')]),
    ['tirith:lookalike_tld looks like a file: x.app (high)'],
  ],
  ['3 is a failure', 3, '', undefined],
  ['a deadline is a failure', 124, '', undefined],
];

for (const [what, exitCode, output, expected] of verdicts) {
  test(what, () => {
    const words = readVerdict(exitCode, output)?.map(({ key, description }) => `${key} ${description}`);
    assert.deepEqual(words, expected);
  });
}

test('at most 50 findings and 500 characters of a summary count, and none may be kept for good', () => {
  const many = readVerdict(1, report(Array.from({ length: 80 }, (_, at) => found(`r${at}`, 'T'))));
  assert.equal(many?.length, 50);
  assert.ok(many?.every(({ mayRemember }) => !mayRemember));
  assert.equal(readVerdict(1, report([], 'x'.repeat(900)))?.[0]?.description.length, 500);
});
