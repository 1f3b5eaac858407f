/** A whole home of the original is opened as it is: talked in, searched, and left the way it was found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { put } from '../prompt/support.ts';
import { rows, version11 } from '../sessions/old-databases.ts';
import { execute, query } from '../sessions/support.ts';
import { skillText } from '../skills/support.ts';
import { openChat } from './support.ts';

/** Sections of the original's file, with keys that this program has no use for. */
const settings = `toolsets:
- hermes-cli
agent:
  max_turns: 60
  verbose: false
  reasoning_effort: medium
  system_prompt: ''
  personalities:
    helpful: You are a helpful, friendly AI assistant.
terminal:
  backend: local
  cwd: .
  timeout: 180
  docker_image: nikolaik/python-nodejs:python3.11-nodejs20
compression:
  enabled: true
  threshold: 0.5
memory:
  memory_enabled: true
  user_profile_enabled: true
  memory_char_limit: 2200
  user_char_limit: 1375
  nudge_interval: 10
  flush_min_turns: 6
skills:
  creation_nudge_interval: 15
display:
  compact: false
  tool_progress: all
  skin: default
honcho: {}
future_section:
  key: [1, 2]
_config_version: 8
`;
const files = {
  'SOUL.md': '# Hermes\n\nYou are Ada, and you like prime numbers.\n',
  'memories/MEMORY.md': 'The server is called bert.\n§\nBuild with make;\nnever with ninja.',
  'memories/USER.md': 'Name: Grace\n§\nLikes short answers.',
  'skills/mlops/DESCRIPTION.md': '---\ndescription: Machine learning\n---\n',
  'skills/mlops/training/tune/SKILL.md': skillText('tune', 'Fine-tune a model', 'version: 1.2.0\nauthor: Somebody'),
  'skills/mlops/training/tune/references/rates.md': 'Begin with 1e-4.\n',
  'skills/.bundled_manifest': 'tune:0123456789abcdef0123456789abcdef\n',
  'skills/.hub/lock.json': '{"version": 1, "installed": {}}',
  '.skills_prompt_snapshot.json': '{"version": 1, "manifest": {}, "skills": [], "category_descriptions": {}}',
  'auth.json': '{"version": 1, "providers": {}, "active_provider": null}',
};

test('settings, identity, memory, skills and conversations of the original serve a session, and stay as they are', async (t) => {
  await using server = await startModelServer({ strict: true });
  const place = temporaryHome(t);
  const { path } = place.home;
  for (const [name, text] of Object.entries(files)) put(path, name, text);
  const database = join(path, 'state.db');
  execute(database, version11 + rows);
  // What is ours stands in tables of its own and in one column more, which the original does not look at.
  const schema = () =>
    query<{ name: string; sql: string | null }>(database, 'SELECT name, sql FROM sqlite_master ORDER BY name').map(
      ({ name, sql }) => [name, sql?.replace(', provenance TEXT', '')],
    );
  const before = schema();

  server.enqueue(
    {
      toolCalls: [
        { name: 'skill_view', arguments: { name: 'tune' } },
        { name: 'session_search', arguments: { query: 'quokka' } },
      ],
    },
    { text: 'Found it.' },
  );
  const chat = await openChat(t, server, settings, { home: place });
  const config = chat.place.read('config.yaml');
  assert.equal(await chat.say('What did we deploy?'), 'Found it.');
  const sent = server.lastRequest.body.messages.map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  const [prompt = '', , , skill = '', search = ''] = sent;
  assert.ok(prompt.startsWith('# Hermes\n\nYou are Ada, and you like prime numbers.'));
  assert.match(prompt, / {2}mlops\/training:\n {4}- tune: Fine-tune a model\n/);
  assert.match(
    prompt,
    /\nMEMORY \(your personal notes\) \[2% — 63\/2,200 chars\]\n═+\nThe server is called bert\.\n§\nBuild/,
  );
  assert.match(prompt, /\nUSER PROFILE \(who the user is\) [^\n]+\n═+\nName: Grace\n§\nLikes short answers\./);
  assert.match(skill, /Do it step by step/);
  assert.match(skill, /references\/rates\.md/);
  assert.match(search, /请部署服务到生产/);
  await chat.leave();

  server.enqueue({ text: 'As you say.' });
  const old = await openChat(t, server, settings, { home: place, resume: 's' });
  await old.say('go on');
  assert.deepEqual(
    server.lastRequest.body.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'user'],
  );
  assert.equal(server.lastRequest.body.messages[1]?.content, '请部署服务到生产');
  await old.leave();

  assert.deepEqual([chat.warnings, old.warnings, server.violations], [[], [], []]);
  assert.equal(old.place.read('config.yaml'), config);
  for (const [name, text] of Object.entries(files)) {
    if (name !== '.skills_prompt_snapshot.json') assert.equal(readFileSync(join(path, name), 'utf8'), text, name);
  }
  const after = new Map(schema().map(([name = '', sql]) => [name, sql]));
  // The upgrade of an older version adds columns to two tables, and leaves everything else as it was.
  for (const [name = '', sql] of before) {
    if (name !== 'sessions' && name !== 'messages') assert.equal(after.get(name), sql, name ?? '');
  }
  const counts = query(database, 'SELECT id, message_count FROM sessions ORDER BY started_at');
  assert.deepEqual(
    counts.map((row) => ({ ...row })),
    [
      { id: 's', message_count: 5 },
      { id: chat.session.id, message_count: 5 },
    ],
  );
});
