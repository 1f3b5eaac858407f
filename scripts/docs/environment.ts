/** The page of the environment variables; it cannot be made while one is read that nobody has described. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configVariables } from '../../src/config/env-layers.ts';
import { missingPartOf } from '../../src/config/not-in-build.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { blocks, code, codes, type Page, table } from './markdown.ts';
import { insideOnly, variableGroups } from './variables.ts';

export function environmentPage(root: string): Page {
  const providers = providerCatalogue.filter(
    ({ keyVariables, baseUrlVariable }) => keyVariables.length > 0 || baseUrlVariable !== undefined,
  );
  const copies = configVariables().filter(({ path }) => missingPartOf(path) === undefined);
  refuseUndescribed(root, [
    ...variableGroups.flatMap(({ variables }) => variables.flatMap(([names]) => names.split(' '))),
    ...copies.map(({ variable }) => variable),
  ]);
  return {
    name: 'environment.md',
    text: blocks(
      '# Environment variables',
      'What the program reads from the environment. The same names work in `.env` in the home, which `hermes config set NAME value` writes for keys; the file wins over what the shell says. Switches are on with `1`, `true`, `yes` or `on`.',
      ...variableGroups.flatMap(({ title, variables }) => [
        `## ${title}`,
        table(
          ['variable', 'meaning'],
          variables.map(([names, meaning]) => [codes(names.split(' ')), meaning]),
        ),
      ]),
      '## Instead of a configuration key',
      'Those that win are stronger than `config.yaml` for the process; the others count where the file says nothing.',
      table(
        ['variable', 'key', 'against the file'],
        copies.map(({ variable, path, wins, invert }) => [
          code(variable),
          `${code(path)}${invert ? ', the other way round' : ''}`,
          wins ? 'wins' : '',
        ]),
      ),
      '## Model providers',
      'Of several variables the first one that is set counts.',
      table(
        ['provider', 'key', 'address'],
        providers.map(({ id, keyVariables, baseUrlVariable }) => [
          code(id),
          codes(keyVariables),
          code(baseUrlVariable ?? ''),
        ]),
      ),
    ),
  };
}

/** Files that look variables up by a name that is written there. */
const readers = 'src/config/{process-settings,model-variables,skill-settings,managed,home,dotenv,shell}.ts';
/** Ends of names that are put together, and folders of files. */
const noVariables: ReadonlySet<string> = new Set(['API_KEY', 'BASE_URL']);

function refuseUndescribed(root: string, described: readonly string[]): void {
  const known = new Set([...described, ...insideOnly, ...noVariables]);
  const unknown = variablesRead(root).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Error(`read from the environment and not described in scripts/docs/variables.ts: ${unknown.join(', ')}`);
}

function variablesRead(root: string): string[] {
  const sources = [...globSync(readers, { cwd: root }), 'bin/hermes.mjs'].sort();
  const names = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/(?:'|process\.env\.)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)].map(([, name = '']) => name);
  });
  return [...new Set(names)];
}
