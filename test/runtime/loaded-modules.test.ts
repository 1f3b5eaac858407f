/** What a program loads until its first answer: nothing that only later steps need. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from './support.ts';

const script = fileURLToPath(new URL('first-request.ts', import.meta.url));
const shape = z.object({ answer: z.string(), loaded: z.array(z.string()) });

/** Rooms and files of steps that come after an answer, or never. */
const later = [
  /\/src\/runtime\/(learning\/|session-learning|side-|switch-model|default-model|context-parts|measure-prompt)/,
  /\/src\/providers\/(side-|place-model|user-profiles)/,
  /\/src\/(curator|skill-hub|references|commands|cli)\//,
  /\/src\/config\/(edit|yaml-edit)\.ts/,
  /\/src\/sessions\/auto-prune/,
  /\/src\/coding\/lsp\//,
  /\/src\/safety\/commands\/(judge|known-local)/,
  // No server is configured.
  /\/src\/mcp\/|@modelcontextprotocol\//,
  // No page is opened, no house and no service for pictures is set up.
  /\/src\/tools\/browser\/(acting|browse|cdp-(command|endpoint)|dialogs|downloads|looking|network-rules|opening|raw-cdp|reading|show-page|snapshot|snapshot-lines|tabs)\.ts/,
  /\/src\/tools\/(homeassistant\/ha-|making\/(images|videos)\/)/,
];

test('until the first answer nothing is loaded that titles, reviews, summaries, the curator or a change of model need', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
  const place = placeFor(t, server);
  const { stdout } = await promisify(execFile)(process.execPath, [script, place.homePath]);
  const { answer, loaded } = shape.parse(JSON.parse(stdout));
  assert.equal(answer, 'PONG');
  assert.ok(
    loaded.some((url) => url.endsWith('/src/runtime/open-session.ts')),
    'nothing was recorded',
  );
  assert.deepEqual(
    loaded.filter((url) => later.some((pattern) => pattern.test(url))),
    [],
  );
});
