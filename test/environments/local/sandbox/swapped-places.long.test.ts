/** A confined program that swaps files for links while another sandbox starts gains nothing by it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Confinement } from '../../../../src/environments/environment.ts';
import { layOut } from '../../../../src/environments/local/sandbox/bubblewrap-arguments.ts';
import { misplaced } from '../../../../src/environments/local/sandbox/mounted.ts';
import { startLinuxSandbox } from '../../../../src/environments/local/sandbox/start-linux-sandbox.ts';
import { findSandboxPrograms } from '../../../../src/environments/local/sandbox/why-not.ts';
import { makeDirectory } from '../../support.ts';
import { makeMachine, openMachine, secret, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();
const rounds = 3;
const gated: Confinement = { network: { allows: () => false } };

test('what was planned as a folder and is mounted as a link is seen, whatever it is by then', { skip }, async (t) => {
  const home = makeDirectory(t);
  for (const name of ['keys', 'other', 'work/kept', 'work/pinned/kept'])
    mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'keys/id'), secret);
  const at = (name: string): string => join(home, name);
  const places = {
    writable: [at('work')],
    readOnly: [at('work/kept'), at('work/pinned/kept')],
    rules: [],
    hidden: [at('keys')],
    shown: [],
  };
  const own = { inside: at('other'), door: at('other') };
  const programs = findSandboxPrograms();
  assert.ok('bwrap' in programs);
  const wrongAfter = async (name: string, link: string): Promise<string | undefined> => {
    const layout = layOut(places, '/dev/null', own);
    renameSync(at(name), at('aside'));
    if (link !== '') symlinkSync(link, at(name));
    else renameSync(at('aside'), at(name));
    const { signal } = new AbortController();
    const sandbox = await startLinuxSandbox({
      programs,
      layout: layout.arguments,
      sharesNetwork: true,
      timeoutMs: 20_000,
      signal,
    }).finally(() => {
      if (link === '') return;
      rmSync(at(name));
      renameSync(at('aside'), at(name));
    });
    t.after(() => sandbox.close());
    return misplaced(sandbox.pid, layout.covers)?.place.path;
  };
  assert.equal(await wrongAfter('work/kept', ''), undefined);
  assert.ok([at('keys'), at('work/kept')].includes((await wrongAfter('work/kept', '../keys')) ?? ''));
  mkdirSync(at('other/kept'));
  assert.equal(await wrongAfter('work/pinned', '../other'), at('work/pinned'));
});

for (const [what, name, link, look] of [
  ['keys are not shown', '.claude', '../.ssh', 'cat $HOME/.ssh/* .claude/*'],
  ['a folder outside is not written', '.github', '../other', 'touch $HOME/other/new-file .github/new-file'],
] as const) {
  test(`a folder that becomes a link and a folder again while a sandbox starts: ${what}`, { skip }, async (t) => {
    const { home, workspace, environment } = makeMachine(t);
    // What is kept lies in the folder.
    const program = `const { mkdirSync, renameSync, symlinkSync, writeFileSync } = require('node:fs');
      mkdirSync('${name}'); writeFileSync('${name}/copilot-instructions.md', ''); symlinkSync('${link}', '.link');
      for (;;) { renameSync('${name}', '.folder'); renameSync('.link', '${name}'); for (let i = 0; i < 3e5; i++);
        renameSync('${name}', '.link'); renameSync('.folder', '${name}'); for (let i = 0; i < 3e5; i++); }`;
    const text = `'${process.execPath}' -e "${program.replaceAll('\n', ' ')}"`;
    const attacker = await environment.spawn(text, { pty: false, confinement: { network: 'open' } });
    t.after(() => attacker.kill());
    for (let round = 1; round <= rounds; round += 1) {
      const other = openMachine(home, workspace);
      try {
        const { output } = await other
          .run(`export HOME=${home}; ${look}`, { confinement: gated })
          .catch((error: Error) => ({ output: error.message }));
        assert.ok(!output.includes(secret), `round ${round}: ${output}`);
        assert.ok(!existsSync(join(home, 'other/new-file')), `round ${round}`);
      } finally {
        await other.environment.close();
      }
    }
  });
}
