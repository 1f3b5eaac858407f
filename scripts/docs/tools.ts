/** The page of the tools: what the agent can do, by toolset. */
import { toolCatalogue } from '../../src/tools/catalogue.ts';
import { composites } from '../../src/tools/toolset-names.ts';
import { blocks, code, codes, type Page, plain, table } from './markdown.ts';

export async function toolsPage(): Promise<Page> {
  const rows = await Promise.all(
    toolCatalogue.map(async (entry) => {
      const { name, toolset, description, schema } = await entry.load();
      return [code(name), code(toolset), codes(argumentsOf(schema)), plain(description)];
    }),
  );
  const here = new Set(toolCatalogue.map(({ toolset }) => toolset));
  const sets = Object.entries(composites)
    .map(([name, members]) => [code(name), codes(members.filter((member) => here.has(member)))])
    .filter(([, members]) => members !== '');
  return {
    name: 'tools.md',
    text: blocks(
      '# Tools',
      'What the agent can use, as it is told to the model. `hermes tools` switches toolsets on and off, `hermes --toolsets file,web` chooses them for one run, `hermes --list-tools` shows what a session would have.',
      table(['tool', 'toolset', 'arguments', 'what the model reads'], rows),
      '## Sets of toolsets',
      'Names that stand for several toolsets, with those of them that this build has. `all` stands for every toolset.',
      table(['name', 'toolsets'], sets),
    ),
  };
}

function argumentsOf(schema: Readonly<Record<string, unknown>>): string[] {
  const properties = schema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
