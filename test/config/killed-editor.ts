/** `hermes config set` in a process that is killed again and again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { parse } from 'yaml';
import { setConfigValue } from '../../src/config/edit.ts';
import { temporaryHome } from './temporary-home.ts';

/** After each kill the file is whole: all of what it held before, and a number that was written to the end. */
export async function surviveKills(t: TestContext, kills: number): Promise<void> {
  const { home, env, read } = temporaryHome(t);
  await setConfigValue({ home, env, key: 'agent.system_prompt', value: 'x'.repeat(50_000) });
  const source = new URL('../../src/config/edit.ts', import.meta.url).href;
  const script = `const { setConfigValue } = await import(${JSON.stringify(source)});
    for (let n = 0; ; n++) {
      await setConfigValue({ home: ${JSON.stringify(home)}, env: ${JSON.stringify(env)}, key: 'agent.max_turns', value: String(n + 1) });
      if (n === 0) process.stdout.write('started');
    }`;
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // A different number of turns of the event loop each time, so that the kill meets different steps.
    for (let turn = 0; turn < (kill % 20) * 40; turn++) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { agent } = parse(read('config.yaml')) as { agent: { max_turns: number; system_prompt: string } };
    assert.equal(agent.system_prompt.length, 50_000);
    assert.ok(agent.max_turns >= 1);
  }
}
