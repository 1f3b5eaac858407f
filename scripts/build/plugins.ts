/** What the bundler does to our sources besides bundling them. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type * as Bundler from 'rolldown';
import type * as Parser from '../../src/config/parse-config.ts';
import type * as Schema from '../../src/config/schema.ts';
import type * as Tools from '../../src/tools/catalogue.ts';
import type * as Bridge from '../../src/tools/tool-search/bridge.ts';

/**
 * A source file that asks for its own address keeps getting the one it has in `src/`, so that
 * `new URL('../../package.json', import.meta.url)` means the same in a bundle. All parts stand directly in `dist/`.
 */
export function keepSourceAddresses(root: string): Bundler.Plugin {
  return {
    name: 'keep-source-addresses',
    transform(code, id) {
      if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta.url')) return null;
      const address = JSON.stringify(`../${relative(root, id).replaceAll('\\', '/')}`);
      return code.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`);
    },
  };
}

/**
 * Replaces `import { a } from 'node:fs'` by a plain look-up. The import statement builds an ES module around the
 * built-in one and for that touches every part of it, which loads streams, readline and more: 5 to 10 ms of a start.
 */
export function takeBuiltinsDirectly(): Bundler.Plugin {
  const statement = /^import (?:([\w$]+)(?:, | ))?(?:\* as ([\w$]+) |\{ ([^}]*) \} )?from "(node:[^"]+)";$/gm;
  return {
    name: 'take-builtins-directly',
    renderChunk: (code) =>
      code.replace(statement, (_, main?: string, all?: string, named?: string, id?: string) => {
        // A library may have a `process` of its own.
        const builtin = `globalThis.process.getBuiltinModule("${id}")`;
        const names = [main, all, named === undefined ? undefined : `{ ${named.replaceAll(' as ', ': ')} }`];
        const wanted = names.filter((name) => name !== undefined && name !== '');
        return wanted.length === 0 ? '' : `const ${wanted.map((name) => `${name} = ${builtin}`).join(', ')};`;
      }),
  };
}

/**
 * `\p{RGI_Emoji}` is a list of thousands of strings, which takes 25 ms to compile; the prompt's own `❯` is looked up in
 * it, because it stands among the dingbats. Of single characters `\p{Emoji_Presentation}` says the same, but for the
 * regional indicators, to which the library gives the same width a few lines below.
 */
export function testEmojiQuickly(): Bundler.Plugin {
  const slow = 'rgiEmojiRegex.test(segment)';
  const quick = `(String.fromCodePoint(segment.codePointAt(0)) === segment ? /^\\p{Emoji_Presentation}$/u.test(segment) : ${slow})`;
  return {
    name: 'test-emoji-quickly',
    transform(code, id) {
      if (!id.replaceAll('\\', '/').endsWith('@earendil-works/pi-tui/dist/utils.js')) return null;
      if (code.split(slow).length !== 2) throw new Error('the terminal library looks for emoji in another way now');
      return code.replace(slow, () => quick);
    },
  };
}

/** Puts the JSON Schema of each built-in tool beside its `parameters`, so that no start has to work it out. */
export async function makeToolSchemas(root: string): Promise<Bundler.Plugin | undefined> {
  const catalogue = join(root, 'src', 'tools', 'catalogue.ts');
  if (!existsSync(catalogue)) return undefined;
  const { toolCatalogue } = (await import(pathToFileURL(catalogue).href)) as typeof Tools;
  const bridge = pathToFileURL(join(root, 'src', 'tools', 'tool-search', 'bridge.ts')).href;
  const { bridgeTools } = (await import(bridge)) as typeof Bridge;
  const tools = [...(await Promise.all(toolCatalogue.map((entry) => entry.load()))), ...bridgeTools];
  const schemas = new Map(tools.map((tool) => [tool.name, JSON.stringify(tool.schema)]));
  // As the formatter leaves them: from the name to the brace at the start of a line that closes the definition.
  const definition = /\bdefineTool(?:<[^(]*>)?\(\{\s*name: '(\w+)',[^]*?\n\}(?=\);)/g;
  return {
    name: 'make-tool-schemas',
    transform(code, id) {
      if (!id.startsWith(join(root, 'src', 'tools')) || !code.includes('defineTool')) return null;
      return code.replace(definition, (found, name: string) => {
        const schema = schemas.get(name);
        // At run time it could not be worked out: what it is made of may be there only when it is used.
        if (schema === undefined) throw new Error(`the tool ${name} is not in the catalogue`);
        schemas.delete(name);
        return `${found}, ${schema}`;
      });
    },
    buildEnd() {
      if (schemas.size > 0) throw new Error(`no definition found of the tools ${[...schemas.keys()].join(', ')}`);
    },
  };
}

/** Puts in what sections of the configuration are when nothing is set, as far as JSON can say it. */
export async function makeConfigDefaults(root: string): Promise<Bundler.Plugin | undefined> {
  const room = join(root, 'src', 'config');
  if (!existsSync(join(room, 'made-defaults.ts'))) return undefined;
  const { SECTIONS, isSectionName } = (await import(pathToFileURL(join(room, 'schema.ts')).href)) as typeof Schema;
  const { parseSection } = (await import(pathToFileURL(join(room, 'parse-config.ts')).href)) as typeof Parser;
  const made = Object.keys(SECTIONS)
    .filter(isSectionName)
    .map((name): [name: string, json: string | undefined, value: unknown] => {
      const { value } = parseSection(name, undefined);
      return [name, JSON.stringify(value), value];
    })
    .filter(([, json, value]) => json !== undefined && isDeepStrictEqual(JSON.parse(json), value))
    .map(([name, json]) => [name, json]);
  return {
    name: 'make-config-defaults',
    transform(code, id) {
      if (id !== join(room, 'made-defaults.ts')) return null;
      if (!code.includes('new Map()')) throw new Error('there is no place for the defaults in made-defaults.ts');
      return code.replace('new Map()', () => `new Map(${JSON.stringify(made)})`);
    },
  };
}
