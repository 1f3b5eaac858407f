/** What the input box offers and takes. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import type { AutocompleteItem } from '@earendil-works/pi-tui';
import { commandItems, createCompletion } from '../../../src/cli/interactive/completion.ts';
import { Pastes } from '../../../src/cli/interactive/pastes.ts';
import { referenceOffers, typedReference } from '../../../src/cli/interactive/reference-offers.ts';
import { WorkspaceFiles } from '../../../src/cli/interactive/workspace-files.ts';
import { slashCommands } from '../../../src/commands/catalogue.ts';
import type { Completing } from '../../../src/commands/complete.ts';
import { resolveCommand } from '../../../src/commands/resolve.ts';
import { noLog } from '../../../src/lib/log.ts';
import { withFolders } from '../../../src/references/list-files.ts';
import { parseReferences, writeReference } from '../../../src/references/parse.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { openConversation } from '../../commands/conversation.ts';
import { startModelServer } from '../../fakes/model-server.ts';

test('the first command that is offered is the one that the word means', () => {
  const names = slashCommands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const prefixes = names.flatMap((name) => Array.from(name, (_, index) => name.slice(0, index + 1)));
  for (const word of [...prefixes, 'HELP', 'Re', 'zzz']) {
    const meant = resolveCommand(`/${word}`, slashCommands, { isExistingPath: () => false });
    const [first] = commandItems(slashCommands, word);
    if (meant.kind === 'command') assert.equal(first?.value, meant.command.name, word);
  }
  assert.deepEqual(commandItems(slashCommands, 'zzz'), []);
  assert.equal(commandItems(slashCommands, '').length, slashCommands.length);
});

test('arguments are offered by what they begin with, and Enter is never in the way of a whole one', async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'Fine.' }, { text: 'Fine again.' });
  const chat = await openConversation(t, server);
  const { store, session } = chat;
  await chat.say('what is the weather?');
  await chat.say('and tomorrow?');
  await store.sessions.create({ id: '20260101_000000_abcdef', source: 'test' });
  await store.sessions.setTitle('20260101_000000_abcdef', 'Old matters');
  await store.messages.append('20260101_000000_abcdef', { role: 'user', content: 'long ago' });
  const offered = offersOf({ session, store }, ({ value }) => value);
  assert.deepEqual(await offered('/busy '), ['interrupt', 'queue', 'steer', 'status']);
  assert.deepEqual(await offered('/busy q'), ['queue']);
  assert.deepEqual(await offered('/busy queue'), []);
  assert.deepEqual(await offered('/busy queue '), []);
  assert.deepEqual(await offered('/memory approve '), ['approve all']);
  assert.deepEqual(await offered('/undo '), ['1', '2']);
  assert.deepEqual(await offered('/resume mat'), ['Old matters']);
  assert.deepEqual(await offered('/resume '), ['Old matters']);
  assert.ok((await offered('/personality p')).includes('pirate'));
  assert.deepEqual(await offered('/memory appro'), ['approve all', 'approval on', 'approval off']);
  assert.deepEqual(await offered('/home/someone/file'), []);
  assert.deepEqual(await offered('/copy '), ['1', '2']);
  assert.ok((await offered('/tools dis')).includes('disable terminal'));
  assert.deepEqual(await offered('/insights 3'), ['30', '365']);
});

test('behind the commands the skills are offered that can be typed', async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = temporaryHome(t);
  for (const name of ['greet', 'h', 'help']) {
    mkdirSync(join(place.home.path, 'skills', name), { recursive: true });
    place.write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}\n---\nText\n`);
  }
  const { store, session } = await openConversation(t, server, '', { place });
  const offered = offersOf({ session, store }, ({ label }) => label);
  assert.deepEqual(await offered('/gre'), ['/greet']);
  assert.deepEqual((await offered('/h')).slice(0, 2), ['/h', '/help'], 'what Enter would run comes first');
  assert.deepEqual(await offered('/help'), ['/help']);
});

const entries = withFolders([
  'README.md',
  'src/cli/chat.ts',
  'src/cli/chat notes.md',
  'src/chart/c-h-a-t.md',
  'it\'s "odd"`.md',
]);

function offered(line: string): string[] {
  const typed = typedReference(line);
  return typed === undefined ? [] : referenceOffers(typed, entries).map(({ value }) => value);
}

test('behind an @ stand the kinds and what lies here; the nearest name comes first', () => {
  assert.deepEqual(offered('see @').slice(0, 6), ['@file:', '@folder:', '@diff', '@staged', '@git:', '@url:']);
  assert.deepEqual(offered('see @').slice(6), ['@file:README.md', '@folder:src/']);
  assert.deepEqual(offered('@chat').slice(0, 2), ['@file:src/cli/chat.ts', '@file:"src/cli/chat notes.md"']);
  assert.deepEqual(offered('@folder:cli'), ['@folder:src/cli/']);
  assert.deepEqual(offered('@file:"chat no'), ['@file:"src/cli/chat notes.md"']);
  for (const whole of ['@diff', '@file:README.md', '@file:"src/cli/chat notes.md"', 'me@chat', 'no', '@odd'])
    assert.deepEqual(offered(whole), [], whole);
});

test('what is offered is a reference to that very path', () => {
  const name = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '`', '.', ':', '1', ')', 'é'), minLength: 1 });
  fc.assert(
    fc.property(name, fc.constantFrom('file' as const, 'folder' as const), (path, kind) => {
      const written = writeReference(kind, path);
      if (written === undefined) return;
      const { references } = parseReferences(`look at ${written} please`);
      assert.deepEqual(references, [{ kind, raw: written, path }]);
    }),
  );
});

test('a listing is shared, kept, and not waited for by who typed on', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  let listings = 0;
  const files = new WorkspaceFiles(() => {
    listings += 1;
    return promise;
  }, noLog);
  assert.deepEqual(await files.entries(AbortSignal.abort()), []);
  const second = files.entries(new AbortController().signal);
  resolve(['a/b']);
  assert.deepEqual(await second, [
    { path: 'a', folder: true },
    { path: 'a/b', folder: false },
  ]);
  await files.entries(new AbortController().signal);
  assert.equal(listings, 1);
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
  assert.match(pastes.collapse(`${lines(50)}\n`) ?? '', /: 50 lines → /, 'a break at the end begins no line');
  assert.match(pastes.collapse('x'.repeat(20_000)) ?? '', /^\[Pasted text #4: 1 line → /);
  const files = readdirSync(directory);
  assert.equal(files.length, 4);
  for (const file of files) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600);
  assert.equal(pastes.expand(`look: ${first} and ${second}!`), `look: ${lines(50)} and ${lines(6)}!`);
  const later = new Pastes(directory, (path) => path);
  assert.equal(later.expand(first), lines(50), 'also in a later run, from the history');
});

test('what counts as long is set; 0 switches a bound off', (t) => {
  const directory = pastesDirectory(t);
  const collapses = (lineBreaks: number, characters: number, text: string) =>
    new Pastes(directory, (path) => path, noLog, { lineBreaks, guessedLineBreaks: 0, characters }).collapse(text) !==
    undefined;
  assert.ok(collapses(0, 50, 'x'.repeat(50)) && !collapses(0, 50, 'x'.repeat(49)) && !collapses(0, 0, lines(9)));
  assert.ok(collapses(2, 0, lines(3)) && !collapses(2, 0, lines(2)));
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

/** What is offered behind a typed line. */
function offersOf(completing: Completing, shown: (item: AutocompleteItem) => string) {
  const completion = createCompletion({
    commands: slashCommands,
    cwd: '/',
    log: noLog,
    completing: () => completing,
    files: () => Promise.resolve([]),
  });
  return async (line: string): Promise<string[]> => {
    const { signal } = new AbortController();
    return (await completion.getSuggestions([line], 0, line.length, { signal }))?.items.map(shown) ?? [];
  };
}
