/**
 * Holds the walls of the house: a room imports lower floors only, no two files import each other in a circle, and a
 * few things are kept in the one room that owns them. Prints `file:line: why` for everything that breaks a rule.
 *
 *   node scripts/check-floors.ts [directory with a src/ in it]
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCircles } from './find-circles.ts';
import { readFacts, type FileFacts } from './read-imports.ts';

/** Floor of every room, and of the two files that stand in no room. Rooms on one floor do not know each other. */
const floors: Readonly<Record<string, number>> = {
  'main.ts': 12,
  cli: 11,
  gateway: 10,
  acp: 10,
  commands: 9,
  http: 8,
  automation: 8,
  worker: 7,
  // The entry for programs that use the agent as a library: everything from the worker downward.
  'index.ts': 7.5,
  runtime: 6,
  prompt: 5,
  references: 5,
  tools: 5,
  mcp: 5,
  plugins: 5,
  providers: 4,
  backups: 4,
  sessions: 4,
  'skill-hub': 4,
  curator: 4,
  memory: 4,
  cron: 4,
  kanban: 4,
  agent: 3,
  audit: 3,
  checkpoints: 3,
  coding: 3,
  credentials: 3,
  models: 3,
  pictures: 3,
  'secret-sources': 3,
  skills: 3,
  speech: 3,
  llm: 2,
  environments: 2,
  config: 1,
  safety: 1,
  lib: 0,
};

interface Owned {
  readonly what: RegExp;
  readonly owners: readonly string[];
  readonly why: string;
}

/** Libraries that only some places may import; a place is a file or a folder under `src/`. */
const ownedLibraries: readonly Owned[] = [
  {
    what: /^(node:)?child_process$/,
    owners: ['environments/'],
    why: 'commands are run by src/environments/ only; ask an Environment',
  },
  {
    what: /^@earendil-works\/pi-tui(\/|$)/,
    owners: ['cli/'],
    why: 'the terminal interface library belongs to src/cli/',
  },
];
const environmentOwners = ['config/', 'main.ts'];
/** Names of variables that are data, and programs on the search path, are looked up in these places. */
const variableOwners = [...environmentOwners, 'environments/', 'credentials/keys.ts', 'cli/find-program.ts'];

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const problems: string[] = [];
const edges = new Map<string, Map<string, number>>();

for (const file of globSync('**/*.ts', { cwd: join(root, 'src') })
  .map(toSlashes)
  .sort()) {
  checkFile(file, readFacts(readFileSync(join(root, 'src', file), 'utf8')));
}
for (const circle of findCircles(edges)) {
  const line = edges.get(circle[0] ?? '')?.get(circle[1] ?? '') ?? 1;
  report(circle[0] ?? '', line, `imports itself in a circle: ${circle.join(' → ')}`);
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function checkFile(file: string, facts: FileFacts): void {
  const room = roomOf(file);
  if (floors[room] === undefined) report(file, 1, `${room} is on no floor; give it one in scripts/check-floors.ts`);
  edges.set(file, new Map());
  for (const { specifier, line } of facts.imports) {
    const target = targetOf(file, specifier);
    if (target === undefined) checkLibrary(file, specifier, line);
    else checkNeighbour(file, target, line);
  }
  if (!isOwner(file, environmentOwners)) {
    for (const { line } of facts.environment) {
      report(file, line, 'process.env is read by src/config/ and src/main.ts only; take what you need as a parameter');
    }
  }
  if (!isOwner(file, variableOwners)) {
    for (const { line } of facts.variables) report(file, line, 'variables are looked up by name in src/config/ only');
  }
}

/** Path under `src/` of an import of our own; undefined for a library. */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#src/')) return specifier.slice('#src/'.length);
  return specifier.startsWith('.') ? posix.join(dirname(file), specifier) : undefined;
}

function checkNeighbour(file: string, target: string, line: number): void {
  if (target.startsWith('..')) return report(file, line, `reaches outside src/: ${target}`);
  if (!existsSync(join(root, 'src', target))) return report(file, line, `there is no src/${target}`);
  const lines = edges.get(file);
  if (lines !== undefined && !lines.has(target)) lines.set(target, line);
  const from = roomOf(file);
  const to = roomOf(target);
  const fromFloor = floors[from];
  const toFloor = floors[to];
  if (from === to || fromFloor === undefined || toFloor === undefined || toFloor < fromFloor) return;
  const direction = toFloor === fromFloor ? 'sideways' : 'upward';
  report(file, line, `imports ${direction}: ${from} (floor ${fromFloor}) may not know ${to} (floor ${toFloor})`);
}

function checkLibrary(file: string, specifier: string, line: number): void {
  const owned = ownedLibraries.find(({ what }) => what.test(specifier));
  if (owned !== undefined && !isOwner(file, owned.owners)) report(file, line, `imports ${specifier}: ${owned.why}`);
}

function isOwner(file: string, owners: readonly string[]): boolean {
  return owners.some((owner) => (owner.endsWith('/') ? file.startsWith(owner) : file === owner));
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function report(file: string, line: number, why: string): void {
  problems.push(`src/${file}:${line}: ${why}`);
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}
