/** Every slash command and alias of the original's terminal is here, or said to belong to a part that is not built. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { missingPart, missingSlashLine } from '../../src/cli/not-in-this-build.ts';
import { slashCommands } from '../../src/commands/catalogue.ts';

/** Those that the terminal of release 0.19.0 has. */
const original = JSON.parse(
  readFileSync(new URL('original/slash-commands-0.19.json', import.meta.url), 'utf8'),
) as readonly { readonly name: string; readonly aliases?: readonly string[] }[];

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
