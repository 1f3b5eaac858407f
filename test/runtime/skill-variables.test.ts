/** What a loaded skill brings into the environment of commands. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor } from './support.ts';

const names = [
  'NOTES_API_KEY',
  'TELEGRAM_BOT_TOKEN',
  'API_SERVER_KEY',
  'GH_TOKEN',
  'BWS_ACCESS_TOKEN',
  'OP_SERVICE_ACCOUNT_TOKEN',
  'HERMES_REDACT_SECRETS',
];

test('a skill gets variables of its own, and none that are the agent’s, which is told', async (t) => {
  await using server = await startModelServer();
  const place = placeFor(t, server, '', { env: Object.fromEntries(names.map((name) => [name, 'a secret value'])) });
  const skill = join(place.homePath, 'skills/notes/SKILL.md');
  mkdirSync(dirname(skill), { recursive: true });
  const needs = `required_environment_variables: [${names.join(', ')}]`;
  writeFileSync(skill, `---\nname: notes\ndescription: About notes\n${needs}\n---\nUse it.\n`);
  const chat = await chatAt(place);
  const show = `echo "${names.map((name) => `\${#${name}}`).join(' ')}"`;
  server.enqueue(
    { toolCalls: [{ name: 'skill_view', arguments: { name: 'notes' } }] },
    { toolCalls: [{ name: 'terminal', arguments: { command: show } }] },
    { text: 'Done.' },
  );
  await chat.say('go');
  const result = chat.session.agent.history.findLast(({ role }) => role === 'tool')?.content;
  assert.match(JSON.stringify(result), /14 0 0 0 0 0 0/);
  for (const name of names.slice(1)) {
    assert.equal(chat.warnings.filter((line) => line.includes(`a skill asks for ${name}, which`)).length, 1, name);
  }
});
