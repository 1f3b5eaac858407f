/** The same scripted one-shots by the original and by this program: roles, keys of tool results and exit codes agree. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { pythonPackages } from '../real/python-packages.ts';
import { compared, describeRun, play } from './compare.ts';
import { openOriginals, ours } from './programs.ts';
import type { Scenario } from './scenario.ts';
import { commandScenarios } from './scenarios/commands.ts';
import { fileScenarios } from './scenarios/files.ts';
import { mindScenarios } from './scenarios/mind.ts';
import { turnScenarios } from './scenarios/turns.ts';

const scenarios = [...turnScenarios, ...fileScenarios, ...commandScenarios, ...mindScenarios];
const packages = await pythonPackages('hermes-agent-0.19.0', ['hermes-agent==0.19.0']);
const skip = typeof packages === 'string' ? packages : false;

test('there are enough scripted one-shots, and no two of one name', () => {
  assert.ok(scenarios.length >= 120, `${scenarios.length}`);
  assert.equal(new Set(scenarios.map(({ name }) => name)).size, scenarios.length);
});

test('each deliberate difference of a scripted one-shot has its row in docs/differences.md', () => {
  const page = readFileSync(new URL('../../docs/differences.md', import.meta.url), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|')[1]?.trim());
  const named = scenarios.flatMap(({ differs = {} }) => Object.values(differs));
  assert.deepEqual(
    [...new Set(named)].filter((row) => !rows.includes(row)),
    [],
  );
});

describe('one-shots beside the original', { skip, concurrency: 2 }, () => {
  const originals = typeof packages === 'string' ? undefined : openOriginals(packages, 2);
  after(() => originals?.[Symbol.asyncDispose]());
  for (const scenario of scenarios) {
    test(scenario.name, async () => {
      assert.ok(originals);
      const theirs = await originals.use((original) => play(original, scenario));
      const own = await play(ours, scenario);
      for (const part of compared) {
        const shown = `${part}\n${describeRun('original', theirs.ran)}${describeRun('here', own.ran)}`;
        if (reasonOf(scenario, part) === undefined) assert.deepEqual(own[part], theirs[part], shown);
        else assert.ok(!isDeepStrictEqual(own[part], theirs[part]), `no longer differs: take "${part}" out of differs`);
      }
    });
  }
});

function reasonOf({ differs = {} }: Scenario, part: (typeof compared)[number]): string | undefined {
  return differs[part];
}
