/** The page of what the original has and this build does not: commands, flags, keys of `config.yaml` and variables. */
import { missingParts } from '../../src/cli/not-in-this-build.ts';
import { missingVariables } from '../../src/config/not-in-build-variables.ts';
import { missingKeys } from '../../src/config/not-in-build.ts';
import { blocks, codes, type Page, table } from './markdown.ts';

export function missingPage(): Page {
  return {
    name: 'not-in-this-build.md',
    text: blocks(
      '# What is not in this build',
      'Parts of hermes-agent 0.19.0 that are not built here, or not yet. What this build does otherwise on purpose stands in [differences](../differences.md).',
      '## Commands and flags',
      'Each answers with one line that names the part, and with exit code 1.',
      table(
        ['part', 'commands and flags'],
        missingParts.map(({ part, names }) => [part, codes(names)]),
      ),
      '## Keys of config.yaml',
      'They are kept in the file and have no effect; `hermes config check` says so. Where a key names a section, all of it is meant; `*` stands for any name.',
      table(
        ['part', 'keys'],
        missingKeys.map(({ part, keys }) => [part, codes(keys.trim().split(/\s+/))]),
      ),
      '## Environment variables',
      '`hermes doctor` and `hermes config check` say so when one is set. `*` stands for any ending; those that stand for a key above go with it.',
      table(
        ['part', 'variables'],
        missingVariables.map(({ part, names }) => [part, codes(names.trim().split(/\s+/))]),
      ),
    ),
  };
}
