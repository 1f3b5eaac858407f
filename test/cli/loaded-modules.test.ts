/** What a question loads: no vendor's library is on the way to an answer that does not need it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace, sourceFile } from './hermes-process.ts';

const vendors =
  /\/node_modules\/(@aws-sdk|@smithy|google-auth-library|gaxios|openai|@anthropic-ai|@google|oauth4webapi|node-llama-cpp)\//;

test('a one-shot question loads no library of a provider, and nothing of boards of tasks', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }), apiKey: 'test-key' });
  const place = makePlace(t, server);
  const list = join(place.home, 'loaded.txt');
  const recorder = place.write(
    'recorder.mjs',
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({
       resolve(name, context, next) {
         const found = next(name, context);
         appendFileSync(${JSON.stringify(list)}, found.url + '\\n');
         return found;
       },
     });`,
  );
  const run = await hermes(place, ['-z', 'ping'], {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}` },
    // In the build the modules have no files of their own; scripts/build/light-start.ts watches over its parts.
    main: sourceFile,
  });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  const loaded = [...new Set(readFileSync(list, 'utf8').trim().split('\n'))];
  assert.ok(
    loaded.some((url) => url.endsWith('/src/providers/catalogue.ts')),
    'the recorder saw nothing',
  );
  assert.ok(
    loaded.some((url) => url.includes('/node_modules/zod/')),
    'the recorder saw no library',
  );
  assert.deepEqual(
    loaded.filter((url) => vendors.test(url)),
    [],
  );
  assert.deepEqual(
    loaded.filter((url) => /\/src\/(tools\/)?kanban\//.test(url)),
    [],
  );
});

test('a one-shot question does not load the languages of the world, which take 7 MB and some milliseconds', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }), apiKey: 'test-key' });
  const place = makePlace(t, server);
  writeFileSync(join(place.work, 'AGENTS.md'), 'Be kind.');
  const list = join(place.home, 'words.txt');
  const recorder = place.write(
    'recorder.mjs',
    `import { appendFileSync } from 'node:fs';
     const note = (name) => appendFileSync(${JSON.stringify(list)}, name + ' ' + new Error().stack.split('\\n')[3] + '\\n');
     appendFileSync(${JSON.stringify(list)}, 'watching\\n');
     for (const [owner, name] of [[Number, 'toLocaleString'], [Date, 'toLocaleString'], [Date, 'toLocaleDateString'],
       [Date, 'toLocaleTimeString'], [String, 'localeCompare'], [String, 'toLocaleLowerCase']]) {
       const real = owner.prototype[name];
       owner.prototype[name] = function (...args) { note(name); return real.apply(this, args); };
     }
     for (const name of ['NumberFormat', 'DateTimeFormat', 'Collator', 'Segmenter', 'PluralRules', 'RelativeTimeFormat']) {
       const Real = Intl[name];
       Intl[name] = class extends Real { constructor(...args) { note(name); super(...args); } };
     }`,
  );
  const run = await hermes(place, ['-z', 'ping'], {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}` },
  });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
  assert.equal(readFileSync(list, 'utf8'), 'watching\n');
});
