/**
 * Writes the reference pages in `docs/reference/` from the catalogues of the program.
 *
 *   node scripts/docs.ts           write them
 *   node scripts/docs.ts --check   fail when one of them is not what would be written
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandsPage } from './docs/commands.ts';
import { configurationPage } from './docs/configuration.ts';
import { environmentPage } from './docs/environment.ts';
import type { Page } from './docs/markdown.ts';
import { missingPage } from './docs/missing.ts';
import { providersPage } from './docs/providers.ts';
import { keysPage, slashCommandsPage } from './docs/slash-commands.ts';
import { toolsPage } from './docs/tools.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'reference');
const note = '<!-- Made from the sources by `npm run docs`; changes by hand are lost. -->\n\n';

const { values: flags } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const pages: readonly Page[] = [
  await commandsPage(),
  slashCommandsPage(),
  keysPage(),
  configurationPage(),
  environmentPage(root),
  await toolsPage(),
  providersPage(),
  missingPage(),
];
if (flags.check) check();
else write();

function write(): void {
  mkdirSync(folder, { recursive: true });
  for (const name of strangers()) rmSync(join(folder, name));
  for (const { name, text } of pages) writeFileSync(join(folder, name), note + text);
}

function check(): void {
  const stale = pages.filter(({ name, text }) => read(name) !== note + text).map(({ name }) => name);
  const wrong = [...stale, ...strangers()].map((name) => `docs/reference/${name}`);
  if (wrong.length === 0) return;
  process.stderr.write(`not what the sources say any more: ${wrong.join(', ')}\nrun: npm run docs\n`);
  process.exitCode = 1;
}

function read(name: string): string | undefined {
  return globSync(name, { cwd: folder }).length === 0 ? undefined : readFileSync(join(folder, name), 'utf8');
}

/** Pages of which nothing knows any more. */
function strangers(): string[] {
  const known = new Set(pages.map(({ name }) => name));
  return globSync('*.md', { cwd: folder }).filter((name) => !known.has(name));
}
