import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { contextLengthIn } from '../../../src/models/local/model-file.ts';
import { end, writeTinyModel } from './tiny-gguf.ts';

test('the header tells the window, and one that is cut or damaged tells nothing wrong', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-gguf-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'tiny.gguf');
  writeTinyModel(path, { chains: [['\n', end]], contextLength: 131_072 });
  const header = readFileSync(path).subarray(0, 8192);
  assert.equal(contextLengthIn(header), 131_072);
  fc.assert(
    fc.property(fc.nat(header.length), (length) => {
      assert.ok([131_072, undefined].includes(contextLengthIn(header.subarray(0, length))));
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
      const damaged = Buffer.concat([header.subarray(0, 24), noise]);
      assert.equal(contextLengthIn(damaged), undefined);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      assert.equal(contextLengthIn(Buffer.from(noise)), undefined);
    }),
  );
});
