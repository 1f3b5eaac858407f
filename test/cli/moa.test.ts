/** `hermes moa`: the mixtures of models. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { build } from '../../src/cli/commands/moa.ts';
import { configureMixture } from '../../src/cli/moa/configure.ts';
import { Cancelled, type Prompts } from '../../src/cli/model/prompts.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { contextOn, runCommand } from './config/run-command.ts';

const two = `# mine
moa:
  default_preset: team
  active_preset: team
  presets:
    team:
      enabled: false
      reference_models: [{provider: deepseek, model: deepseek-chat, reasoning_effort: low}]
      aggregator: {provider: zai, model: glm-4.6}
      reference_temperature: 0.6
    solo:
      reference_models: [{provider: zai, model: glm-4.6}]
      aggregator: {provider: zai, model: glm-4.6}
`;

function placeWith(t: TestContext, config = '') {
  const { home, env, write } = temporaryHome(t);
  if (config !== '') write('config.yaml', config);
  const run = (...args: string[]) => runCommand({ build }, { home, env }, ...args);
  const moa = () =>
    (parse(readFileSync(join(home.path, 'config.yaml'), 'utf8')) as { moa: Record<string, unknown> }).moa;
  return { home, env, run, moa };
}

test('a home without mixtures has the usual one, which cannot be deleted', async (t) => {
  const { run } = placeWith(t);
  assert.equal(
    (await run()).stdout,
    `Mixture of Agents presets
Default: default
Active in config: (off)

* default
  Reference models:
    1. openai-codex:gpt-5.5
    2. openrouter:deepseek/deepseek-v4-pro
  Aggregator: openrouter:anthropic/claude-opus-4.8
`,
  );
  assert.match((await run('delete', 'default')).stderr, /'default' is the only mixture/);
  assert.match((await run('rm', 'nosuch')).stderr, /no mixture of models called 'nosuch'\. Known: default\./);
});

test('one that is deleted is neither the default nor the active one any more', async (t) => {
  const { run, moa } = placeWith(t, two);
  const listed = (await run('ls')).stdout;
  assert.match(listed, /Default: team\nActive in config: team\n/);
  assert.match(listed, /\* team \(off: [^]*1\. deepseek:deepseek-chat \[reasoning=low\]/);
  assert.equal((await run('delete', 'team')).stdout, "Deleted the mixture 'team'.\n");
  const { default_preset, active_preset, presets } = moa();
  assert.deepEqual([default_preset, active_preset, Object.keys(presets as object)], ['solo', '', ['solo']]);
});

test('models are given as words; what is not given stays, and what is no model changes nothing', async (t) => {
  const { home, run, moa } = placeWith(t, two);
  const done = await run('configure', '--reference', 'openrouter:a/b:free', '--reference', 'claude:opus');
  assert.equal(done.stderr, '');
  assert.match(done.stdout, /^Stored the mixture 'team'\.[^]*2\. anthropic:opus\n {2}Aggregator: zai:glm-4\.6\n/);
  const { team } = moa()['presets'] as Record<string, Record<string, unknown>>;
  assert.deepEqual(team, {
    enabled: false,
    reference_models: [
      { provider: 'openrouter', model: 'a/b:free' },
      { provider: 'anthropic', model: 'opus' },
    ],
    aggregator: { provider: 'zai', model: 'glm-4.6' },
    reference_temperature: 0.6,
  });
  const before = readFileSync(join(home.path, 'config.yaml'), 'utf8');
  assert.match(before, /^# mine/);
  for (const words of [
    ['new', '--reference', 'zai:glm-4.6'],
    ['new', '--aggregator', 'moa:team', '--reference', 'zai:glm-4.6'],
    ['new', '--aggregator', 'nosuch:m', '--reference', 'zai:glm-4.6'],
    ['team', '--aggregator', 'glm'],
  ]) {
    const run2 = await run('configure', ...words);
    assert.deepEqual([run2.exitCode, run2.stdout], [2, ''], words.join(' '));
  }
  const unasked = await run('configure');
  assert.equal(unasked.exitCode, 1, 'without a terminal nobody can be asked');
  assert.match(unasked.stderr, /name the models: --reference/);
  assert.equal(readFileSync(join(home.path, 'config.yaml'), 'utf8'), before);
});

/** Answers in order; `stop` is Ctrl+C. */
function answering(...answers: (string | boolean)[]): Prompts {
  const take = (): string | boolean => {
    const answer = answers.shift();
    if (answer === undefined || answer === 'stop') throw new Cancelled();
    return answer;
  };
  const text = async () => await Promise.resolve(String(take()));
  return {
    text,
    secret: text,
    select: text,
    pick: text,
    choose: () => Promise.resolve([]),
    confirm: async () => await Promise.resolve(take() === true),
    wait: (_message, work) => work,
    intro: () => undefined,
    say: () => undefined,
    outro: () => undefined,
  };
}

test('in a terminal it asks for each model; whoever stops has changed nothing', async (t) => {
  const { home, env, moa } = placeWith(t, two);
  const terminal = { stdin: { isTTY: true }, stdout: { isTTY: true, write: () => true } };
  const configure = (...answers: (string | boolean)[]) =>
    configureMixture(contextOn({ home, env }, terminal), 'mine', { reference: [] }, () =>
      Promise.resolve(answering(...answers)),
    );
  await configure('zai', 'glm-4.6', true, 'deepseek', 'stop');
  assert.equal((moa()['presets'] as Record<string, unknown>)['mine'], undefined);
  await configure('zai', 'glm-4.6', true, 'deepseek', 'deepseek-chat', false, 'zai', 'glm-5');
  assert.deepEqual((moa()['presets'] as Record<string, unknown>)['mine'], {
    reference_models: [
      { provider: 'zai', model: 'glm-4.6' },
      { provider: 'deepseek', model: 'deepseek-chat' },
    ],
    aggregator: { provider: 'zai', model: 'glm-5' },
  });
});
