/** The real `node-llama-cpp` with its ready-made binary, installed once for tests. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installFolder, oneLine } from './install-folder.ts';

const run = promisify(execFile);
const installMs = 300_000;
const version = '3.22.1';

/** The `node_modules` that hold it, or the reason why it is not to be had here. */
export async function llamaBinding(): Promise<{ readonly modules: string } | string> {
  const folder = installFolder('node-llama-cpp');
  const ready = join(folder, '.ready');
  const found = { modules: join(folder, 'node_modules') };
  if (existsSync(ready)) return found;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, ...packages()], {
      timeout: installMs,
    });
    writeFileSync(ready, version);
    return found;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return `node-llama-cpp could not be installed: ${oneLine(error)}`;
  }
}

/** On Linux without the binaries for graphics cards, which are many times larger than all the rest. */
function packages(): readonly string[] {
  const { platform, arch } = process;
  if (platform !== 'linux') return [`node-llama-cpp@${version}`];
  return ['--omit=optional', `node-llama-cpp@${version}`, `@node-llama-cpp/linux-${arch}@${version}`];
}
