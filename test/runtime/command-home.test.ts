/** Which HOME commands get. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { commandHome } from '../../src/runtime/command-home.ts';
import { makeDirectory } from '../environments/support.ts';

function makePlace(t: TestContext): { readonly homePath: string; readonly inside: string } {
  const homePath = makeDirectory(t);
  mkdirSync(join(homePath, 'home'));
  return { homePath, inside: join(homePath, 'home') };
}

const onHost = (): boolean => false;
const env = { HOME: '/home/ann' };
const kept = { HERMES_REAL_HOME: '/home/ann' };

test('by itself HOME stays what it is, and HERMES_REAL_HOME says the same', (t) => {
  const { homePath } = makePlace(t);
  assert.deepEqual(commandHome({ mode: 'auto', homePath, env, insideContainer: onHost }), kept);
});

test('in a container, and where profile is asked for, HOME is inside the home of the agent, if that is there', (t) => {
  const { homePath, inside } = makePlace(t);
  const own = { ...kept, HOME: inside };
  assert.deepEqual(commandHome({ mode: 'auto', homePath, env, insideContainer: () => true }), own);
  assert.deepEqual(commandHome({ mode: 'profile', homePath, env, insideContainer: onHost }), own);
  const empty = makeDirectory(t);
  assert.deepEqual(commandHome({ mode: 'profile', homePath: empty, env, insideContainer: onHost }), kept);
});

test('a program that was started with the HOME of the agent gives its commands that of the person', (t) => {
  const { homePath, inside } = makePlace(t);
  const started = { HOME: inside, HERMES_REAL_HOME: '/home/ann' };
  const led = { ...kept, HOME: '/home/ann' };
  assert.deepEqual(commandHome({ mode: 'auto', homePath, env: started, insideContainer: onHost }), led);
  assert.deepEqual(commandHome({ mode: 'real', homePath, env: started, insideContainer: () => true }), led);
});
