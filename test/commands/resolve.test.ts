/** What a line that begins with a slash means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slashCommands } from '../../src/commands/catalogue.ts';
import { takeYes } from '../../src/commands/command.ts';
import { resolveCommand } from '../../src/commands/resolve.ts';

const resolve = (line: string, existing: readonly string[] = [], skills: readonly string[] = []) =>
  resolveCommand(line, slashCommands, { isExistingPath: (path) => existing.includes(path), skills });
const nameOf = (line: string): string | undefined => {
  const resolved = resolve(line);
  return resolved.kind === 'command' ? resolved.command.name : undefined;
};

test('case does not matter, and the only or the shortest name that begins with the word is meant', () => {
  assert.equal(nameOf('/HELP'), 'help');
  assert.equal(nameOf('/mod'), 'model');
  assert.equal(nameOf('/exit'), 'quit');
  assert.equal(nameOf('/ins'), 'insights');
  assert.equal(nameOf('/h'), 'help');
  assert.equal(nameOf('/reset'), 'new');
});

test('what could be several commands runs none of them', () => {
  const resolved = resolve('/re');
  assert.ok(resolved.kind === 'ambiguous');
  assert.ok(['/retry', '/resume', '/reasoning'].every((name) => resolved.meant.includes(name)));
});

test('/q is the queue and not the way out', () => {
  assert.equal(nameOf('/q later'), 'queue');
  assert.equal(nameOf('/sb'), 'statusbar');
});

test('arguments keep their case and their lines', () => {
  const resolved = resolve('/title My Great Title');
  assert.ok(resolved.kind === 'command');
  assert.equal(resolved.args, 'My Great Title');
  const queued = resolve('/queue first\nsecond');
  assert.ok(queued.kind === 'command');
  assert.equal(queued.args, 'first\nsecond');
});

test('an unknown command is never sent to the model, an existing path is', () => {
  assert.deepEqual(resolve('/zzz'), { kind: 'unknown', name: '/zzz' });
  assert.deepEqual(resolve('/home/u/a.png what is this?', ['/home/u/a.png']), { kind: 'message' });
  assert.deepEqual(resolve('no slash'), { kind: 'message' });
  assert.equal(resolve('/').kind, 'unknown');
});

test('what looks like a path goes to the model, there or not', () => {
  assert.deepEqual(resolve('/Users/ada/notes.md:45-46 explain this'), { kind: 'message' });
  assert.deepEqual(resolve('//server/share'), { kind: 'message' });
});

test('skills are found by their name and by the beginning of it, in one pool with the commands', () => {
  const skills = ['plan', 'rex', 'help-desk', 'status', 'quiz'];
  const named = (line: string) => resolve(line, [], skills);
  assert.deepEqual(named('/plan a Trip'), { kind: 'skill', name: 'plan', args: 'a Trip' });
  assert.deepEqual(named('/pla a Trip'), { kind: 'skill', name: 'plan', args: 'a Trip' });
  assert.deepEqual(named('/HELP_desk'), { kind: 'skill', name: 'help-desk', args: '' });
  assert.deepEqual(named('/re'), { kind: 'skill', name: 'rex', args: '' }, 'the shortest of all');
  assert.partialDeepStrictEqual(named('/hel'), { kind: 'command', exact: false });
  assert.partialDeepStrictEqual(named('/status'), { kind: 'command', exact: true }, 'a command hides a skill');
  assert.deepEqual(named('/qu'), { kind: 'ambiguous', name: '/qu', meant: ['/queue', '/quit', '/quiz'] });
});

test('every command has one name of its own', () => {
  const names = slashCommands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  assert.equal(new Set(names).size, names.length);
  for (const command of slashCommands) assert.equal(nameOf(`/${command.name}`), command.name);
});

test('now, --yes and -y answer the question before it is asked, and are no part of the title', () => {
  assert.deepEqual(takeYes('now demo'), { yes: true, rest: 'demo' });
  assert.deepEqual(takeYes('my title --yes'), { yes: true, rest: 'my title' });
  assert.deepEqual(takeYes('my title'), { yes: false, rest: 'my title' });
});
