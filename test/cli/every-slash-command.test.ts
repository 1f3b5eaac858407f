/** Every slash command and alias of the original is here, or said to belong to a part that is not built. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { missingPart, missingSlashLine } from '../../src/cli/not-in-this-build.ts';
import { slashCommands } from '../../src/commands/catalogue.ts';
import { chatCommands } from '../../src/gateway/commands/catalogue.ts';
import { isUseless } from '../../src/gateway/commands/offered-commands.ts';

/** Those that the terminal of release 0.19.0 has. */
const original = JSON.parse(
  readFileSync(new URL('original/slash-commands-0.19.json', import.meta.url), 'utf8'),
) as readonly { readonly name: string; readonly aliases?: readonly string[] }[];

/** Those of its chats. */
const inChats = JSON.parse(
  readFileSync(new URL('original/chat-commands-0.19.json', import.meta.url), 'utf8'),
) as typeof original;

const known = new Set(
  slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((each) => each.replaceAll('_', '-'))),
);

test('every name is answered: by the command, or by one line that names the missing part', () => {
  const names = original.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const unanswered = names.filter(
    (name) => !known.has(name.replaceAll('_', '-')) && missingSlashLine(`/${name} words`) === undefined,
  );
  assert.deepEqual(unanswered, []);
  assert.match(
    missingSlashLine('/GOAL win') ?? '',
    /^\/goal is not available in this build: it belongs to standing goals\.$/,
  );
  assert.equal(missingSlashLine('/goalkeeper'), undefined);
});

test('no command that is here is said to be missing', () => {
  assert.deepEqual(
    [...known].filter((name) => missingPart(`/${name}`) !== undefined),
    [],
  );
});

test('so is every name that the original has in chats: none of them goes to the model', () => {
  const names = inChats
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((name) => name.replaceAll('_', '-'));
  const here = new Set(
    [...slashCommands.filter(({ surface }) => surface === 'both'), ...chatCommands].flatMap(({ name, aliases = [] }) =>
      [name, ...aliases].map((each) => each.replaceAll('_', '-')),
    ),
  );
  assert.deepEqual(
    names.filter((name) => !here.has(name) && !isUseless(name) && missingSlashLine(`/${name}`) === undefined),
    [],
  );
});
