/** The whole program with a real small model in its own process. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { llamaBinding } from './llama-binding.ts';
import { runProgram } from './program.ts';
import { smolModel } from './smol-model.ts';

test('hermes -z answers with SmolLM2 in its own process, and says in one line how small its window is', async (t) => {
  const model = await smolModel();
  if (typeof model === 'string') return t.skip(model);
  const binding = await llamaBinding();
  if (typeof binding === 'string') return t.skip(binding);
  const user = mkdtempSync(join(tmpdir(), 'hermes-smol-'));
  t.after(() => rmSync(user, { recursive: true, force: true }));
  const home = join(user, '.hermes');
  mkdirSync(join(home, 'models'), { recursive: true });
  symlinkSync(model.path, join(home, 'models', 'smollm2.gguf'));
  symlinkSync(binding.modules, join(home, 'node_modules'));
  // So small a model may not come to an end by itself: its answer is cut, continued, and the program exits with 1.
  writeFileSync(join(home, 'config.yaml'), 'model: {max_tokens: 4}\n');
  const args = ['-z', 'Say hello.', '--provider', 'local', '-m', 'smollm2'];
  const run = runProgram(args, { HOME: user, HERMES_HOME: home });
  assert.ok(run.status === 0 || run.status === 1, `${run.status} ${run.signal}: ${run.stderr}`);
  assert.ok(run.stdout.trim().length > 0, run.stderr);
  assert.match(run.stderr, /^(?:hermes: )?smollm2 has a window of 8,192 tokens.*\n/);
});
