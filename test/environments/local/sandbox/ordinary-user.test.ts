/** The sandbox of somebody who is not root. Where the tests run as root, somebody else is asked to try. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import * as z from 'zod';
import { secret, whyNoSandbox } from './support.ts';

const nobody = 65_534;
const script = join(import.meta.dirname, 'try-escapes.ts');
const become = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', process.execPath];
const answer = z.object({ problem: z.string().optional(), tried: z.array(z.tuple([z.string(), z.string()])) });

test('an ordinary user is confined as well, without any capability', { skip: await whyNot() }, async (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  chownSync(home, nobody, nobody);
  chmodSync(home, 0o700);
  const { stdout } = await promisify(execFile)('setpriv', [...become, script, home, `${process.pid}`], {
    env: { PATH: process.env['PATH'], HOME: home },
    cwd: '/',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { problem, tried } = answer.parse(JSON.parse(stdout));
  assert.equal(problem, undefined);
  const none = '0000000000000000';
  assert.equal(
    tried[0]?.[1].replaceAll('\t', ' '),
    `${nobody}\nCapPrm: ${none}\nCapEff: ${none}\nCapAmb: ${none}\nNoNewPrivs: 1\n`,
  );
  for (const [command, output] of tried) assert.ok(!output.includes(secret), `${command}\n${output}`);
  const left = readdirSync(home).filter((name) => /^(?:new-|evil$|link$|y$|p2$|project-)/.test(name));
  assert.deepEqual(left, []);
  assert.equal(readFileSync(join(home, 'notes.txt'), 'utf8'), 'mine\n');
  assert.ok(!readFileSync(join(home, 'project/.git/config'), 'utf8').includes('evil'));
  assert.ok(existsSync(join(home, 'other/keep.txt')));
});

async function whyNot(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'the other tests are run by an ordinary user already';
  const { status } = spawnSync('setpriv', [...become, '--check', script], { cwd: '/', stdio: 'ignore' });
  return status === 0 ? await whyNoSandbox() : 'another user cannot read this folder';
}
