/** Scripts in JavaScript: modules of Node.js, with `await` everywhere. */
import { join } from 'node:path';
import { requiredOf } from '../script-tools.ts';
import { firstProgram } from './first-program.ts';
import { javascriptModule } from './javascript-module.ts';
import type { ScriptLanguage } from './language.ts';

/** Packages of the working directory are found by `require`; where the script itself lies there are none. */
const start = `import { createRequire } from 'node:module';
import { join } from 'node:path';
globalThis.require = createRequire(join(process.cwd(), 'script.mjs'));
await import('./script.mjs');
`;

export const javascript: ScriptLanguage = {
  id: 'javascript',
  name: 'JavaScript',
  source: { from: 'program', name: 'node' },
  programs: ['node', 'nodejs'],
  find: (places) => firstProgram(javascript.programs, places),
  install: 'There is no Node.js where commands run. Install it there, or write the script in Python.',
  importing: (names) => `import { ${names.join(', ')} } from 'hermes_tools'`,
  signature: (tool) => {
    const required = requiredOf(tool);
    const names = tool.names.map((name) => (required.includes(name) ? name : `${name}?`));
    return `await ${tool.name}({ ${names.join(', ')} })`;
  },
  results: 'Each function takes an object and returns a promise of what the tool answers',
  files: (code, names) => ({
    'start.mjs': start,
    'script.mjs': code,
    'node_modules/hermes_tools/package.json': '{"name":"hermes_tools","type":"module","exports":"./index.js"}\n',
    'node_modules/hermes_tools/index.js': javascriptModule(names),
  }),
  command: (program, folder) => ({ argv: [program, join(folder, 'start.mjs')], variables: {} }),
};
