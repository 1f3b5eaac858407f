/** Installations by a real process that is killed: whatever is on disk afterwards is known to the lock file. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readLock, withHubLock } from '../../src/skill-hub/hub-files.ts';
import { localState } from '../../src/skill-hub/installed.ts';
import { sweep } from '../../src/skill-hub/quarantine.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { randomFrom } from '../random.ts';

const worker = fileURLToPath(new URL('./install-again-and-again.ts', import.meta.url));

export async function surviveKills(t: TestContext, kills: number, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const { home } = temporaryHome(t);
  const source = join(home.path, '..', 'foo');
  mkdirSync(join(source, 'references'), { recursive: true });
  writeFileSync(join(source, 'SKILL.md'), '---\nname: foo\ndescription: d\n---\nText\n');
  for (let n = 0; n < 30; n++) writeFileSync(join(source, 'references', `${n}.md`), `${n}`);
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [worker, home.path, source], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    // Anywhere in the installation that has just begun, or in the removal after it.
    await new Promise((resolve) => setTimeout(resolve, random() * 25));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await withHubLock(home.path, () => sweep(home.path));
    const folder = join(home.path, 'skills', 'foo');
    const entry = readLock(home.path).get('foo');
    const waiting = join(home.path, 'skills', '.hub', 'quarantine');
    assert.deepEqual(existsSync(waiting) ? readdirSync(waiting) : [], []);
    if (existsSync(folder)) {
      assert.ok(entry, 'a skill that nobody knows');
      assert.deepEqual(localState(home.path, entry), { missing: false, changed: [] });
    }
  }
}
