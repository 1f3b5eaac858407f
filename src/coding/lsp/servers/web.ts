/** Language servers of the web: TypeScript and what is built on it. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../../lib/json.ts';
import type { LanguageServer, ServerPlace } from '../language-server.ts';

const nodeRoots = ['tsconfig.json', 'jsconfig.json', 'package.json'];

/** The last TypeScript with the programming interface that these servers need. */
const typescript = 'typescript@5';

export const webServers: readonly LanguageServer[] = [
  {
    id: 'typescript',
    languages: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
    roots: nodeRoots,
    programs: ['typescript-language-server'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['typescript-language-server', typescript] },
    // The compiler that came with it where there is one: that of the project would be run without a question.
    options: (place) => {
      const path = compilerFolder(place);
      return { disableAutomaticTypingAcquisition: true, ...(path === undefined ? {} : { tsserver: { path } }) };
    },
    asks: 'tsserver',
  },
  {
    id: 'vue-language-server',
    languages: { '.vue': 'vue' },
    roots: nodeRoots,
    programs: ['vue-language-server'],
    args: ['--stdio'],
    // From version 3 on it answers only beside a TypeScript server that passes requests on.
    install: { by: 'npm', packages: ['@vue/language-server@2', typescript] },
    options: (place) => ({ ...withCompiler(place), vue: { hybridMode: false } }),
  },
  {
    id: 'svelte-language-server',
    languages: { '.svelte': 'svelte' },
    roots: ['svelte.config.js', ...nodeRoots],
    programs: ['svelteserver'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['svelte-language-server', typescript] },
  },
  {
    id: 'astro-language-server',
    languages: { '.astro': 'astro' },
    roots: ['astro.config.mjs', 'astro.config.ts', ...nodeRoots],
    programs: ['astro-ls'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['@astrojs/language-server', typescript] },
    options: withCompiler,
  },
  {
    id: 'prisma',
    languages: { '.prisma': 'prisma' },
    roots: ['package.json'],
    programs: ['prisma-language-server'],
    args: ['--stdio'],
    install: { by: 'npm', packages: ['@prisma/language-server'] },
  },
];

/** In the home, else among the packages that the server was installed with. */
function compilerFolder({ folder, program }: ServerPlace): string | undefined {
  const beside = dirname(realpathSync(program));
  const packages = [join(folder, 'node_modules'), join(beside, '../..'), join(beside, '../../..')];
  return packages
    .map((directory) => join(directory, 'typescript', 'lib'))
    .find((path) => existsSync(join(path, 'tsserver.js')));
}

function withCompiler(place: ServerPlace): JsonObject {
  const tsdk = compilerFolder(place) ?? join(place.root, 'node_modules', 'typescript', 'lib');
  return { typescript: { tsdk } };
}
