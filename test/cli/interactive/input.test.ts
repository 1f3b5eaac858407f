/** What the input box offers and takes. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commandItems, createCompletion } from '../../../src/cli/interactive/completion.ts';
import { Pastes } from '../../../src/cli/interactive/pastes.ts';
import { slashCommands } from '../../../src/commands/catalogue.ts';
import { resolveCommand } from '../../../src/commands/resolve.ts';

test('the first command that is offered is the one that the word means', () => {
  const names = slashCommands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const prefixes = names.flatMap((name) => Array.from(name, (_, index) => name.slice(0, index + 1)));
  for (const word of [...prefixes, 'HELP', 'Re', 'zzz']) {
    const meant = resolveCommand(`/${word}`, slashCommands, () => false);
    const [first] = commandItems(slashCommands, word);
    if (meant.kind === 'command') assert.equal(first?.value, meant.command.name, word);
  }
  assert.deepEqual(commandItems(slashCommands, 'zzz'), []);
  assert.equal(commandItems(slashCommands, '').length, slashCommands.length);
});

test('values are offered once a letter is typed, and Enter is never in the way of a whole one', async () => {
  const completion = createCompletion(slashCommands, '/');
  const offered = async (line: string): Promise<string[]> => {
    const { signal } = new AbortController();
    return (await completion.getSuggestions([line], 0, line.length, { signal }))?.items.map(({ value }) => value) ?? [];
  };
  assert.deepEqual(await offered('/busy '), []);
  assert.deepEqual(await offered('/busy q'), ['queue']);
  assert.deepEqual(await offered('/busy queue'), []);
  assert.deepEqual(await offered('/home/someone/file'), []);
});

function pastesDirectory(t: TestContext): string {
  const base = mkdtempSync(join(tmpdir(), 'hermes-pastes-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  return join(base, 'pastes');
}

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line\t${n}`).join('\n');

test('six lines and more become one, kept in a private file, and come back byte for byte', (t) => {
  const directory = pastesDirectory(t);
  const pastes = new Pastes(directory, (path) => path.replace(directory, '~/pastes'));
  assert.equal(pastes.collapse(lines(5)), undefined);
  assert.ok(!existsSync(directory));
  const first = pastes.collapse(lines(50)) ?? '';
  assert.match(first, /^\[Pasted text #1: 50 lines → ~\/pastes\/paste_1_\d{6}\.txt\]$/);
  const second = pastes.collapse(lines(6)) ?? '';
  assert.match(second, /^\[Pasted text #2: 6 lines → /);
  const files = readdirSync(directory);
  assert.equal(files.length, 2);
  for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600);
  assert.equal(pastes.expand(`look: ${first} and ${second}!`), `look: ${lines(50)} and ${lines(6)}!`);
  const later = new Pastes(directory, (path) => path);
  assert.equal(later.expand(first), lines(50), 'also in a later run, from the history');
});

test('a marker that somebody made up reads no other file', (t) => {
  const directory = pastesDirectory(t);
  const pastes = new Pastes(directory, (path) => path);
  pastes.collapse(lines(6));
  const outside = join(directory, '..', 'paste_1_000000.txt');
  writeFileSync(outside, 'outside');
  for (const path of ['/etc/passwd', '../secret.txt', outside, 'paste_9_000000.txt']) {
    const marker = `[Pasted text #1: 6 lines → ${path}]`;
    assert.equal(pastes.expand(marker), marker);
  }
});

test('where nothing can be kept a paste is inserted as it is', (t) => {
  const directory = pastesDirectory(t);
  writeFileSync(directory, 'a file in the way');
  chmodSync(directory, 0o400);
  assert.equal(new Pastes(directory, (path) => path).collapse(lines(50)), undefined);
});
