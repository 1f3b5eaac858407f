/**
 * Counts how much of hermes-agent 0.19.0 is here, by names: `node scripts/compare-original.ts FOLDER`, where FOLDER holds
 * what was read out of the original (`cli-0.19.json`, `config-0.19.json` and so on). With `--names` it lists what is missing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import * as z from 'zod';
import { commandCatalogue } from '../src/cli/catalogue.ts';
import { addChatOptions } from '../src/cli/chat/options.ts';
import { missingPart } from '../src/cli/not-in-this-build.ts';
import { slashCommands } from '../src/commands/catalogue.ts';
import { configVariables } from '../src/config/env-layers.ts';
import { missingPartOfVariable } from '../src/config/not-in-build-variables.ts';
import { missingPartOf } from '../src/config/not-in-build.ts';
import { unknownKeysOf } from '../src/config/parse-config.ts';
import { isSectionName } from '../src/config/schema.ts';
import { setAt } from '../src/config/values.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { providerCatalogue } from '../src/providers/catalogue.ts';
import { tables } from '../src/sessions/sqlite/schema.ts';
import { toolCatalogue } from '../src/tools/catalogue.ts';
import { allToolsetNames } from '../src/tools/toolset-names.ts';
import { nowhere } from './docs/commands.ts';
import { insideOnly, variableGroups } from './docs/variables.ts';

const [folder = '', flag] = process.argv.slice(2);
const read = <Shape extends z.ZodType>(name: string, shape: Shape): z.infer<Shape> =>
  shape.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
const named = z.record(z.string(), z.looseObject({}));
const words = z.array(z.string()).default([]);

type Fate = 'there' | 'part not built' | 'missing';
const rows: (readonly [surface: string, names: ReadonlyMap<string, Fate>])[] = [];

function row(surface: string, names: Iterable<string>, fateOf: (name: string) => Fate): void {
  rows.push([surface, new Map([...names].map((name) => [name, fateOf(name)]))]);
}

const fate = (isThere: boolean, part: string | undefined): Fate =>
  isThere ? 'there' : part === undefined ? 'missing' : 'part not built';

/** Parts that are single settings of something that is built: they are what has to become none. */
const pieces = /^(?:this|these deadlines|deadlines of|another name|mixtures kept|the rule list|session files beside)/;
const settingFate = (isThere: boolean, part: string | undefined): Fate =>
  fate(isThere, part !== undefined && pieces.test(part) ? undefined : part);

async function commands(): Promise<void> {
  const ours = new Map<string, readonly string[]>();
  const add = (path: string, command: Command): void => {
    ours.set(
      path,
      command.options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()),
    );
    for (const child of command.commands) {
      for (const name of [child.name(), ...child.aliases()]) add(`${path} ${name}`, child);
    }
  };
  add('(global)', addChatOptions(new Command().option('-V, --version').option('-p, --profile <name>')));
  for (const entry of commandCatalogue) add(entry.name, (await entry.load()).build(nowhere()));
  const argument = z.looseObject({ name: z.union([z.string(), z.array(z.string())]).optional() });
  const original = read(
    'cli-0.19.json',
    z.looseObject({ commands: z.record(z.string(), z.looseObject({ args: z.array(argument).default([]) })) }),
  ).commands;
  const partOf = (path: string): string | undefined =>
    path
      .split(' ')
      .map((_, at, all) => missingPart(all.slice(0, at + 1).join(' ')))
      .find((part) => part !== undefined);
  const paths = Object.keys(original).filter((path) => path !== '(global)');
  const here = (path: string): Fate => fate(ours.has(path), partOf(path));
  row(
    'commands',
    paths.filter((path) => !path.includes(' ')),
    here,
  );
  row(
    'sub-commands',
    paths.filter((path) => path.includes(' ')),
    here,
  );
  const flags = Object.entries(original).flatMap(([path, { args }]) =>
    ours.has(path) && path !== 'login'
      ? args
          .flatMap(({ name = [] }) => [name].flat())
          .filter((name) => name.startsWith('--'))
          .map((name) => `${path} ${name}`)
      : [],
  );
  row('flags of shared commands', flags, (each) => {
    const [path = '', name = ''] = each.split(/ (?=--)/);
    return fate(ours.get(path)?.includes(name) === true, missingPart(path === '(global)' ? name : each));
  });
}

function typed(): void {
  const shape = z.looseObject({
    commands: z.array(z.looseObject({ name: z.string(), aliases: words, surfaces: z.string() })),
  });
  const original = read('slash-commands-0.19.json', shape).commands.filter(({ surfaces }) => surfaces !== 'gateway');
  const ours = new Set(slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const names = original.flatMap(({ name, aliases }) => [name, ...aliases]);
  row('slash commands and aliases', new Set(names.map((name) => name.replaceAll('_', '-'))), (name) =>
    fate(ours.has(name), missingPart(`/${name}`)),
  );
}

function settings(): void {
  const { defaults } = read('config-0.19.json', z.looseObject({ defaults: z.record(z.string(), z.json()) }));
  row('config leaves', Object.keys(defaults), (key) => {
    const tree: JsonObject = {};
    setAt(tree, key.split('.'), defaults[key] ?? 'x');
    const [name = ''] = key.split('.');
    const known = key === '_config_version' || (isSectionName(name) && unknownKeysOf(name, tree[name]).length === 0);
    const part = missingPartOf(key);
    return settingFate(known && part === undefined, part);
  });
}

/** Of the system and of other programs, and what the original hands to its own children. */
const notOfHermes =
  /^(?!HERMES_|TERMINAL_)|^HERMES_(?:BIN|COMPUTE_HOST_CHILD|EXEC_ASK|INTERACTIVE|PLATFORM|PROFILE|REAL_HOME|SESSION_)/;

function variables(): void {
  const original = read('env-0.19.json', z.looseObject({ variables: named })).variables;
  const here = new Set([
    ...variableGroups.flatMap((group) => group.variables.flatMap(([names]) => names.split(' '))),
    ...insideOnly,
    ...configVariables().map(({ variable }) => variable),
    ...providerCatalogue.flatMap(({ keyVariables, baseUrlVariable, keysByHost = [] }) => [
      ...keyVariables,
      ...keysByHost.map(({ variable }) => variable),
      ...(baseUrlVariable === undefined ? [] : [baseUrlVariable]),
    ]),
  ]);
  const ours = Object.keys(original).filter(
    (name) =>
      original[name]?.['system'] !== true &&
      (here.has(name) || missingPartOfVariable(name) !== undefined || !notOfHermes.test(name)),
  );
  row('environment variables', ours, (name) => {
    const part = missingPartOfVariable(name);
    return settingFate(here.has(name) && part === undefined, part);
  });
}

async function tools(): Promise<void> {
  const parameters = z.looseObject({ properties: named.default({}) });
  const original = read(
    'tools-0.19.json',
    z.looseObject({ tools: z.record(z.string(), z.looseObject({ parameters })) }),
  ).tools;
  const ours = new Map<string, readonly string[]>();
  for (const entry of toolCatalogue) {
    const schema = parameters.parse((await entry.load()).schema);
    ours.set(entry.name, Object.keys(schema.properties));
  }
  const shared = Object.keys(original).filter((name) => ours.has(name));
  row('tools', Object.keys(original), (name) => (ours.has(name) ? 'there' : 'part not built'));
  const names = shared.flatMap((tool) =>
    Object.keys(original[tool]?.parameters.properties ?? {}).map((name) => `${tool}.${name}`),
  );
  row('parameters of shared tools', names, (each) => {
    const [tool = '', name = ''] = each.split('.');
    return fate(ours.get(tool)?.includes(name) === true, undefined);
  });
}

function providers(): void {
  const shape = z.looseObject({ providers: z.record(z.string(), z.looseObject({ aliases: words })) });
  const original = read('providers-0.19.json', shape).providers;
  const ours = new Set(providerCatalogue.flatMap(({ id, aliases }) => [id, ...aliases]));
  const here = (name: string): Fate => fate(ours.has(name), name.includes('acp') ? 'Copilot as a program' : undefined);
  row('provider ids', Object.keys(original), here);
  row('provider aliases', new Set(Object.values(original).flatMap(({ aliases }) => aliases)), here);
}

function store(): void {
  const table = z.looseObject({ columns: z.array(z.looseObject({ name: z.string() })) });
  const original = read('state-db-0.19.sql.json', z.looseObject({ tables: z.record(z.string(), table) })).tables;
  const ours: Readonly<Record<string, object>> = { ...tables, schema_version: { version: '' } };
  const fateOf = (name: string, isThere: boolean): Fate =>
    fate(isThere, /^telegram_|^delivery_/.test(name) ? 'chat platforms' : undefined);
  row('tables of the store', Object.keys(original), (name) => fateOf(name, name in ours));
  const columns = Object.entries(original).flatMap(([name, { columns: each }]) =>
    each.map((column) => `${name}.${column.name}`),
  );
  row('columns of the store', columns, (each) => {
    const [name = '', column = ''] = each.split('.');
    return fateOf(name, column in (ours[name] ?? {}));
  });
}

await commands();
typed();
settings();
variables();
await tools();
const sets = read('toolsets-0.19.json', z.looseObject({ toolsets: named })).toolsets;
const setNames = new Set(allToolsetNames(toolCatalogue.map(({ toolset }) => toolset)));
row('toolset names', Object.keys(sets), (name) => fate(setNames.has(name), undefined));
providers();
store();

const print = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
print(['surface', 'original', 'there', 'part not built', 'missing']);
print(['---', '---', '---', '---', '---']);
for (const [surface, names] of rows) {
  const count = (wanted: Fate): string => String([...names.values()].filter((each) => each === wanted).length);
  print([surface, String(names.size), count('there'), count('part not built'), count('missing')]);
}
if (flag === '--names') {
  for (const [surface, names] of rows) {
    const missing = [...names].filter(([, each]) => each === 'missing').map(([name]) => name);
    if (missing.length > 0) console.log(`\n${surface}: ${missing.join(', ')}`);
  }
}
