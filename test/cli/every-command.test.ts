/** Every command, sub-command and flag of the original is here, or said to belong to a part that is not built. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { commandCatalogue } from '../../src/cli/catalogue.ts';
import { addChatOptions } from '../../src/cli/chat/options.ts';
import type { CliContext } from '../../src/cli/command.ts';
import { missingPart } from '../../src/cli/not-in-this-build.ts';

interface Facts {
  readonly aliases: readonly string[];
  readonly flags: readonly string[];
}

/** Names of commands and flags of release 0.19.0, by path; `''` is the program itself. */
const original = JSON.parse(readFileSync(new URL('original/commands-0.19.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Facts>
>;

const stream = { isTTY: false, write: () => true };
const context = {
  commands: commandCatalogue,
  io: { stdin: stream, stdout: stream, stderr: stream },
  home: { path: '/nowhere' },
  env: {},
} as unknown as CliContext;

/** The commands as they are declared; nothing is run. */
async function declared(): Promise<Map<string, Command>> {
  const found = new Map<string, Command>();
  const add = (path: string, command: Command): void => {
    found.set(path, command);
    for (const child of command.commands) add(`${path} ${child.name()}`, child);
  };
  found.set('', addChatOptions(new Command('hermes').option('-V, --version').option('-p, --profile <name>')));
  for (const entry of commandCatalogue) {
    add(entry.name, (await entry.load()).build(context));
  }
  return found;
}

/** The part that a path, or a command around it, belongs to. */
function partOf(path: string): string | undefined {
  const words = path.split(' ');
  return words.map((_, index) => missingPart(words.slice(0, index + 1).join(' '))).find((part) => part !== undefined);
}

async function absent(): Promise<string[]> {
  const commands = await declared();
  const names: string[] = [];
  for (const [path, { aliases, flags }] of Object.entries(original)) {
    // `login` says where it went, whatever stands behind it.
    if (partOf(path) !== undefined || path === 'login') continue;
    const command = commands.get(path);
    if (command === undefined) {
      names.push(path);
      continue;
    }
    for (const alias of aliases) if (!command.aliases().includes(alias)) names.push(`${path} (${alias})`);
    const known = command.options.flatMap(({ short, long }) => [short, long]);
    for (const flag of flags) {
      const there = known.includes(flag) || missingPart(`${path} ${flag}`.trim()) !== undefined;
      if (!there) names.push(`${path} ${flag}`.trim());
    }
  }
  return names;
}

test('every name of the original is declared, or stands in the table of parts that are not built', async () => {
  const names = await absent();
  assert.deepEqual(names, []);
});

test('nothing that is built stands in the table of parts that are not', async () => {
  const commands = await declared();
  for (const path of commands.keys()) assert.equal(missingPart(path), undefined, path);
});
