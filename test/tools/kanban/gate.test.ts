/** Who has the tools of a board, and who has none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as z from 'zod';
import { toolCatalogue } from '../../../src/tools/catalogue.ts';
import { boardTools, office, offered } from './support.ts';

const everything = [...boardTools, 'kanban_list', 'kanban_unblock'].sort();

test('a worker has ten tools whatever list was chosen, who hands out work has twelve, everybody else none', async (t) => {
  const place = await office(t);
  const task = { HERMES_KANBAN_TASK: 't_00000001', HERMES_KANBAN_STOP_NUDGE: 'off' };
  const cases = [
    [{}, []],
    [{ toolsets: ['all'] }, []],
    [{ toolsets: ['*'] }, []],
    [{ toolsets: ['web'], env: task }, boardTools],
    [{ env: task }, boardTools],
    [{ toolsets: ['all'], env: task }, boardTools],
    [{ env: task, config: 'toolsets: [hermes-cli, kanban]\n' }, boardTools],
    [{ toolsets: ['kanban'] }, everything],
    [{ config: 'toolsets: [hermes-cli, kanban]\n' }, everything],
    [{ config: 'toolsets: [kanban]\nplatform_toolsets: {telegram: [file]}\n', surface: 'telegram' }, everything],
    [{ config: 'toolsets: [kanban]\nplatform_toolsets: {webhook: [web]}\n', surface: 'webhook' }, []],
    [{ toolsets: ['all'], config: 'toolsets: [hermes-cli, kanban]\n' }, everything],
    [{ toolsets: ['hermes-telegram'], config: 'toolsets: [kanban]\n' }, everything],
    [{ toolsets: ['web', 'hermes-webhook'], config: 'toolsets: [kanban]\n' }, []],
    [{ config: 'agent: {disabled_toolsets: [kanban]}\n', env: task }, []],
  ] as const;
  for (const [options, names] of cases) {
    const chat = await place.chat(options);
    place.model.enqueue({ text: 'Hello.' });
    await chat.say('hello');
    assert.deepEqual(offered(place), names, JSON.stringify(options));
    await chat.leave();
  }
});

test('their parameters are those of the original', async () => {
  const shape = z.object({ tools: z.record(z.string(), z.object({ emoji: z.string(), parameters: z.unknown() })) });
  const golden = readFileSync(join(import.meta.dirname, 'golden', 'kanban-tools-0.19.json'), 'utf8');
  const facts = shape.parse(JSON.parse(golden)).tools;
  const parameters = z.object({
    properties: z.record(z.string(), z.looseObject({ type: z.string(), enum: z.array(z.string()).optional() })),
    required: z.array(z.string()).default([]),
  });
  const told = (schema: unknown) => {
    const { properties, required } = parameters.parse(schema);
    const types = Object.entries(properties).map(([name, { type, enum: values }]) => [name, type, values]);
    return {
      types: types.toSorted((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1)),
      required: [...required].sort(),
    };
  };
  const entries = toolCatalogue.filter(({ toolset }) => toolset === 'kanban');
  assert.deepEqual(entries.map(({ name }) => name).sort(), Object.keys(facts).sort());
  for (const entry of entries) {
    const tool = await entry.load();
    assert.deepEqual(told(tool.schema), told(facts[entry.name]?.parameters), entry.name);
    assert.equal(tool.emoji, facts[entry.name]?.emoji, entry.name);
  }
});

test('a worker is told how to work, who hands out work something else, and the others nothing', async (t) => {
  const place = await office(t);
  const prompt = async (options: Parameters<typeof place.chat>[0]) => {
    const chat = await place.chat(options);
    place.model.enqueue({ text: 'Hello.' });
    await chat.say('hello');
    return JSON.stringify(place.model.requests.at(-1)?.body.messages[0]);
  };
  const worker = await prompt({ env: { HERMES_KANBAN_TASK: 't_00000001', HERMES_KANBAN_STOP_NUDGE: 'no' } });
  assert.match(
    worker,
    /Begin with kanban_show.*kanban_heartbeat at least every hour.*exactly one call.*review-required: /s,
  );
  const lead = await prompt({ toolsets: ['kanban'] });
  assert.match(lead, /hand out work and do none of it/);
  assert.doesNotMatch(lead, /review-required/);
  assert.doesNotMatch(await prompt({}), /kanban/i);
});
