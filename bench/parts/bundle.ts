/** Makes one part of the program into a file as it is shipped, and runs a script with it in a process of its own. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { runOnce } from './processes.ts';
import { root } from './workplace.ts';

export interface Bundle extends Disposable {
  /** For `import()` in a script. */
  readonly address: string;
  /** Runs a module that prints JSON. Throws when it fails. */
  run(script: string): Promise<unknown>;
}

/**
 * Libraries stay outside and are found in this checkout. What Node compiles is kept between the runs, as in real use.
 * `threads`: entries of threads that it starts, by the name of their file.
 */
export async function bundle(entry: string, threads: Readonly<Record<string, string>> = {}): Promise<Bundle> {
  const dir = join(root, 'node_modules', '.cache', `hermes-bench-${process.pid}-${entry.replaceAll(/\W+/g, '-')}`);
  mkdirSync(dir, { recursive: true });
  const built = await rolldown({
    cwd: root,
    input: { entry, ...threads },
    platform: 'node',
    tsconfig: false,
    checks: { ineffectiveDynamicImport: false },
    external: (id) =>
      !id.startsWith('.') && !id.startsWith('/') && id !== entry && !Object.values(threads).includes(id),
  });
  await built.write({ dir, format: 'esm' });
  await built.close();
  const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: join(dir, 'compiled') };
  return {
    address: pathToFileURL(join(dir, 'entry.js')).href,
    run: async (script) => {
      const args = ['--input-type=module', '-e', script];
      return JSON.parse((await runOnce({ command: process.execPath, args, env, cwd: dir })).stdout) as unknown;
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
