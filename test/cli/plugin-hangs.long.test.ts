/** Code of a plug-in that never answers: it costs its time, and neither the answer nor the exit code. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace, type Place } from './hermes-process.ts';

const hanging: readonly (readonly [when: string, code: string, told: RegExp])[] = [
  [
    'while it is loaded',
    'export default { register: () => new Promise(() => undefined) };',
    /^plugins: acme cannot be loaded: no answer within 30 s$/m,
  ],
  [
    'before each turn',
    "export default { register: (ctx) => ctx.registerHook('pre_llm_call', () => new Promise(() => undefined)) };",
    /^$/,
  ],
];

suite('a plug-in that hangs', { concurrency: 2 }, () => {
  for (const [when, code, told] of hanging) {
    test(`${when} holds up -z, which answers all the same`, async (t) => {
      await using server = await startModelServer({ respond: () => ({ text: 'the answer' }) });
      const place = makePlace(t, server, 'plugins: {enabled: [acme]}\n');
      putPlugin(place, code);
      const run = await hermes(place, ['-z', 'hi']);
      assert.deepEqual([run.code, run.stdout], [0, 'the answer\n']);
      assert.match(run.stderr, told);
    });
  }
});

test('a command that fails ends, whatever a plug-in has left open', async (t) => {
  await using server = await startModelServer({ apiKey: 'another-key' });
  const place = makePlace(t, server, 'plugins: {enabled: [acme]}\n');
  putPlugin(place, 'export default () => void setInterval(() => undefined, 1000);');
  const run = await hermes(place, ['-z', 'hi'], { env: { HERMES_EXIT_WATCHDOG_S: '1' } });
  assert.deepEqual([run.code, run.stdout], [1, '']);
  assert.match(run.stderr, /401|key/);
});

function putPlugin(place: Place, code: string): void {
  const folder = join(place.home, 'plugins', 'acme');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), "version: '1.2'\n");
  writeFileSync(join(folder, 'index.mjs'), code);
}
