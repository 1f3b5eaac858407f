/** What a session with a small window says of itself and its tools. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace } from '../cli/hermes-process.ts';

test('a window of 8,192 tokens gets a short prompt and few parameters; calls with what is left out keep its default', async (t) => {
  await using server = await startModelServer();
  const place = makePlace(t);
  place.write(
    'config.yaml',
    `model: {provider: custom, base_url: "${server.url}", default: small, context_length: 8192}\n`,
  );
  writeFileSync(join(place.work, 'notes.txt'), 'one\n');
  server.enqueue(
    { toolCalls: [{ name: 'patch', arguments: { path: 'notes.txt', old_string: 'one', new_string: 'two' } }] },
    { text: 'Done.' },
  );
  const run = await hermes(place, ['-z', 'Change it.', '--yolo']);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, 'Done.\n');
  assert.equal(readFileSync(join(place.work, 'notes.txt'), 'utf8'), 'two\n');
  const [first] = server.requests;
  const tools = first?.body.tools ?? [];
  const shown = Object.fromEntries(tools.map(({ function: tool }) => [tool.name, propertiesOf(tool.parameters)]));
  assert.deepEqual(shown, {
    patch: ['path', 'old_string', 'new_string'],
    read_file: ['path', 'offset', 'limit'],
    search_files: ['pattern', 'target', 'path'],
    terminal: ['command'],
    write_file: ['path', 'content'],
  });
  assert.ok(JSON.stringify(first?.body).length < 4000, JSON.stringify(first?.body));
});

function propertiesOf(parameters: object): readonly string[] {
  return 'properties' in parameters ? Object.keys(Object(parameters.properties)) : [];
}
