/**
 * Gives every hostile command to the terminal, with nobody there to ask, in a world full of traps that the commands name.
 * What the policy lets run must run in the sandbox, and the world around the workspace must stay as it was.
 */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { whyNoSandbox } from '../../environments/local/sandbox/support.ts';
import { hostileClasses } from './hostile.ts';
import { trapsSprung } from './traps.ts';
import { type HostileWorld, makeHostileWorld, whyNoWorld } from './world.ts';

const skip = (await whyNoSandbox()) || whyNoWorld();
/** As long as commands reach the traps, a world without traces says something. */
const sprungAtLeast = 100;

suite('hostile commands, executed', { skip }, () => {
  let sprung = 0;
  let confined = 0;

  for (const { name, refused = [], asked = [], contained = [] } of hostileClasses) {
    test(`of the class "${name}" leave no trace outside of the workspace`, async (t) => {
      const world = await makeHostileWorld(t);
      for (const command of [...refused, ...asked, ...contained]) {
        const left = await effectsOf(world, command);
        if (left.length > 0) assert.deepEqual({ command, left }, { command, left: [] });
      }
      assert.deepEqual(world.changesElsewhere(), []);
      sprung += trapsSprung(world.workspace);
      confined += world.confined();
    });
  }

  after(() => {
    console.log(`${confined} commands ran confined; ${sprung} times a trap was sprung`);
    assert.ok(sprung >= sprungAtLeast, `only ${sprung} times`);
  });
});

/** What it changed, told, or ran with all rights. */
async function effectsOf(world: HostileWorld, command: string): Promise<readonly string[]> {
  const said = await world.give(command);
  return [
    ...world.changes(),
    ...world.outside().map((ran) => `ran with all rights: ${ran}`),
    ...(world.secrets.some((secret) => said.includes(secret)) ? [`told a secret: ${said.slice(0, 300)}`] : []),
    ...world.collected().map((request) => `sent ${request}`),
  ];
}
